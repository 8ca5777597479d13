import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineFlow } from '../contract/define-flow.ts';
import { defineTool } from '../contract/define-tool.ts';
import type { FlowContext } from '../contract/flow.ts';
import type { FlowRun } from '../contract/flow-store.ts';
import { createCrib } from '../crib/create-crib.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

/** Runs code as a program in JavaScript would write it: without types. */
const runCode = async (
  code: (flow: Record<keyof FlowContext, (...values: unknown[]) => Promise<unknown>>) => unknown,
): Promise<{ readonly run: FlowRun; readonly sent: readonly string[] }> => {
  const sent: string[] = [];
  const send = defineTool({
    name: 'send',
    description: 'Sends a text.',
    tier: 'write',
    input: z.strictObject({ text: z.string() }),
    run: ({ text }) => sent.push(text),
  });
  const crib = await createCrib({ tools: [send], store: 'memory' });
  open.push(crib);
  const run = async (flow: FlowContext) => (await code(flow as never)) ?? null;
  crib.flows.register(defineFlow({ name: 'code', version: '1.0.0', run }));
  const { finished } = await crib.flows.start('code', {});
  return { run: await finished, sent };
};

describe('what the code of a flow hands to its context', () => {
  it.each<[string, Parameters<typeof runCode>[0], string]>([
    [
      'a time limit that is misspelt',
      (flow) => flow.waitForEvent('paid', { timeout: 5 }),
      'waitForEvent(options): timeout is not known; did you mean timeoutMs?',
    ],
    [
      'a time limit that is negative',
      (flow) => flow.waitForEvent('paid', { timeoutMs: -1 }),
      'waitForEvent(options): timeoutMs has to be milliseconds',
    ],
    [
      'an event without a name',
      (flow) => flow.waitForEvent(''),
      'waitForEvent(name): has to be a text that is not empty',
    ],
    [
      'an empty question',
      (flow) => flow.waitForApproval(''),
      'waitForApproval(question): has to be a text that is not empty',
    ],
    [
      'steps in place of tasks',
      (flow) => flow.all([flow.sleep(0)]),
      'all(tasks): has to be a list of functions, as in [() => flow.call(tool, input)]',
    ],
    ['no tasks', (flow) => flow.all(), 'all(tasks): has to be a list of functions'],
    [
      'the name of a flow as a child',
      (flow) => flow.child('other', {}),
      'child(flow): has to be a flow as defineFlow makes it',
    ],
    ['a value without code', (flow) => flow.value('now'), 'value(make): has to be a function'],
    ['no tool', (flow) => flow.call(undefined, {}), 'call(tool): has to be a tool or its name'],
    [
      'a sleep with an unknown option',
      (flow) => flow.sleep(1, { kye: 'nap' }),
      'sleep(options): kye is not known; known are key, signal',
    ],
  ])('%s fails the run with VALIDATION_ERROR', async (_title, code, message) => {
    const { run } = await runCode(code);
    expect(run).toMatchObject({
      status: 'failed',
      error: { code: 'VALIDATION_ERROR', message: expect.stringContaining(message) },
    });
  });

  it('a call with an option that steps do not have is not made', async () => {
    const { run, sent } = await runCode((flow) =>
      flow.call('send', { text: 'hello' }, { dryRun: true }),
    );
    expect(run.error?.message).toContain('call(options): dryRun is not known');
    expect(sent).toEqual([]);
  });

  it('its code can catch what is refused', async () => {
    const { run } = await runCode(async (flow) => {
      await flow.waitForEvent('').catch(() => undefined);
      return 'went on';
    });
    expect(run).toMatchObject({ status: 'completed', output: 'went on' });
  });
});

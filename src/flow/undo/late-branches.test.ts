/** What goes on beside the code of a run that has failed, until all of it is undone. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Crib } from '../../contract/crib.ts';
import { defineFlow } from '../../contract/define-flow.ts';
import { defineTool } from '../../contract/define-tool.ts';
import type { FlowContext } from '../../contract/flow.ts';
import type { FlowRun } from '../../contract/flow-store.ts';
import { createCribHost } from '../../crib/create-crib.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const sent: string[] = [];
const undone: string[] = [];
const input = z.object({ text: z.string() });
const send = defineTool({
  name: 'send',
  description: 'Sends a text.',
  tier: 'write',
  input,
  run: ({ text }) => {
    sent.push(text);
    return { text };
  },
  undo: async ({ text }) => void undone.push(text),
});
const check = defineTool({
  name: 'check',
  description: 'Fails.',
  tier: 'read_only',
  input: z.object({}),
  run: (): never => {
    throw new Error('The check has failed.');
  },
});

const ASKS = {
  version: 1 as const,
  rules: [
    { name: 'send', effect: 'allow' as const, tools: ['send'] },
    { name: 'undo', effect: 'ask' as const, tools: ['toolcrib:undo'] },
  ],
};

const undoQuestion = async (crib: Crib): Promise<string> => {
  const questions = async () =>
    (await crib.approvals.list()).filter(({ tool }) => tool === 'toolcrib:undo');
  await expect.poll(async () => (await questions()).length).toBe(1);
  await expect.poll(async () => (await crib.flows.get('run'))?.status).toBe('waiting');
  return (await questions())[0]?.id ?? '';
};

/** Runs a flow that fails and whose undo asks; `meanwhile` looks at it before each answer. */
const runAsked = async (
  run: (flow: FlowContext) => Promise<unknown>,
  { undos, meanwhile }: { undos: number; meanwhile?: (crib: Crib) => Promise<void> },
): Promise<FlowRun> => {
  sent.length = 0;
  undone.length = 0;
  const crib = await createCribHost({
    store: 'memory',
    builtins: false,
    tools: [send, check],
    policy: ASKS,
  });
  cleanup.push(() => crib.close());
  crib.flows.register(defineFlow({ name: 'sample', version: '1.0.0', undoOnFailure: true, run }));
  const { finished } = await crib.flows.start('sample', {}, { runId: 'run' });
  for (let left = undos; left > 0; left -= 1) {
    const id = await undoQuestion(crib);
    await meanwhile?.(crib);
    await crib.approvals.decide(id, { approve: true, by: 'ada' });
  }
  return finished;
};

describe('the undo of a run that waits for a person', () => {
  it('is finished although a branch made steps after the code had failed', async () => {
    const run = await runAsked(
      (flow) =>
        Promise.all([
          flow.call(check, {}),
          (async () => {
            await flow.call(send, { text: 'a' });
            await flow.call(send, { text: 'b' });
          })(),
        ]),
      { undos: 2 },
    );
    expect(run).toMatchObject({ status: 'failed', error: { message: 'The check has failed.' } });
    expect([sent, undone]).toEqual([
      ['a', 'b'],
      ['b', 'a'],
    ]);
  });

  it('makes no step meanwhile, whatever a branch waited for when the code failed', async () => {
    const run = await runAsked(
      async (flow) => {
        const continueAfter = async (step: Promise<unknown>, text: string): Promise<void> => {
          await step.catch(() => undefined);
          await flow.call(send, { text });
        };
        await flow.call(send, { text: 'first' });
        await Promise.all([
          continueAfter(flow.sleep(100), 'after the sleep'),
          continueAfter(flow.waitForApproval('Go on?'), 'after the answer'),
          flow.call(check, {}),
        ]);
      },
      { undos: 1, meanwhile: () => pause(150) },
    );
    expect(run).toMatchObject({ status: 'failed', error: { message: 'The check has failed.' } });
    expect([sent, undone]).toEqual([['first'], ['first']]);
  });

  it('goes on waiting for its answer when somebody resumes the run meanwhile', async () => {
    const run = await runAsked(
      (flow) => Promise.all([flow.call(check, {}), flow.call(send, { text: 'first' })]),
      {
        undos: 1,
        meanwhile: async (crib) => {
          const { epoch = 0, waitsFor } = (await crib.flows.get('run')) ?? {};
          expect(await crib.flows.resume('run')).toBe(true);
          // Once for the change, once for the turn.
          const again = { epoch: epoch + 2, status: 'waiting', waitsFor };
          await expect.poll(() => crib.flows.get('run')).toMatchObject(again);
        },
      },
    );
    expect(run).toMatchObject({ status: 'failed', error: { message: 'The check has failed.' } });
    expect([sent, undone]).toEqual([['first'], ['first']]);
  });

  it('leaves no sub-flow running that would go on making effects', async () => {
    const mailing = defineFlow({
      name: 'mailing',
      version: '1.0.0',
      run: async (flow) => {
        for (let mail = 1; mail <= 200; mail += 1) {
          await flow.call(send, { text: `mail ${mail}` });
          await flow.sleep(20);
        }
      },
    });
    const counts: number[] = [];
    const run = await runAsked(
      async (flow) => {
        await flow.call(send, { text: 'first' });
        const mails = flow.child(mailing, {});
        await flow.sleep(100);
        await Promise.all([mails, flow.call(check, {})]);
      },
      {
        undos: 1,
        meanwhile: async (crib) => {
          expect(await crib.flows.get('run.2')).toMatchObject({ status: 'cancelled' });
          counts.push(sent.length);
          await pause(100);
          counts.push(sent.length);
        },
      },
    );
    expect(run.status).toBe('failed');
    expect(counts[1]).toBe(counts[0]);
    expect(undone).toEqual(['first']);
  });
});

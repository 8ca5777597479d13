/** What is on record of a run whose process leaves while it asks somebody, or in the middle of a step. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Approver } from '../contract/approver.ts';
import { defineFlow } from '../contract/define-flow.ts';
import { defineTool } from '../contract/define-tool.ts';
import { createCribHost } from '../crib/create-crib.ts';
import { createMemoryStore } from '../stores/memory/create-memory-store.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const crib of open.splice(0).reverse()) await crib.close();
});

const asks = defineFlow({
  name: 'asks',
  version: '1.0.0',
  run: async (flow) => (await flow.waitForApproval('Go on?')).approved,
});

/** Tells when it is asked, and never answers. */
const silentApprover = () => {
  let tell: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const approver: Approver = {
    ask: () => {
      tell();
      return new Promise(() => undefined);
    },
  };
  return { approver, asked };
};

const policy = {
  version: 1 as const,
  rules: [{ name: 'all', effect: 'allow' as const, tools: ['*'] }],
};

/** A process asks its approver, and leaves before there is an answer; another one finds the run. */
const leftQuestion = async () => {
  const root = mkdtempSync(join(tmpdir(), 'toolcrib-left-'));
  const options = {
    root,
    home: join(root, 'home'),
    store: { sqlite: join(root, 'state.db') },
    builtins: false,
  };
  const { approver, asked } = silentApprover();
  const first = await createCribHost({ ...options, approver });
  first.flows.register(asks);
  const { runId } = await first.flows.start('asks', {});
  await asked;
  await first.close();
  const crib = await createCribHost(options);
  open.push(crib);
  return { crib, runId };
};

describe('a run whose process leaves while it asks its approver', () => {
  it('goes on with the answer that is given afterwards, and asks nobody twice', async () => {
    const { crib, runId } = await leftQuestion();
    const [step] = await crib.flows.steps(runId);
    const [question] = await crib.approvals.list();
    expect([step?.state, step?.approvalId]).toEqual(['open', question?.id]);
    await crib.approvals.decide(question?.id ?? '', { approve: true, by: 'ada' });
    crib.flows.register(asks);
    expect(await crib.flows.finished(runId)).toMatchObject({ status: 'completed', output: true });
    expect(await crib.approvals.list()).toEqual([]);
  });

  it('leaves no question in the inbox once it is cancelled elsewhere', async () => {
    const { crib, runId } = await leftQuestion();
    expect(await crib.approvals.list()).toHaveLength(1);
    expect(await crib.flows.cancel(runId)).toBe(true);
    expect(await crib.approvals.list()).toEqual([]);
  });
});

describe('a run whose process leaves in the middle of a call', () => {
  it('is waiting for a process, and not running, once the call has ended', async () => {
    const store = createMemoryStore();
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    let end: () => void = () => undefined;
    const slow = defineTool({
      name: 'slow',
      description: 'Takes its time.',
      tier: 'write',
      input: z.strictObject({}),
      run: () => {
        begin();
        return new Promise<string>((resolve) => {
          end = () => resolve('written');
        });
      },
    });
    const flow = defineFlow({
      name: 'writes',
      version: '1.0.0',
      run: async (context) => [await context.call('slow', {}), await context.call('slow', {})],
    });
    const crib = await createCribHost({ store, builtins: false, tools: [slow], policy });
    crib.flows.register(flow);
    const { runId } = await crib.flows.start('writes', {});
    await begun;
    const closed = crib.close();
    end();
    await closed;
    expect(await store.flows.get(runId)).toMatchObject({ status: 'waiting' });
    expect(await store.flows.steps(runId)).toMatchObject([{ key: '1', state: 'done' }]);
  });
});

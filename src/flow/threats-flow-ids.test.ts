/** Threat: somebody chooses the id of another run, and gets its output or gives it theirs. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Crib } from '../contract/crib.ts';
import { defineFlow } from '../contract/define-flow.ts';
import { createCrib } from '../crib/create-crib.ts';

const report = defineFlow({
  name: 'report',
  version: '1.0.0',
  run: async (_flow, input) => ({ report: input }),
});
const forged = defineFlow({ name: 'forged', version: '1.0.0', run: async () => 'forged' });
const parent = defineFlow({
  name: 'parent',
  version: '1.0.0',
  run: async (flow) => {
    await flow.sleep(50);
    return flow.child(report, { of: 'child' });
  },
});

let crib: Crib;
beforeEach(async () => {
  crib = await createCrib({ store: 'memory', builtins: false, watch: false });
  crib.flows.register(report);
  crib.flows.register(forged);
  crib.flows.register(parent);
});
afterEach(() => crib.close());

const alice = { userId: 'alice', runId: 'order-1' };

describe('a run id that is taken', () => {
  it.each([
    ['another user', 'report', { n: 1 }, { userId: 'mallory' }],
    ['another flow', 'forged', { n: 1 }, {}],
    ['another input', 'report', { n: 2 }, {}],
  ])('is refused for %s', async (_title, flow, input, as) => {
    await (await crib.flows.start('report', { n: 1 }, alice)).finished;
    await expect(crib.flows.start(flow, input, { ...alice, ...as })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });

  it('is the same run for the same user, flow and input, from any session', async () => {
    await (await crib.flows.start('report', { n: 1, m: undefined }, alice)).finished;
    const again = await crib.flows.start('report', { n: 1 }, { ...alice, sessionId: 'later' });
    expect((await again.finished).output).toEqual({ report: { n: 1 } });
    expect(await crib.flows.list()).toHaveLength(1);
  });

  it.each([
    ['another flow of another user', 'forged', 'mallory'],
    ['the same flow, not started by the step', 'report', 'alice'],
  ])('gives a parent nothing: %s', async (_title, flow, userId) => {
    const { finished } = await crib.flows.start('parent', {}, alice);
    await crib.flows.start(flow, { of: 'child' }, { userId, runId: 'order-1.2' });
    expect(await finished).toMatchObject({ status: 'failed', error: { code: 'CONFLICT' } });
  });

  it('a child that its parent started gives its output', async () => {
    const { finished } = await crib.flows.start('parent', {}, alice);
    expect((await finished).output).toEqual({ report: { of: 'child' } });
  });
});

describe('a run id that nobody can type', () => {
  it.each(['', '\u001b[31mred', 'a\0b', 'a\nb', '\ud800', '\u202eab', 'x'.repeat(301)])(
    'is refused: %j',
    async (runId) => {
      await expect(crib.flows.start('report', {}, { ...alice, runId })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
    },
  );

  it('is no other: letters of any language, and any signs', async () => {
    const runId = 'Über/ägypten @ 3 (x)';
    const { finished } = await crib.flows.start('report', {}, { ...alice, runId });
    expect(await finished).toMatchObject({ status: 'completed' });
  });
});

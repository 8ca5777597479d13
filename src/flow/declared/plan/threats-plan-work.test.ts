/** Threat: one request for a plan keeps the process busy for as long as its input makes the flow large. */
import { afterEach, describe, expect, it } from 'vitest';
import { aTool } from '../../../../test/fixtures/test-crib.ts';
import type { Crib } from '../../../contract/crib.ts';
import type { FlowDataStep } from '../../../contract/flow-data.ts';
import { createCrib } from '../../../crib/create-crib.ts';

let crib: Crib | undefined;
afterEach(() => crib?.close());

const MAX_MS = 20_000;

/** Nine steps that run for each item of the input, each time with the same value beside the item. */
const stepsWith = (beside: unknown): readonly FlowDataStep[] =>
  Array.from({ length: 9 }, (_, at) => ({
    id: `s${at}`,
    call: 'echo',
    input: { each: { from: 'item' }, beside },
    forEach: { items: { from: 'input.list' } },
  }));

const open = async (beside: unknown): Promise<Crib> => {
  const send = aTool({ name: 'send', tier: 'external_api' });
  crib = await createCrib({ store: 'memory', builtins: false, tools: [aTool(), send] });
  await crib.flows.registerData({
    name: 'sample',
    version: '1.0.0',
    steps: [{ id: 'mail', call: 'send', input: { text: 'hello' } }, ...stepsWith(beside)],
  });
  return crib;
};

const listOf = (length: number, text: string): readonly string[] =>
  Array.from({ length }, (_, at) => `${at} ${text}`);

const timed = async <T>(work: () => Promise<T>): Promise<readonly [result: T, ms: number]> => {
  const startedAt = performance.now();
  const result = await work();
  return [result, performance.now() - startedAt];
};

const HOSTILE = [
  ['all of a large input', { from: 'input' }],
  ['a loop over a large list', { cel: 'input.list.all(each, size(each) >= 0)' }],
] as const;

describe('threat: a plan whose steps take a large input once for each item', () => {
  it.each(HOSTILE)(
    'hostile: a plan with %s beside each item ends soon, and says what was not judged',
    { timeout: 120_000 },
    async (_what, beside) => {
      const { flows } = await open(beside);
      const input = { list: listOf(9_000, 'x'.repeat(90)) };
      const [plan, ms] = await timed(() => flows.plan('sample', input));
      expect(ms).toBeLessThan(MAX_MS);
      expect(plan.denied).toEqual([]);
      expect(plan.steps.at(-1)).toMatchObject({ verdict: 'unknown' });
      expect(plan.steps[0]).toMatchObject({ verdict: 'ask', input: { text: 'hello' } });
    },
  );

  it.each(HOSTILE)(
    'hostile: a question about a plan with %s beside each item is made soon, and covers no call that was not judged',
    { timeout: 120_000 },
    async (_what, beside) => {
      const { flows } = await open(beside);
      const input = { list: listOf(9_000, 'x'.repeat(90)) };
      const [asked, ms] = await timed(() => flows.requestApproval('sample', input));
      expect(ms).toBeLessThan(MAX_MS);
      expect(asked.calls).toBe(1);
      expect(asked.asks.map(({ step }) => step)).toContain('s8');
    },
  );

  it('benign: a plan with hundreds of small items, and one with a large text, are judged as a whole', async () => {
    const { flows } = await open({ from: 'input' });
    const verdictsOf = async (list: readonly string[]) =>
      (await flows.plan('sample', { list })).steps.map(({ verdict }) => verdict);
    const allowed = Array.from({ length: 9 }, () => 'allow');
    expect(await verdictsOf(listOf(90, 'x'))).toEqual(['ask', ...allowed]);
    expect(await verdictsOf(listOf(1, 'x'.repeat(900_000)))).toEqual(['ask', ...allowed]);
  });
});

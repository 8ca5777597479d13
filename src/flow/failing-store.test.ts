/** Runs whose store fails for a moment go on by themselves: no run fails, and no effect is repeated. */
import { afterEach, describe, expect, it } from 'vitest';
import { openFailingStore, type StoreMethod } from '../../test/fixtures/failing-store.ts';
import { aTool } from '../../test/fixtures/test-crib.ts';
import { defineFlow } from '../contract/define-flow.ts';
import { createCribHost } from '../crib/create-crib.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const TIME_LIMIT = 20_000;
const cost = { model: 'usage_based', fixed: 0.001 } as const;

/** Opens a crib with a tool that pays and one that looks, both with a price. The second call of a run meets the failure. */
const open = async (tier: 'write' | 'read_only', method: StoreMethod) => {
  const { store, fail, unused } = openFailingStore();
  const seen: number[] = [];
  const tool = aTool({
    ...{ name: 'step', tier, cost },
    run: ({ n }: { readonly n: number }) => {
      seen.push(n);
      if (n === 1 && method !== 'replays.claim') fail(method);
      return n;
    },
  } as Parameters<typeof aTool>[0]);
  const rules = [{ name: 'own', effect: 'allow' as const, tools: ['step'] }];
  const policy = { version: 1 as const, rules };
  const crib = await createCribHost({ store, builtins: false, tools: [tool], policy });
  cleanup.push(() => crib.close());
  crib.flows.register(
    defineFlow({
      name: 'steps',
      version: '1.0.0',
      run: async (flow) => {
        const all: unknown[] = [await flow.call('step', { n: 1 })];
        if (method === 'replays.claim') await flow.value('fails', () => fail(method));
        for (const n of [2, 3]) all.push(await flow.call('step', { n }));
        return all;
      },
    }),
  );
  const { finished } = await crib.flows.start('steps', {}, { runId: 'run' });
  return { crib, seen, unused, run: await finished };
};

const METHODS: readonly StoreMethod[] = [
  ...(['ledger.settle', 'replays.finish', 'audit.append', 'flows.record'] as const),
  ...(['replays.claim', 'ledger.reserve', 'audit.intend', 'flows.release'] as const),
];

describe('a run of a flow whose store fails once', () => {
  it.each(METHODS)(
    'at %s ends as if it had not, and makes each effect once',
    async (method) => {
      const { crib, seen, unused, run } = await open('write', method);
      expect(run).toMatchObject({ status: 'completed', output: [1, 2, 3] });
      expect(unused()).toEqual([]);
      expect(seen).toEqual([1, 2, 3]);
      expect(await crib.audit.verify()).toMatchObject({ ok: true });
    },
    TIME_LIMIT,
  );

  it.each<StoreMethod>(['ledger.reserve', 'ledger.settle'])(
    'at %s of a call that only reads ends as if it had not',
    async (method) => {
      const { unused, run } = await open('read_only', method);
      expect(run).toMatchObject({ status: 'completed', output: [1, 2, 3] });
      expect(unused()).toEqual([]);
    },
    TIME_LIMIT,
  );
});

/** What every store owes its budgets: nothing is spent twice, and every hold ends. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BudgetScope, Reservation, Store } from '../../src/contract/store.ts';
import { AWKWARD_STRINGS, times } from './store-samples.ts';

type Use = (test: (store: Store) => Promise<void>) => Promise<void>;

const CENT = 10_000;
const DOLLAR = 1_000_000;

const hold = (executionId: string, parts: Partial<Reservation> = {}): Reservation => ({
  executionId,
  scopes: [{ key: 'user:alice:day', limitMicros: DOLLAR }],
  amountMicros: CENT,
  ...parts,
});

const line = async (store: Store, key: string) => (await store.ledger.lines(key))[0];

const describeGrowingHolds = (use: Use): void => {
  it('a hold grows as far as the limit allows, in all scopes or in none, and counts one call', () =>
    use(async (store) => {
      const { ledger } = store;
      const wide = { key: 'tool:wide', limitMicros: 10 * DOLLAR };
      const scopes = [
        { ...hold('').scopes[0], limitTokens: 50, limitCalls: 1 } as BudgetScope,
        wide,
      ];
      await ledger.reserve(hold('a', { scopes, tokens: 10 }));
      expect(await ledger.extend('a', { micros: DOLLAR - CENT, tokens: 40 })).toEqual({ ok: true });
      expect(await ledger.extend('a', { micros: 1, tokens: 0 })).toMatchObject({ unit: 'micros' });
      expect(await ledger.extend('a', { micros: 0, tokens: 1 })).toMatchObject({ unit: 'tokens' });
      expect(await ledger.extend('a', { micros: 0, tokens: 0 })).toEqual({ ok: true });
      const held = { heldMicros: DOLLAR, heldTokens: 50, heldCalls: 1 };
      expect(await line(store, 'user:alice:day')).toMatchObject(held);
      expect(await line(store, 'tool:wide')).toMatchObject(held);
      await ledger.settle('a', { micros: 5, tokens: 6 });
      const spent = { spentMicros: 5, tokens: 6, calls: 1, heldMicros: 0, heldTokens: 0 };
      expect(await line(store, 'user:alice:day')).toMatchObject({ ...spent, heldCalls: 0 });
    }));

  it('a call that holds nothing, or is over, cannot hold more', () =>
    use(async (store) => {
      const { ledger } = store;
      expect(await ledger.extend('nobody', { micros: 1, tokens: 0 })).toMatchObject({ ok: false });
      await ledger.reserve(hold('a'));
      await ledger.release('a');
      expect(await ledger.extend('a', { micros: 1, tokens: 0 })).toMatchObject({ ok: false });
      expect((await line(store, 'user:alice:day'))?.heldMicros).toBe(0);
      await expect(ledger.extend('a', { micros: 0.5, tokens: 0 })).rejects.toThrow();
    }));

  it('50 holds that grow at once never pass the limit', () =>
    use(async (store) => {
      const { ledger } = store;
      await Promise.all(times(50, (n) => ledger.reserve(hold(`e${n}`, { amountMicros: 0 }))));
      const more = { micros: 30_000, tokens: 0 };
      const grown = await Promise.all(times(50, (n) => ledger.extend(`e${n}`, more)));
      expect(grown.filter(({ ok }) => ok)).toHaveLength(33);
      expect((await line(store, 'user:alice:day'))?.heldMicros).toBe(990_000);
    }));

  it('calls that cost nothing are counted, and take nothing from others', () =>
    use(async (store) => {
      const { ledger } = store;
      await ledger.tally([{ key: 'user:x', calls: 2, tokens: 7 }]);
      await ledger.tally([{ key: 'user:x', calls: 1, tokens: 0 }]);
      const counted = { calls: 3, tokens: 7, spentMicros: 0, heldMicros: 0, heldCalls: 0 };
      expect(await line(store, 'user:x')).toMatchObject(counted);
      await expect(ledger.tally([{ key: 'user:x', calls: -1, tokens: 0 }])).rejects.toThrow();
    }));
};

const describeLimits = (use: Use): void => {
  it('B1: of 1,000 concurrent calls of 0.01 USD on 1 USD admits exactly 100', () =>
    use(async (store) => {
      const outcomes = await Promise.all(times(1000, (n) => store.ledger.reserve(hold(`e${n}`))));
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(100);
      expect(outcomes.at(-1)).toEqual({
        ok: false,
        scope: 'user:alice:day',
        unit: 'micros',
        available: 0,
      });
      expect(await line(store, 'user:alice:day')).toMatchObject({ heldMicros: DOLLAR });
    }));

  it('B2: never holds and spends more than the limit, whatever the order of events', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom('reserve', 'settle', 'release'), fc.nat(20)), {
          maxLength: 80,
        }),
        (events) =>
          use(async (store) => {
            const act = ([name, n]: readonly [string, number]): Promise<unknown> => {
              if (name === 'reserve') {
                return store.ledger.reserve(hold(`e${n}`, { amountMicros: 300_000 }));
              }
              return name === 'settle'
                ? store.ledger.settle(`e${n}`, { micros: 100_000, tokens: 0 })
                : store.ledger.release(`e${n}`);
            };
            await Promise.all(events.map(act));
            const { spentMicros = 0, heldMicros = 0 } = (await line(store, 'user:alice:day')) ?? {};
            expect(heldMicros).toBeGreaterThanOrEqual(0);
            expect(spentMicros + heldMicros).toBeLessThanOrEqual(DOLLAR);
            await Promise.all(times(21, (n) => store.ledger.release(`e${n}`)));
            expect((await line(store, 'user:alice:day'))?.heldMicros ?? 0).toBe(0);
          }),
      ),
      { numRuns: 25 },
    ));

  it('holds in all scopes or in none', () =>
    use(async (store) => {
      const scopes = [
        { key: 'user:alice', limitMicros: DOLLAR },
        { key: 'tool:search', limitMicros: 3 * CENT },
      ];
      const outcomes = await Promise.all(
        times(5, (n) => store.ledger.reserve(hold(`e${n}`, { scopes }))),
      );
      expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, true, false, false]);
      expect(outcomes[4]).toEqual({
        ok: false,
        scope: 'tool:search',
        unit: 'micros',
        available: 0,
      });
      expect(await line(store, 'user:alice')).toMatchObject({ heldMicros: 3 * CENT });
    }));

  it('charges a scope named twice once, by its stricter limit', () =>
    use(async (store) => {
      const scopes = [
        { key: 'k', limitMicros: DOLLAR },
        { key: 'k', limitMicros: CENT },
        { key: 'k', limitMicros: DOLLAR },
      ];
      expect(await store.ledger.reserve(hold('e1', { scopes }))).toEqual({ ok: true });
      expect(await store.ledger.reserve(hold('e2', { scopes }))).toMatchObject({ ok: false });
      expect(await line(store, 'k')).toMatchObject({ heldMicros: CENT });
    }));

  it('knows no limit, no budget and no number', () =>
    use(async (store) => {
      const under = (limitMicros: number) =>
        store.ledger.covers({
          scopes: [{ key: `k${limitMicros}`, limitMicros }],
          amountMicros: CENT,
        });
      expect(await under(Number.POSITIVE_INFINITY)).toEqual({ ok: true });
      expect(await under(0)).toMatchObject({ ok: false, unit: 'micros', available: 0 });
      expect(await under(-5)).toMatchObject({ ok: false, unit: 'micros', available: 0 });
      expect(await under(Number.NaN)).toMatchObject({ ok: false, unit: 'micros', available: 0 });
    }));

  it.each([0.5, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('refuses the amount %s', (n) =>
    use(async (store) => {
      const refusal = { code: 'INTERNAL' };
      await expect(store.ledger.reserve(hold('e', { amountMicros: n }))).rejects.toMatchObject(
        refusal,
      );
      await expect(store.ledger.covers({ scopes: [], amountMicros: n })).rejects.toMatchObject(
        refusal,
      );
      await expect(store.ledger.settle('e', { micros: n, tokens: 0 })).rejects.toMatchObject(
        refusal,
      );
      expect(await store.ledger.lines('')).toEqual([]);
    }),
  );
};

const describeLife = (use: Use): void => {
  it('ends no hold of a living process as that of a dead one', () =>
    use(async (store) => {
      await store.ledger.reserve(hold('e1'));
      expect(await store.ledger.endOrphan('e1', { micros: 1, tokens: 0 })).toBe(false);
      expect(await store.ledger.endOrphan('e1')).toBe(false);
      expect(await store.ledger.endOrphan('never')).toBe(false);
      expect(await line(store, 'user:alice')).toMatchObject({ heldCalls: 1, spentMicros: 0 });
    }));

  it('settles the actual cost and gives the rest back', () =>
    use(async (store) => {
      await store.ledger.reserve(hold('e1', { amountMicros: 600_000 }));
      expect(await store.ledger.reserve(hold('e2', { amountMicros: 600_000 }))).toEqual({
        ok: false,
        scope: 'user:alice:day',
        unit: 'micros',
        available: 400_000,
      });
      await store.ledger.settle('e1', { micros: 250_000, tokens: 0 });
      expect(await line(store, 'user:alice:day')).toEqual({
        key: 'user:alice:day',
        spentMicros: 250_000,
        heldMicros: 0,
        calls: 1,
        heldCalls: 0,
        tokens: 0,
        heldTokens: 0,
      });
      expect(await store.ledger.reserve(hold('e2', { amountMicros: 600_000 }))).toEqual({
        ok: true,
      });
    }));

  it('records an actual cost above the estimate as it is, and admits free calls still', () =>
    use(async (store) => {
      await store.ledger.reserve(hold('e1', { amountMicros: DOLLAR }));
      await store.ledger.settle('e1', { micros: 3 * DOLLAR, tokens: 0 });
      expect(await line(store, 'user:alice:day')).toMatchObject({ spentMicros: 3 * DOLLAR });
      expect(await store.ledger.reserve(hold('e2', { amountMicros: 1 }))).toMatchObject({
        ok: false,
        unit: 'micros',
        available: 0,
      });
      expect(await store.ledger.reserve(hold('e3', { amountMicros: 0 }))).toEqual({ ok: true });
    }));

  it('stays readable when absurd sums were settled', () =>
    use(async (store) => {
      for (const id of ['e1', 'e2']) {
        await store.ledger.reserve(hold(id, { amountMicros: 0 }));
        await store.ledger.settle(id, { micros: Number.MAX_SAFE_INTEGER, tokens: 0 });
      }
      const { spentMicros, calls } = (await line(store, 'user:alice:day')) ?? {};
      expect({ spentMicros, calls }).toEqual({ spentMicros: Number.MAX_SAFE_INTEGER, calls: 2 });
    }));

  it('settles and releases once, and ignores ids it does not know', () =>
    use(async (store) => {
      await store.ledger.reserve(hold('e1'));
      await Promise.all(times(3, () => store.ledger.settle('e1', { micros: 7, tokens: 0 })));
      await store.ledger.release('e1');
      await store.ledger.settle('never', { micros: 7, tokens: 0 });
      await store.ledger.release('never');
      expect(await store.ledger.lines('')).toMatchObject([
        { key: 'user:alice:day', spentMicros: 7, heldMicros: 0, calls: 1, heldCalls: 0 },
      ]);
    }));

  it('counts no call for a release', () =>
    use(async (store) => {
      await store.ledger.reserve(hold('e1'));
      await store.ledger.release('e1');
      expect(await line(store, 'user:alice:day')).toMatchObject({ spentMicros: 0, calls: 0 });
    }));

  it('holds once for a reservation sent twice, and refuses another under its id', () =>
    use(async (store) => {
      await Promise.all(times(2, () => store.ledger.reserve(hold('e1'))));
      expect(await line(store, 'user:alice:day')).toMatchObject({ heldMicros: CENT });
      const other = store.ledger.reserve(hold('e1', { amountMicros: 2 * CENT }));
      await expect(other).rejects.toMatchObject({ code: 'CONFLICT' });
      expect(await line(store, 'user:alice:day')).toMatchObject({ heldMicros: CENT });
    }));

  it('looks without holding', () =>
    use(async (store) => {
      const scopes = hold('e').scopes;
      const look = (amountMicros: number) => store.ledger.covers({ scopes, amountMicros });
      expect(await look(DOLLAR)).toEqual({ ok: true });
      expect(await look(DOLLAR)).toEqual({ ok: true });
      expect(await look(DOLLAR + 1)).toMatchObject({ ok: false, available: DOLLAR });
      expect(await store.ledger.lines('')).toEqual([]);
    }));

  it('has no orphans while the owner lives', () =>
    use(async (store) => {
      await store.ledger.reserve(hold('e1'));
      expect(await store.ledger.orphans()).toEqual([]);
    }));

  it('lists lines by prefix only', () =>
    use(async (store) => {
      const keys = ['user:a', 'user:a:1', 'user:b', 'tool:x', 'user%', 'user:a\u{10ffff}z'];
      for (const key of [...keys, ...AWKWARD_STRINGS]) {
        await store.ledger.reserve(hold(`e-${key}`, { scopes: [{ key, limitMicros: DOLLAR }] }));
      }
      const found = (await store.ledger.lines('user:a')).map(({ key }) => key);
      expect(found.sort()).toEqual(['user:a', 'user:a:1', 'user:a\u{10ffff}z']);
      expect(await store.ledger.lines('zzz')).toEqual([]);
      expect(await store.ledger.lines('')).toHaveLength(keys.length + AWKWARD_STRINGS.length);
    }));
};

const limited = (limits: Partial<BudgetScope>) => [
  { key: 'agent:a', limitMicros: DOLLAR, ...limits },
];

const describeUnits = (use: Use): void => {
  it('admits exactly as many calls as the limit says, however many come at once', () =>
    use(async (store) => {
      const scopes = limited({ limitCalls: 30 });
      const outcomes = await Promise.all(
        times(200, (n) => store.ledger.reserve(hold(`e${n}`, { scopes, amountMicros: 0 }))),
      );
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(30);
      expect(outcomes.at(-1)).toEqual({
        ok: false,
        scope: 'agent:a',
        unit: 'calls',
        available: 0,
      });
      await Promise.all(times(30, (n) => store.ledger.settle(`e${n}`, { micros: 0, tokens: 0 })));
      expect(await line(store, 'agent:a')).toMatchObject({ calls: 30, heldCalls: 0 });
      expect(await store.ledger.reserve(hold('late', { scopes }))).toMatchObject({ ok: false });
    }));

  it('gives a call back that was released', () =>
    use(async (store) => {
      const scopes = limited({ limitCalls: 1 });
      await store.ledger.reserve(hold('e1', { scopes }));
      expect(await store.ledger.covers(hold('e2', { scopes }))).toMatchObject({ unit: 'calls' });
      await store.ledger.release('e1');
      expect(await store.ledger.reserve(hold('e2', { scopes }))).toEqual({ ok: true });
    }));

  it('holds tokens, and settles those that were really used', () =>
    use(async (store) => {
      const scopes = limited({ limitTokens: 1000 });
      expect(await store.ledger.reserve(hold('e1', { scopes, tokens: 800 }))).toEqual({ ok: true });
      expect(await store.ledger.reserve(hold('e2', { scopes, tokens: 201 }))).toEqual({
        ok: false,
        scope: 'agent:a',
        unit: 'tokens',
        available: 200,
      });
      await store.ledger.settle('e1', { micros: 5, tokens: 950 });
      expect(await line(store, 'agent:a')).toMatchObject({ tokens: 950, heldTokens: 0 });
      expect(await store.ledger.reserve(hold('e2', { scopes, tokens: 50 }))).toEqual({ ok: true });
      expect(await store.ledger.reserve(hold('e3', { scopes }))).toMatchObject({ unit: 'tokens' });
    }));

  it('refuses another number of tokens under the same id', () =>
    use(async (store) => {
      await store.ledger.reserve(hold('e1', { tokens: 1 }));
      const other = store.ledger.reserve(hold('e1', { tokens: 2 }));
      await expect(other).rejects.toMatchObject({ code: 'CONFLICT' });
    }));
};

export const describeLedger = (use: Use): void => {
  describe('ledger units', () => describeUnits(use));
  describe('ledger limits', () => describeLimits(use));
  describe('ledger holds that grow', () => describeGrowingHolds(use));
  describe('ledger life of a hold', () => describeLife(use));
};

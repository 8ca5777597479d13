/**
 * Holds a token to its daily dollars. The ledger counts what its user spends; this looks before each
 * call that has a price. Such calls of one token run one after the other, so that no two can both
 * fit into what is left.
 */
import type { CatalogEntry } from '../../../contract/catalog.ts';
import type { CribHost } from '../../../contract/crib-host.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import type { Identity } from './identity.ts';

export interface TokenBudgets {
  /** Runs the call when the budget of the caller covers it; fails with BUDGET_EXCEEDED otherwise. */
  within<T>(identity: Identity, tools: readonly string[], call: () => Promise<T>): Promise<T>;
}

const MICROS = 1_000_000;

const priceOf = (entry: CatalogEntry | undefined): number => {
  const cost = entry?.tool.cost;
  if (!cost || (cost.fixed === undefined && cost.perUnit === undefined)) return 0;
  // What depends on the input is not known yet; a spent budget refuses it all the same.
  return Math.max(1, Math.ceil((cost.fixed ?? 0) * MICROS));
};

const assertCovered = async (
  crib: CribHost,
  { userId, limitMicros, now }: { userId: string; limitMicros: number; now: number },
  amountMicros: number,
): Promise<void> => {
  const { ledger } = await crib.store();
  const key = `user:${new Date(now).toISOString().slice(0, 10)}:${userId}`;
  const outcome = await ledger.covers({ scopes: [{ key, limitMicros }], amountMicros });
  if (outcome.ok) return;
  throw new ToolFailure(
    'BUDGET_EXCEEDED',
    'The daily budget of this token does not cover the call.',
    {
      suggestions: ['Wait for the next day (UTC), or ask for a token with a larger budget.'],
    },
  );
};

export const createTokenBudgets = (crib: CribHost, runtime: Pick<Runtime, 'now'>): TokenBudgets => {
  const queues = new Map<string, Promise<unknown>>();
  const inTurn = async <T>(key: string, call: () => Promise<T>): Promise<T> => {
    const before = queues.get(key) ?? Promise.resolve();
    const mine = before.then(call, call);
    const settled = mine.catch(() => undefined);
    queues.set(key, settled);
    try {
      return await mine;
    } finally {
      if (queues.get(key) === settled) queues.delete(key);
    }
  };
  return {
    within(identity, tools, call) {
      const limit = identity.policy?.dailyUsd;
      if (limit === undefined) return call();
      const price = tools.reduce((sum, name) => sum + priceOf(crib.tools.get(name)), 0);
      if (price === 0) return call();
      const { userId } = identity;
      return inTurn(identity.key, async () => {
        const limitMicros = Math.floor(limit * MICROS);
        await assertCovered(crib, { userId, limitMicros, now: runtime.now() }, price);
        return call();
      });
    },
  };
};

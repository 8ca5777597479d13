/**
 * Reconciles calls that a crash interrupted, of this process or of another: says whether their effect was
 * done, not done or is unknown, closes their intents, and sets their budgets right. Runs nothing again.
 */
import type { AuditEntry } from '../../contract/audit.ts';
import type { Snapshot, Store } from '../../contract/store.ts';
import { callOfFreeHold } from '../budget/holds.ts';
import type { EffectState } from './audit-entry.ts';

export interface ReconcileDeps {
  readonly store: Store;
  now(): number;
  inspect(snapshot: Snapshot): Promise<'done' | 'not_done' | 'unknown'>;
  /** Tells whether a call can have changed nothing but the files that the broker wrote for it. */
  reachesOnlyFiles?(call: Pick<AuditEntry, 'tool' | 'version'>): boolean;
  /** Removes what an interrupted write of a file left beside it. */
  sweep?(path: string): Promise<unknown>;
}

/** Compares the files with the snapshots: all as intended is done, all as before is not, a mixture is unknown. */
const effectOnFiles = async (
  executionId: string,
  { store, inspect, sweep }: ReconcileDeps,
): Promise<EffectState> => {
  const snapshots = await store.snapshots.of(executionId);
  const last = new Map(snapshots.map((snapshot) => [snapshot.path, snapshot]));
  const states = new Set<EffectState>();
  for (const snapshot of last.values()) {
    states.add(await inspect(snapshot));
    await sweep?.(snapshot.path);
  }
  const [state] = states;
  return states.size === 1 && state !== undefined ? state : 'unknown';
};

/** Concludes the calls that were left in doubt, and returns them with their effect. */
export const reconcile = async (
  deps: ReconcileDeps,
): Promise<readonly { readonly executionId: string; readonly effect: EffectState }[]> => {
  const { store } = deps;
  const orphans = await store.ledger.orphans();
  // After the holds: of a process that is gone, the intents are all there by then.
  const open = await store.intents.open();
  const begun = new Set(open.map(({ entry }) => entry.executionId));
  // Money first: a call that began may have cost what it was estimated at, any other cost nothing.
  for (const { executionId, amountMicros, tokens = 0 } of orphans) {
    const isBegun = begun.has(executionId) || begun.has(callOfFreeHold(executionId));
    const most = isBegun ? { micros: amountMicros, tokens } : undefined;
    // A process that was only silent may have woken up since: its hold stays.
    await store.ledger.endOrphan(executionId, most);
  }
  const concluded = [];
  for (const { entry, ownerAlive, isElsewhere = false } of open) {
    if (ownerAlive) continue;
    const { executionId } = entry;
    const effect = isElsewhere ? 'unknown' : await effectOnFiles(executionId, deps);
    const isMine = await store.intents.conclude({
      ...entry,
      kind: 'outcome',
      status: 'unknown',
      at: deps.now(),
      detail: { ...entry.detail, effect, reconciled: true },
    });
    if (isMine) concluded.push({ executionId, effect });
    // Proven by its files: the same call with the same key may be made again.
    const isUndone = effect === 'not_done' && deps.reachesOnlyFiles?.(entry);
    if (isMine && isUndone) await store.replays.settle(executionId, undefined);
  }
  return concluded;
};

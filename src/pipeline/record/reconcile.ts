/**
 * Reconciles calls that a crash interrupted, of this process or of another: says whether their effect was
 * done, not done or is unknown, closes their intents, and sets their budgets right. Runs nothing again.
 */
import type { AuditEntry } from '../../contract/audit.ts';
import type { OpenIntent, Snapshot, Store } from '../../contract/store.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';
import { callOfFreeHold } from '../budget/holds.ts';
import type { EffectState } from './audit-entry.ts';
import { callsWithInner } from './calls-with-inner.ts';

export interface ReconcileDeps {
  readonly store: Store;
  now(): number;
  inspect(snapshot: Snapshot): Promise<'done' | 'not_done' | 'unknown'>;
  /** Tells whether the tool itself can have changed nothing but the files that the broker wrote for it. */
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
  if (states.size !== 1 || state === undefined) return 'unknown';
  // A file that is as before the second write of the call has the first one in it.
  const isRewritten = last.size < snapshots.length;
  return state === 'not_done' && isRewritten ? 'unknown' : state;
};

/**
 * Tells what became of a call in doubt. That it did nothing needs proof, because it may be made again then:
 * a process that is only silent may still write, and what is not a file leaves no trace.
 */
const effectOf = async (
  { entry, ownerEnded, isElsewhere }: OpenIntent,
  hasInner: (executionId: string) => Promise<boolean>,
  deps: ReconcileDeps,
): Promise<EffectState> => {
  if (isElsewhere) return 'unknown';
  const effect = await effectOnFiles(entry.executionId, deps);
  if (effect !== 'not_done') return effect;
  const isOver = ownerEnded === true && deps.reachesOnlyFiles?.(entry) === true;
  return isOver && !(await hasInner(entry.executionId)) ? 'not_done' : 'unknown';
};

/** Ends the holds of processes that are gone. */
const endOrphans = async (
  open: readonly OpenIntent[],
  orphans: Awaited<ReturnType<Store['ledger']['orphans']>>,
  { ledger }: Store,
): Promise<void> => {
  const begun = new Set(open.map(({ entry }) => entry.executionId));
  for (const { executionId, amountMicros, tokens = 0 } of orphans) {
    // A call that began may have cost what it was estimated at, any other cost nothing.
    const isBegun = begun.has(executionId) || begun.has(callOfFreeHold(executionId));
    const most = isBegun ? { micros: amountMicros, tokens } : undefined;
    // A process that was only silent may have woken up since: its hold stays.
    await ledger.endOrphan(executionId, most);
  }
};

/** Concludes the calls that were left in doubt, and returns them with their effect. */
export const reconcile = async (
  deps: ReconcileDeps,
): Promise<readonly { readonly executionId: string; readonly effect: EffectState }[]> => {
  const { store } = deps;
  const orphans = await store.ledger.orphans();
  // After the holds: of a process that is gone, the intents are all there by then.
  const open = await store.intents.open();
  await endOrphans(open, orphans, store);
  const inDoubt = open.filter(({ ownerAlive }) => !ownerAlive);
  const callers = lazyAsync(() =>
    callsWithInner(
      store.audit,
      inDoubt.map(({ entry }) => entry.executionId),
    ),
  );
  const hasInner = async (executionId: string) => (await callers()).has(executionId);
  const concluded = [];
  for (const intent of inDoubt) {
    const { entry } = intent;
    const { executionId } = entry;
    const effect = await effectOf(intent, hasInner, deps);
    const isMine = await store.intents.conclude({
      ...entry,
      kind: 'outcome',
      status: 'unknown',
      at: deps.now(),
      detail: { ...entry.detail, effect, reconciled: true },
    });
    if (isMine) concluded.push({ executionId, effect });
    // Proven to have done nothing: the same call with the same key may be made again.
    if (isMine && effect === 'not_done') await store.replays.settle(executionId, undefined);
  }
  return concluded;
};

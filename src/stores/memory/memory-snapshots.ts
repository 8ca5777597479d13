/** File snapshots in memory. Bytes are copied in and out: the caller's buffer may change. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Snapshot, Snapshots } from '../../contract/store.ts';

const copy = (snapshot: Snapshot): Snapshot => ({
  ...snapshot,
  before: snapshot.before && Uint8Array.from(snapshot.before),
});

export const memorySnapshots = (): Snapshots => {
  const kept = new Map<string, Map<number, Snapshot>>();
  return {
    async save(snapshot) {
      const own = kept.get(snapshot.executionId) ?? new Map<number, Snapshot>();
      if (own.has(snapshot.order)) {
        throw new ToolFailure('CONFLICT', 'This write of the call has its snapshot already.');
      }
      own.set(snapshot.order, copy(snapshot));
      kept.set(snapshot.executionId, own);
    },
    of: async (executionId) =>
      [...(kept.get(executionId)?.values() ?? [])].sort((a, b) => a.order - b.order).map(copy),
    async drop(executionId) {
      kept.delete(executionId);
    },
    async expire(before) {
      let gone = 0;
      for (const [executionId, own] of kept) {
        if ([...own.values()].some(({ keptAt }) => keptAt >= before)) continue;
        kept.delete(executionId);
        gone += own.size;
      }
      return gone;
    },
  };
};

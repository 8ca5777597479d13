/** File snapshots in memory. Bytes are copied in and out: the caller's buffer may change. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Snapshot, Snapshots } from '../../contract/store.ts';

const copy = ({ elsewhere: _elsewhere, ...snapshot }: Snapshot): Snapshot => ({
  ...snapshot,
  before: snapshot.before && Uint8Array.from(snapshot.before),
});

export const memorySnapshots = (): Snapshots => {
  const byCall = new Map<string, Map<number, Snapshot>>();
  return {
    async save(snapshot) {
      const ofCall = byCall.get(snapshot.executionId) ?? new Map<number, Snapshot>();
      if (ofCall.has(snapshot.order)) {
        throw new ToolFailure('CONFLICT', 'This write of the call has its snapshot already.');
      }
      ofCall.set(snapshot.order, copy(snapshot));
      byCall.set(snapshot.executionId, ofCall);
    },
    of: async (executionId) =>
      [...(byCall.get(executionId)?.values() ?? [])].sort((a, b) => a.order - b.order).map(copy),
    async drop(executionId) {
      byCall.delete(executionId);
    },
    async expire(before) {
      let removed = 0;
      for (const [executionId, ofCall] of byCall) {
        if ([...ofCall.values()].some(({ keptAt }) => keptAt >= before)) continue;
        byCall.delete(executionId);
        removed += ofCall.size;
      }
      return removed;
    },
  };
};

/** Approvals in memory: a record is waiting, then decided once, then used once. */
import type { ApprovalRecord } from '../../contract/approver.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Approvals } from '../../contract/store.ts';
import { jsonCopy } from '../plain-json.ts';

export const memoryApprovals = (): Approvals => {
  const records = new Map<string, ApprovalRecord>();
  return {
    async create(record) {
      if (records.has(record.id)) {
        throw new ToolFailure('CONFLICT', 'An approval of this id exists already.');
      }
      records.set(record.id, jsonCopy(record));
    },
    get: async (id) => {
      const record = records.get(id);
      return record && jsonCopy(record);
    },
    list: async (state) =>
      [...records.values()]
        .filter((record) => state === undefined || record.state === state)
        .reverse()
        .sort((a, b) => b.createdAt - a.createdAt)
        .map(jsonCopy),
    async decide(id, { approve, by, at, ...said }) {
      const record = records.get(id);
      if (record?.state !== 'waiting') return false;
      const state = approve ? 'approved' : 'denied';
      records.set(id, { ...record, ...jsonCopy(said), state, decidedBy: by, decidedAt: at });
      return true;
    },
    async use(id, now) {
      const record = records.get(id);
      if (record?.state !== 'approved' || record.expiresAt <= now) return false;
      records.set(id, { ...record, state: 'used' });
      return true;
    },
  };
};

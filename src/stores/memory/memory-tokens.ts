/** Tokens in memory. */
import { ToolFailure } from '../../contract/errors.ts';
import type { TokenRecord, Tokens } from '../../contract/tokens.ts';
import { jsonCopy } from '../plain-json.ts';

export const memoryTokens = (): Tokens => {
  const records = new Map<string, TokenRecord>();
  return {
    async add(record) {
      if (records.has(record.id)) {
        throw new ToolFailure('CONFLICT', 'A token of this id exists already.');
      }
      records.set(record.id, jsonCopy(record));
    },
    get: async (id) => {
      const record = records.get(id);
      return record && jsonCopy(record);
    },
    list: async () => [...records.values()].reverse().map(jsonCopy),
    async revoke(id, at) {
      const record = records.get(id);
      if (!record || record.revokedAt !== undefined) return false;
      records.set(id, { ...record, revokedAt: at });
      return true;
    },
    async touch(id, at) {
      const record = records.get(id);
      if (record) records.set(id, { ...record, lastUsedAt: at });
    },
  };
};

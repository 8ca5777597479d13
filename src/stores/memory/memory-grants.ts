/** Standing grants in memory. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Grant, Grants } from '../../contract/grant.ts';
import { jsonCopy } from '../plain-json.ts';

export const memoryGrants = (): Grants => {
  const grants = new Map<string, Grant>();
  return {
    async add(grant) {
      if (grants.has(grant.id)) {
        throw new ToolFailure('CONFLICT', 'A grant of this id exists already.');
      }
      grants.set(grant.id, jsonCopy(grant));
    },
    revoke: async (id) => grants.delete(id),
    list: async (now) =>
      [...grants.values()]
        .filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now)
        .reverse()
        .map(jsonCopy),
  };
};

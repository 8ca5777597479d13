/** `crib.permissions`: standing grants. */
import type { Permissions } from '../../contract/crib-members.ts';
import type { MemberDeps } from './member-deps.ts';

export const permissionsOf = (deps: MemberDeps): Permissions => {
  const opened = async (): Promise<Permissions> => (await deps.open()).engine.shared.permissions;
  return {
    grant: async (grant) => (await opened()).grant(grant),
    revoke: async (id, by) => (await opened()).revoke(id, by),
    list: async () => (await opened()).list(),
  };
};

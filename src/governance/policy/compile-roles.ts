/**
 * What the roles of all documents add up to. Documents of the user and the program add permissions;
 * a project can only make the isolation of a role stricter.
 */
import type { Isolation } from '../../contract/caller.ts';
import type { PolicyRole } from './document/policy-document.ts';
import { originOf, type PolicySource } from './document/policy-source.ts';
import { ISOLATION_LEVELS, stricter } from './isolation-levels.ts';
import { isHeld, type Roles } from './rights.ts';

interface Role {
  readonly permissions: string[];
  readonly isolation: Isolation;
}

const NOBODY: Role = { permissions: [], isolation: 'none' };

const merged = (role: Role, added: PolicyRole): Role => ({
  permissions: [...role.permissions, ...(added.permissions ?? [])],
  isolation: stricter(role.isolation, added.isolation ?? 'none'),
});

/** What of a project's role cannot be taken over. */
const excessOf = (role: Role, { permissions = [], isolation }: PolicyRole): readonly string[] => {
  const gained = permissions.filter((wanted) => !isHeld(role.permissions, wanted));
  const isLooser =
    isolation !== undefined &&
    ISOLATION_LEVELS[isolation].rank < ISOLATION_LEVELS[role.isolation].rank;
  return [
    ...gained.map((name) => `a project cannot give the permission ${name}; it is ignored`),
    ...(isLooser ? [`a project cannot loosen isolation to ${isolation}; it is ignored`] : []),
  ];
};

/** Expects the documents of projects last. */
export const compileRoles = (
  sources: readonly PolicySource[],
): { readonly roles: Roles; readonly warnings: readonly string[] } => {
  const roles = new Map<string, Role>();
  const warnings: string[] = [];
  for (const source of sources) {
    for (const [name, written] of Object.entries(source.document.roles ?? {})) {
      const role = roles.get(name) ?? NOBODY;
      const place = `${originOf(source, ['roles', name])}: role ${name}`;
      if (source.document.shadow) {
        warnings.push(`${place}: ignored, the file is in shadow mode`);
      } else if (source.kind === 'project') {
        warnings.push(...excessOf(role, written).map((what) => `${place}: ${what}`));
        roles.set(name, merged(role, { ...written, permissions: [] }));
      } else {
        roles.set(name, merged(role, written));
      }
    }
  }
  return { roles, warnings };
};

/**
 * The permissions and isolation that a caller has by itself and by its roles, and what a tool
 * requires of them.
 */
import type { Caller } from '../../contract/caller.ts';
import type { Rights } from '../../contract/policy.ts';
import type { Tool } from '../../contract/tool.ts';
import { knownIsolation, stricter } from './builtin-rules.ts';
import type { PolicyRole } from './document/policy-document.ts';

/** The roles that a policy defines. */
export type Roles = ReadonlyMap<string, PolicyRole>;

/** Adds the roles to a caller, or returns it as it is, so that most calls allocate nothing. */
export const rightsOf = (roles: Roles, caller: Caller): Rights => {
  const own = knownIsolation(caller.isolation);
  let rights: Rights = own === caller.isolation ? caller : { ...caller, isolation: own };
  if (roles.size === 0) return rights;
  for (const name of caller.roles) {
    const role = roles.get(name);
    if (!role) continue;
    const { permissions = [], isolation = 'none' } = role;
    rights = {
      permissions: [...rights.permissions, ...permissions],
      isolation: stricter(rights.isolation, isolation),
    };
  }
  return rights;
};

/** Tells whether a permission is held: `*` is everything, `tool:*` whatever begins with `tool:`. */
export const isHeld = (permissions: readonly string[], required: string): boolean =>
  permissions.some(
    (held) =>
      held === '*' ||
      held === required ||
      (held.endsWith(':*') && required.startsWith(held.slice(0, -1))),
  );

const NONE: readonly string[] = Object.freeze([]);

/**
 * Tells whether a caller with a list of tools may call this one. The tool's own name counts, so
 * that neither an alias nor a shared permission opens another tool.
 */
export const isListed = ({ tools }: Pick<Caller, 'tools'>, name: string): boolean =>
  tools === undefined || tools.includes(name);

/** Tells whether a caller holds everything, as most do. */
const holdsAll = ({ permissions }: Rights): boolean => permissions.includes('*');

/**
 * Lists the permissions that the tool requires and the caller does not hold. A tool that names none
 * requires `tool:<name>`, or a caller with a list would hold every such tool as well.
 */
export const missingPermissions = (tool: Tool, rights: Rights): readonly string[] => {
  if (holdsAll(rights)) return NONE;
  const required = tool.permissions ?? [`tool:${tool.name}`];
  return required.filter((permission) => !isHeld(rights.permissions, permission));
};

/** What a caller holds by itself and by its roles, and what of it a tool asks for. */
import type { Caller } from '../../contract/caller.ts';
import type { Rights } from '../../contract/policy.ts';
import type { Tool } from '../../contract/tool.ts';
import type { PolicyRole } from './document/policy-document.ts';
import { knownIsolation, stricter } from './isolation-levels.ts';

/** The roles that a policy defines. */
export type Roles = ReadonlyMap<string, PolicyRole>;

/** The caller itself where nothing is added, so that most calls allocate nothing here. */
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

/** `*` is everything; `tool:*` whatever begins with `tool:`. */
export const isHeld = (permissions: readonly string[], wanted: string): boolean =>
  permissions.some(
    (held) =>
      held === '*' ||
      held === wanted ||
      (held.endsWith(':*') && wanted.startsWith(held.slice(0, -1))),
  );

const NONE: readonly string[] = Object.freeze([]);

/**
 * Says whether a caller that was given a list of tools may call this one. By the tool's own name, so
 * that neither an alias nor a permission that two tools share opens another one.
 */
export const isListed = ({ tools }: Pick<Caller, 'tools'>, { name }: Pick<Tool, 'name'>): boolean =>
  tools === undefined || tools.includes(name);

/** Most callers do: naming permissions is what narrows one. */
const holdsAll = ({ permissions }: Rights): boolean => permissions.includes('*');

/**
 * The permissions that the tool names and the caller does not hold. A tool that names none needs the
 * one of its name, or a caller who was given a list would hold everything beside it.
 */
export const missingPermissions = (tool: Tool, rights: Rights): readonly string[] => {
  if (holdsAll(rights)) return NONE;
  const wanted = tool.permissions ?? [`tool:${tool.name}`];
  return wanted.filter((permission) => !isHeld(rights.permissions, permission));
};

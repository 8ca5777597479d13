/** `crib.permissions`: grants, which hold until they are revoked or expire. */
import type { Catalog } from '../../contract/catalog.ts';
import type { Permissions } from '../../contract/crib-members.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { MemberDeps } from './member-deps.ts';

/** Throws for the bare name of a tool: no rule asks for such a permission. */
const assertPermission = (resource: string, tools: Pick<Catalog, 'get' | 'list'>): void => {
  const tool = tools.get(resource)?.tool;
  if (!tool || resource.includes(':')) return;
  const isRequired = tools.list().some((entry) => entry.tool.permissions?.includes(resource));
  if (isRequired) return;
  throw new ToolFailure('VALIDATION_ERROR', `resource: ${resource} is a tool, not a permission.`, {
    suggestions: [`Write tool:${tool.name} to grant the tool.`],
  });
};

export const permissionsOf = (
  deps: MemberDeps,
  tools: Pick<Catalog, 'get' | 'list'>,
): Permissions => {
  const opened = async (): Promise<Permissions> => (await deps.open()).engine.shared.permissions;
  return {
    grant: async (grant) => {
      assertPermission(grant.resource, tools);
      return (await opened()).grant(grant);
    },
    revoke: async (id, by) => (await opened()).revoke(id, by),
    list: async () => (await opened()).list(),
  };
};

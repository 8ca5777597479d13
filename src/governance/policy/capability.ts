/** What a call does by what its tool declares: the capability in use, its tier, how delicate it is. */
import { type Capability, TIERS, type Tier, type Tool } from '../../contract/tool.ts';

/**
 * The capability in use, or `undefined` when it cannot be told: the call is then judged by the
 * tool's own tier and by the most dangerous thing it can do.
 */
export const capabilityInUse = (tool: Tool, input: unknown): Capability | undefined => {
  const { capabilities, actionField } = tool;
  if (actionField === undefined) return capabilities.length === 1 ? capabilities[0] : undefined;
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, actionField)) {
    return undefined;
  }
  const action = (input as Record<string, unknown>)[actionField];
  return capabilities.find((capability) => capability.action === action);
};

/** Without a capability to go by, the highest tier of all that the tool can do. */
export const tierInUse = (tool: Tool, capability: Capability | undefined): Tier => {
  if (capability) return capability.tier ?? tool.tier;
  let highest = tool.tier;
  for (const { tier } of tool.capabilities) {
    if (tier !== undefined && TIERS.indexOf(tier) > TIERS.indexOf(highest)) highest = tier;
  }
  return highest;
};

/** Does the call need a person's word by what the tool declares? */
export const isDelicate = (tool: Tool, capability: Capability | undefined): boolean => {
  if (capability)
    return capability.destructive === true || capability.requiresConfirmation === true;
  return tool.capabilities.some((each) => each.destructive || each.requiresConfirmation);
};

/** Can the call carry data out? As the user says; else by its tier, its own word or its hosts. */
export const isSink = (tool: Tool, tier: Tier): boolean => {
  if (tool.assigned) return tool.assigned.sink;
  if (tier === 'external_api' || tool.sink === true) return true;
  return tool.needs?.hosts !== undefined && tool.needs.hosts.length > 0;
};

/**
 * Reads from the declaration of a tool what a call does: its capability, its tier, whether it needs
 * confirmation.
 */
import { type Capability, TIERS, type Tier, type Tool } from '../../contract/tool.ts';

/**
 * Finds the capability in use. Without one (`undefined`), the call is judged by the tool's own tier
 * and by the most dangerous thing it can do.
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

/** Returns the tier of a call; without a capability, the highest tier of the tool. */
export const tierInUse = (tool: Tool, capability: Capability | undefined): Tier => {
  if (capability) return capability.tier ?? tool.tier;
  let highest = tool.tier;
  for (const { tier } of tool.capabilities) {
    if (tier !== undefined && TIERS.indexOf(tier) > TIERS.indexOf(highest)) highest = tier;
  }
  return highest;
};

/** Tells whether the tool declares the call destructive or in need of confirmation. */
export const isDelicate = (tool: Tool, capability: Capability | undefined): boolean => {
  if (capability)
    return capability.destructive === true || capability.requiresConfirmation === true;
  return tool.capabilities.some((each) => each.destructive || each.requiresConfirmation);
};

/** Tells whether a call can carry data out: by the user's setting, its tier or its needs. */
export const isSink = (tool: Tool, tier: Tier): boolean => {
  if (tool.assigned) return tool.assigned.sink;
  if (tier === 'external_api' || tool.sink === true) return true;
  return tool.needs?.hosts !== undefined && tool.needs.hosts.length > 0;
};

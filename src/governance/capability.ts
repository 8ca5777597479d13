/** Which of a tool's capabilities a call uses, and the tier it is judged by. */
import type { Capability, Tier, Tool } from '../contract/tool.ts';

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

export const tierInUse = (tool: Tool, capability: Capability | undefined): Tier =>
  capability?.tier ?? tool.tier;

/** Does the call need a person's word by what the tool declares? */
export const isDelicate = (tool: Tool, capability: Capability | undefined): boolean => {
  if (capability)
    return capability.destructive === true || capability.requiresConfirmation === true;
  return tool.capabilities.some((each) => each.destructive || each.requiresConfirmation);
};

/** Says why a tool cannot run because of the tools that it depends on. */
import type { Tool } from '../contract/tool.ts';
import { resolveDependencies } from './dependencies.ts';
import type { ToolFamilies } from './tool-families.ts';

/**
 * Gives the first thing wrong, in words, or nothing: a tool that is missing, has another version or
 * cannot be called, or a circle. Tools that are needed by those it needs count as well.
 */
export const unmetDependency = (tool: Tool, families: ToolFamilies): string | undefined => {
  const find = (name: string): Tool | undefined =>
    name === tool.name ? tool : families.find(name)?.active.tool;
  const { order, missing, cycles } = resolveDependencies([tool], find);
  const [lacking] = missing;
  if (lacking) return `${lacking.tool} needs ${lacking.needs}, which is not there`;
  const [cycle] = cycles;
  if (cycle) return `tools need each other in a circle: ${[...cycle, cycle[0]].join(', ')}`;
  const off = order.find((name) => name !== tool.name && !isOn(name, families));
  return off === undefined ? undefined : `it needs ${off}, which cannot be called`;
};

const isOn = (name: string, families: ToolFamilies): boolean => {
  const family = families.named(name);
  return family !== undefined && families.entry(family).enabled;
};

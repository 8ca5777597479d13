/** Says why a tool cannot run because of the tools that it depends on. */
import type { Tool } from '../contract/tool.ts';
import { resolveDependencies } from './dependencies.ts';
import type { Shelf } from './shelf.ts';

/**
 * Gives the first thing wrong, in words, or nothing: a tool that is missing, has another version or
 * cannot be called, or a circle. Tools that are needed by those it needs count as well.
 */
export const unmetDependency = (tool: Tool, shelf: Shelf): string | undefined => {
  const find = (name: string): Tool | undefined =>
    name === tool.name ? tool : shelf.find(name)?.active.tool;
  const { order, missing, cycles } = resolveDependencies([tool], find);
  const [lacking] = missing;
  if (lacking) return `${lacking.tool} needs ${lacking.needs}, which is not there`;
  const [cycle] = cycles;
  if (cycle) return `tools need each other in a circle: ${[...cycle, cycle[0]].join(', ')}`;
  const off = order.find((name) => name !== tool.name && !isOn(name, shelf));
  return off === undefined ? undefined : `it needs ${off}, which cannot be called`;
};

const isOn = (name: string, shelf: Shelf): boolean => {
  const family = shelf.named(name);
  return family !== undefined && shelf.entry(family).enabled;
};

/** The graph of which tool needs which: what is missing, what goes round in a circle, and a safe order. */
import type { DependencyReport } from '../contract/catalog.ts';
import type { Dependency, Tool } from '../contract/tool.ts';
import { dependencyGroups } from './dependency-groups.ts';
import { isRange, satisfier } from './versions.ts';

/** The active version of a tool, by name or alias. */
export type Lookup = (name: string) => Tool | undefined;

export const resolveDependencies = (roots: readonly Tool[], find: Lookup): DependencyReport => {
  const missing: { tool: string; needs: string }[] = [];
  const cycles: (readonly string[])[] = [];
  const order: string[] = [];

  const needsOf = (tool: Tool): readonly Tool[] =>
    (tool.dependencies ?? []).flatMap((dependency) => {
      const found = find(dependency.tool);
      const needs = unmet(dependency, found);
      if (needs !== undefined) missing.push({ tool: tool.name, needs });
      return found ? [found] : [];
    });

  for (const group of dependencyGroups(roots, needsOf)) {
    order.push(...group.names);
    if (group.isCycle) cycles.push(group.names);
  }
  return { order, missing, cycles, ok: missing.length === 0 && cycles.length === 0 };
};

/** What a dependency still needs, in words; nothing when it is met. `context.call` reaches the active version only. */
const unmet = ({ tool, range }: Dependency, found: Tool | undefined): string | undefined => {
  const wanted = range === undefined ? tool : `${tool}@${range}`;
  if (found === undefined) return wanted;
  if (range === undefined) return undefined;
  if (!isRange(range)) return `${wanted} (not a version range)`;
  return satisfier(range)(found.version) ? undefined : `${wanted} (active is ${found.version})`;
};

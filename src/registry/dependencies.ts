/** Resolves the dependencies between tools: what is missing, which form a cycle, and an order that works. */
import type { DependencyReport } from '../contract/catalog.ts';
import type { Dependency, Tool } from '../contract/tool.ts';
import type { ToolFamilies } from './tool-families.ts';
import { isRange, satisfier } from './versions.ts';

/** The active version of a tool, by name or alias. */
export type Lookup = (name: string) => Tool | undefined;

export const resolveDependencies = (roots: readonly Tool[], find: Lookup): DependencyReport => {
  const missing: { tool: string; needs: string }[] = [];
  const cycles: (readonly string[])[] = [];
  const order: string[] = [];

  const needsOf = (tool: Tool): readonly Tool[] =>
    (tool.dependencies ?? []).flatMap((dependency) => {
      const target = find(dependency.tool);
      const needs = unmet(dependency, target);
      if (needs !== undefined) missing.push({ tool: tool.name, needs });
      return target ? [target] : [];
    });

  for (const group of dependencyGroups(roots, needsOf)) {
    order.push(...group.names);
    if (group.isCycle) cycles.push(group.names);
  }
  return { order, missing, cycles, ok: missing.length === 0 && cycles.length === 0 };
};

/**
 * Says what a dependency lacks, or nothing when it is met. Only the active version counts: `context.call` runs
 * no other.
 */
const unmet = ({ tool, range }: Dependency, target: Tool | undefined): string | undefined => {
  const requirement = range === undefined ? tool : `${tool}@${range}`;
  if (target === undefined) return requirement;
  // The very version, as composed tools name it: no range has to be parsed for each call.
  if (range === undefined || range === target.version) return undefined;
  if (!isRange(range)) return `${requirement} (not a version range)`;
  return satisfier(range)(target.version)
    ? undefined
    : `${requirement} (active is ${target.version})`;
};

interface DependencyGroup {
  readonly names: readonly string[];
  readonly isCycle: boolean;
}

type NeedsOf = (tool: Tool) => readonly Tool[];

/**
 * Groups tools by Tarjan's strongly connected components, dependencies first; a group of several tools
 * is a cycle. Works without recursion: a long chain of tools must not overflow the stack.
 */
const dependencyGroups = (roots: readonly Tool[], needsOf: NeedsOf): readonly DependencyGroup[] => {
  const walk = new Walk(needsOf);
  for (const root of roots) walk.from(root);
  return walk.groups;
};

interface Visit {
  readonly tool: Tool;
  readonly needs: readonly Tool[];
  /** Index of the dependency to visit next. */
  next: number;
  readonly index: number;
  /** The earliest open visit that can be reached from here. */
  low: number;
  isOpen: boolean;
}

class Walk {
  readonly groups: DependencyGroup[] = [];
  readonly #needsOf: NeedsOf;
  readonly #visits = new Map<string, Visit>();
  readonly #open: Visit[] = [];

  constructor(needsOf: NeedsOf) {
    this.#needsOf = needsOf;
  }

  from(root: Tool): void {
    if (this.#visits.has(root.name)) return;
    const trail = [this.#enter(root)];
    for (let visit = trail.at(-1); visit; visit = trail.at(-1)) {
      const inner = this.#advance(visit);
      if (inner) {
        trail.push(inner);
        continue;
      }
      trail.pop();
      this.#leave(visit);
      const outer = trail.at(-1);
      if (outer) outer.low = Math.min(outer.low, visit.low);
    }
  }

  #enter(tool: Tool): Visit {
    const index = this.#visits.size;
    const needs = this.#needsOf(tool);
    const visit: Visit = { tool, needs, next: 0, index, low: index, isOpen: true };
    this.#visits.set(tool.name, visit);
    this.#open.push(visit);
    return visit;
  }

  /** Enters the next dependency that was not visited yet; returns nothing when there is none. */
  #advance(visit: Visit): Visit | undefined {
    for (let need = visit.needs[visit.next]; need; need = visit.needs[visit.next]) {
      visit.next += 1;
      const earlier = this.#visits.get(need.name);
      if (earlier === undefined) return this.#enter(need);
      if (earlier.isOpen) visit.low = Math.min(visit.low, earlier.index);
    }
    return undefined;
  }

  #leave(visit: Visit): void {
    if (visit.low !== visit.index) return;
    const members = this.#open.splice(this.#open.lastIndexOf(visit));
    for (const member of members) member.isOpen = false;
    const needsItself = visit.needs.some(({ name }) => name === visit.tool.name);
    const names = members.map(({ tool }) => tool.name);
    this.groups.push({ names, isCycle: members.length > 1 || needsItself });
  }
}

/**
 * Says why a tool cannot run because of its dependencies, direct or indirect: one is missing, has
 * another version or cannot be called, or they form a cycle. Returns nothing when it can run.
 */
export const unmetDependency = (tool: Tool, families: ToolFamilies): string | undefined => {
  const find = (name: string): Tool | undefined =>
    name === tool.name ? tool : families.find(name)?.active.tool;
  const { order, missing, cycles } = resolveDependencies([tool], find);
  const [lacking] = missing;
  if (lacking) return `${lacking.tool} needs ${lacking.needs}, which is not there`;
  const [cycle] = cycles;
  if (cycle) return `tools need each other in a circle: ${[...cycle, cycle[0]].join(', ')}`;
  const unusable = order.find((name) => name !== tool.name && !isOn(name, families));
  return unusable === undefined ? undefined : `it needs ${unusable}, which cannot be called`;
};

const isOn = (name: string, families: ToolFamilies): boolean => {
  const family = families.named(name);
  return family !== undefined && families.entry(family).enabled;
};

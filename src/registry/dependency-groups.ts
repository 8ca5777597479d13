/**
 * Tarjan's strongly connected components over tools, without recursion: a long chain of tools must not
 * overflow the stack. Groups come out dependencies first; one of several tools is a circle.
 */
import type { Tool } from '../contract/tool.ts';

export interface DependencyGroup {
  readonly names: readonly string[];
  readonly isCycle: boolean;
}

export type NeedsOf = (tool: Tool) => readonly Tool[];

export const dependencyGroups = (
  roots: readonly Tool[],
  needsOf: NeedsOf,
): readonly DependencyGroup[] => {
  const walk = new Walk(needsOf);
  for (const root of roots) walk.from(root);
  return walk.groups;
};

interface Visit {
  readonly tool: Tool;
  readonly needs: readonly Tool[];
  /** The dependency to look at next. */
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

  /** One step into a dependency that is new; nothing when all have been looked at. */
  #advance(visit: Visit): Visit | undefined {
    for (let need = visit.needs[visit.next]; need; need = visit.needs[visit.next]) {
      visit.next += 1;
      const known = this.#visits.get(need.name);
      if (known === undefined) return this.#enter(need);
      if (known.isOpen) visit.low = Math.min(visit.low, known.index);
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

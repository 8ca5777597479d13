/** Estimates how long the groups of a flow take, and which steps decide it. */
import type { StepGroup, StepNode } from '../step-tree.ts';

/** How long a step takes once, and how often it runs. */
export interface Item {
  readonly ms: number;
  readonly count: number;
}

export interface TimePlan {
  /** The ids that take longest one after the other. */
  readonly path: readonly string[];
  readonly ms: number;
}

const ITEMS_AT_ONCE = 8;

const timeOf = (
  node: StepNode,
  items: ReadonlyMap<StepNode, Item>,
  maxConcurrency: number,
): number => {
  const { ms, count } = items.get(node) ?? { ms: 0, count: 1 };
  const once = node.inner ? timePlan(node.inner, items, maxConcurrency).ms : ms;
  if (!node.step.forEach) return once;
  const atOnce = Math.min(node.step.forEach.maxConcurrency ?? ITEMS_AT_ONCE, maxConcurrency);
  return once * Math.ceil(count / atOnce);
};

/** The longest way through a group. In a conditional group only one step runs, at most the longest. */
export const timePlan = (
  group: StepGroup,
  items: ReadonlyMap<StepNode, Item>,
  maxConcurrency = 16,
): TimePlan => {
  const ends = new Map<StepNode, number>();
  const came = new Map<StepNode, StepNode>();
  let last: StepNode | undefined;
  for (const node of group.order) {
    let start = 0;
    for (const each of node.before) {
      const end = ends.get(each) ?? 0;
      if (end < start || (came.has(node) && end === start)) continue;
      start = end;
      came.set(node, each);
    }
    const end = start + timeOf(node, items, maxConcurrency);
    ends.set(node, end);
    const isLonger = last === undefined || end > (ends.get(last) ?? 0);
    const isDeeper = last !== undefined && end === ends.get(last) && node.level > last.level;
    if (isLonger || isDeeper) last = node;
  }
  const path: string[] = [];
  for (let node = last; node; node = came.get(node)) path.unshift(node.step.id);
  return { path, ms: last ? (ends.get(last) ?? 0) : 0 };
};

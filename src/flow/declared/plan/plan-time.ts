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
/** More than so many at once are as good as no limit. */
const MAX_SLOTS = 200;
/** The steps that count as running; questions, sleeps and waits do not, and groups by what is in them. */
const CALLING: ReadonlySet<string> = new Set(['call', 'flow']);

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

/** Counts the calls that a step makes at once. */
const widthOf = ({ step }: StepNode, count: number, maxConcurrency: number): number =>
  step.forEach ? Math.min(step.forEach.maxConcurrency ?? ITEMS_AT_ONCE, count, maxConcurrency) : 1;

/** When each of the calls that may run at once is over, and which step it belongs to. */
class Slots {
  readonly #ends: { at: number; node: StepNode | undefined }[];

  constructor(size: number) {
    this.#ends = Array.from({ length: size }, () => ({ at: 0, node: undefined }));
  }

  /** Takes those that are free first. Returns the step that has to end before; nothing when none has to. */
  take(width: number): {
    readonly after: StepNode | undefined;
    until(at: number, node: StepNode): void;
  } {
    const free = width === 1 ? [this.#first()] : this.#ends.toSorted((a, b) => a.at - b.at);
    const taken = free.slice(0, width);
    return {
      after: taken.at(-1)?.node,
      until: (at, node) => {
        for (const slot of taken) Object.assign(slot, { at, node });
      },
    };
  }

  #first(): { at: number; node: StepNode | undefined } {
    return this.#ends.reduce((one, other) => (other.at < one.at ? other : one));
  }
}

/** Finds the longest way through a group. In a conditional group only one step runs, at most the longest. */
export const timePlan = (
  group: StepGroup,
  items: ReadonlyMap<StepNode, Item>,
  maxConcurrency = 16,
): TimePlan => {
  const ends = new Map<StepNode, number>();
  const came = new Map<StepNode, StepNode>();
  let last: StepNode | undefined;
  const slots = new Slots(Math.min(maxConcurrency, MAX_SLOTS));
  for (const node of group.order) {
    let start = 0;
    const slot = CALLING.has(node.type)
      ? slots.take(widthOf(node, items.get(node)?.count ?? 1, maxConcurrency))
      : undefined;
    for (const each of [...node.before, ...(slot?.after ? [slot.after] : [])]) {
      const end = ends.get(each) ?? 0;
      if (end < start || (came.has(node) && end === start)) continue;
      start = end;
      came.set(node, each);
    }
    const end = start + timeOf(node, items, maxConcurrency);
    ends.set(node, end);
    slot?.until(end, node);
    const isLonger = last === undefined || end > (ends.get(last) ?? 0);
    const isDeeper = last !== undefined && end === ends.get(last) && node.level > last.level;
    if (isLonger || isDeeper) last = node;
  }
  const path: string[] = [];
  for (let node = last; node; node = came.get(node)) path.unshift(node.step.id);
  return { path, ms: last ? (ends.get(last) ?? 0) : 0 };
};

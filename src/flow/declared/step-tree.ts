/**
 * The steps of a flow as groups of nodes with their predecessors. Finds loops and unknown names, so that
 * whoever walks the tree can rely on its order.
 */
import type {
  FlowData,
  FlowDataStep,
  FlowFault,
  FlowKind,
  FlowLastResort,
  FlowStepType,
} from '../../contract/flow-data.ts';
import { didYouMean } from '../../kit/text/did-you-mean.ts';
import { actionsOf, MAX_FLOW_FAULTS, type StepAction } from './flow-schema.ts';

/** Says what happens in the end when a step has failed, its fallback included. */
export const lastResortOf = ({ onError = 'fail' }: FlowDataStep): FlowLastResort =>
  typeof onError === 'string' ? onError : (onError.otherwise ?? 'fail');

export type FlowPath = readonly (string | number)[];

export interface StepNode {
  readonly step: FlowDataStep;
  readonly type: FlowStepType;
  readonly path: FlowPath;
  readonly group: StepGroup;
  /** The steps of a group. */
  readonly inner: StepGroup | undefined;
  readonly before: readonly StepNode[];
  readonly after: readonly StepNode[];
  /** Its position in the group's list. */
  readonly index: number;
  readonly level: number;
}

export interface StepGroup {
  readonly kind: FlowKind;
  readonly nodes: readonly StepNode[];
  /** Each node after its predecessors; without those on a loop or behind one. */
  readonly order: readonly StepNode[];
  /** The nodes that nobody comes after. */
  readonly exits: readonly StepNode[];
  /** The node whose steps these are; absent for the flow itself. */
  readonly owner: StepNode | undefined;
}

export interface StepTree {
  readonly root: StepGroup;
  readonly nodes: readonly StepNode[];
  readonly byId: ReadonlyMap<string, StepNode>;
  readonly faults: readonly Omit<FlowFault, 'line' | 'column'>[];
}

const TYPES: Readonly<Record<StepAction, FlowStepType>> = {
  call: 'call',
  flow: 'flow',
  approve: 'approve',
  sleepMs: 'sleep',
  waitFor: 'wait',
  steps: 'group',
};

export const stepType = (step: FlowDataStep): FlowStepType => TYPES[actionsOf(step)[0] ?? 'call'];

type MutableNode = {
  -readonly [K in keyof StepNode]: StepNode[K] extends readonly StepNode[]
    ? MutableNode[]
    : StepNode[K];
};

class TreeBuilder {
  readonly byId = new Map<string, MutableNode>();
  readonly nodes: MutableNode[] = [];
  readonly faults: Omit<FlowFault, 'line' | 'column'>[] = [];

  fault(path: FlowPath, message: string): void {
    this.faults.push({ path, message, severity: 'error' });
  }

  group(
    steps: readonly FlowDataStep[],
    path: FlowPath,
    { kind, owner }: Pick<StepGroup, 'kind' | 'owner'>,
  ): StepGroup {
    const nodes: MutableNode[] = [];
    const group = { kind, owner, nodes, order: [] as MutableNode[], exits: [] as MutableNode[] };
    for (const [index, step] of steps.entries()) {
      nodes.push(this.#node(step, [...path, index], { group, index }));
    }
    this.#connect(group, nodes);
    group.order.push(...this.#sorted(nodes));
    group.exits.push(...nodes.filter(({ after }) => after.length === 0));
    return group;
  }

  #node(
    step: FlowDataStep,
    path: FlowPath,
    { group, index }: Pick<StepNode, 'group' | 'index'>,
  ): MutableNode {
    const node: MutableNode = {
      step,
      type: stepType(step),
      path,
      group,
      index,
      level: 0,
      inner: undefined,
      before: [],
      after: [],
    };
    const namesake = this.byId.get(step.id);
    if (namesake) this.fault([...path, 'id'], `two steps have the id ${step.id}`);
    else this.byId.set(step.id, node);
    this.nodes.push(node);
    if (step.steps) {
      const { kind = 'sequential' } = step;
      node.inner = this.group(step.steps, [...path, 'steps'], { kind, owner: node });
    }
    return node;
  }

  #connect({ kind }: StepGroup, nodes: readonly MutableNode[]): void {
    if (kind === 'dag') this.#connectNamed(nodes);
    if (kind !== 'sequential' && kind !== 'pipeline') return;
    for (const [index, node] of nodes.entries()) {
      const previous = nodes[index - 1];
      if (previous) link(previous, node);
    }
  }

  #connectNamed(nodes: readonly MutableNode[]): void {
    const siblings = new Map(nodes.map((node) => [node.step.id, node]));
    for (const node of nodes) {
      const seen = new Set<string>();
      for (const [at, name] of (node.step.after ?? []).entries()) {
        const place = [...node.path, 'after', at];
        const other = siblings.get(name);
        if (!other) this.fault(place, unknownStep(name, this.#meant(siblings), this.byId));
        else if (seen.has(name)) this.fault(place, `${name} is named twice`);
        else link(other, node);
        seen.add(name);
      }
    }
  }

  /** The names that may have been meant; none once there are more faults than anybody is told. */
  #meant(siblings: ReadonlyMap<string, unknown>): Iterable<string> {
    return this.faults.length < MAX_FLOW_FAULTS ? siblings.keys() : [];
  }

  /** Sorts by predecessors and sets the levels; names each loop that keeps nodes out. */
  #sorted(nodes: readonly MutableNode[]): readonly MutableNode[] {
    const waitsFor = new Map(nodes.map((node) => [node, node.before.length]));
    const order = nodes.filter(({ before }) => before.length === 0);
    for (const node of order) {
      for (const next of node.after) {
        next.level = Math.max(next.level, node.level + 1);
        const left = (waitsFor.get(next) ?? 0) - 1;
        waitsFor.set(next, left);
        if (left === 0) order.push(next);
      }
    }
    if (order.length < nodes.length) this.#nameLoop(nodes, new Set(order));
    return order;
  }

  #nameLoop(nodes: readonly MutableNode[], sorted: ReadonlySet<MutableNode>): void {
    const stuck = nodes.filter((node) => !sorted.has(node));
    const loop = loopAmong(stuck, sorted);
    const names = loop.map(({ step }) => step.id);
    const [first] = loop;
    if (!first) return;
    this.fault(
      [...first.path, 'after'],
      `these steps wait for each other: ${[...names, names[0]].join(' → ')}`,
    );
    const behind = stuck.filter((node) => !loop.includes(node));
    for (const { step, path } of behind) {
      this.fault(path, `${step.id} cannot be reached: it comes after the loop of ${names[0]}`);
    }
  }
}

const link = (from: MutableNode, to: MutableNode): void => {
  from.after.push(to);
  to.before.push(from);
};

const unknownStep = (
  name: string,
  siblings: Iterable<string>,
  all: ReadonlyMap<string, unknown>,
): string =>
  all.has(name)
    ? `${name} is in another group; a step can come after steps of its own group`
    : `there is no step ${name}${didYouMean(name, siblings)}`;

/** Walks backwards among the nodes that are stuck until one comes twice: that is on a loop. */
const loopAmong = (
  stuck: readonly MutableNode[],
  sorted: ReadonlySet<MutableNode>,
): readonly MutableNode[] => {
  const trail: MutableNode[] = [];
  const places = new Map<MutableNode, number>();
  let node: MutableNode | undefined = stuck[0];
  while (node && !places.has(node)) {
    places.set(node, trail.length);
    trail.push(node);
    node = node.before.find((each) => !sorted.has(each));
  }
  if (!node) return [];
  const loop = trail.slice(places.get(node)).reverse();
  const first = loop.reduce((one, other) => (other.index < one.index ? other : one));
  const at = loop.indexOf(first);
  return [...loop.slice(at), ...loop.slice(0, at)];
};

export const buildTree = ({ kind = 'sequential', steps }: FlowData): StepTree => {
  const builder = new TreeBuilder();
  const root = builder.group(steps, ['steps'], { kind, owner: undefined });
  const { nodes, byId, faults } = builder;
  return { root, nodes, byId, faults };
};

/** The nodes that are over before a node begins, of its own group and of those around it. */
export class Ancestors {
  readonly #bits = new Map<StepNode, Uint32Array>();

  /** Tells whether `earlier` is always over before `node` begins. */
  includes(node: StepNode, earlier: StepNode): boolean {
    let inner: StepNode | undefined = node;
    while (inner && inner.group !== earlier.group) inner = inner.group.owner;
    return inner !== undefined && inner !== earlier && this.#has(inner, earlier);
  }

  #has(node: StepNode, earlier: StepNode): boolean {
    if (!this.#bits.has(node)) this.#fill(node.group);
    const word = this.#bits.get(node)?.[earlier.index >>> 5] ?? 0;
    return (word & (1 << (earlier.index & 31))) !== 0;
  }

  #fill({ nodes, order }: StepGroup): void {
    const words = (nodes.length + 31) >>> 5;
    for (const node of nodes) this.#bits.set(node, new Uint32Array(words));
    for (const node of order) {
      const bits = this.#bits.get(node) as Uint32Array;
      for (const each of node.before) {
        const other = this.#bits.get(each) as Uint32Array;
        for (let at = 0; at < words; at += 1) bits[at] = (bits[at] ?? 0) | (other[at] ?? 0);
        bits[each.index >>> 5] = (bits[each.index >>> 5] ?? 0) | (1 << (each.index & 31));
      }
    }
  }
}

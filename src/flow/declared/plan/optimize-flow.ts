/**
 * Finds calls of a flow that can be left out or made earlier without another result. A step that may
 * change something is a wall: nothing moves across it, in either direction.
 */
import type { Catalog } from '../../../contract/catalog.ts';
import type {
  FlowChange,
  FlowData,
  FlowDataStep,
  FlowKind,
  FlowOptimization,
} from '../../../contract/flow-data.ts';
import { canonicalJson } from '../../../kit/data/canonical-json.ts';
import { onlyReads } from '../../../registry/only-reads.ts';
import { compileProgram } from '../flow-program.ts';
import { buildTree, lastResortOf, type StepGroup, type StepNode } from '../step-tree.ts';
import { renameSteps } from './rename-steps.ts';

type Tools = Pick<Catalog, 'get'>;

interface Group {
  readonly kind: FlowKind;
  readonly steps: readonly FlowDataStep[];
}

/** The steps whose results each step uses, by its id; those of inner groups count for the group. */
type Uses = ReadonlyMap<string, ReadonlySet<string>>;

const usesOf = (flow: FlowData): Uses => {
  const uses = new Map<string, Set<string>>();
  for (const { node, reference } of compileProgram(flow).uses) {
    for (let each = node; each && reference.step !== undefined; each = each.group.owner) {
      const own = uses.get(each.step.id) ?? new Set();
      uses.set(each.step.id, own.add(reference.step));
    }
  }
  return uses;
};

/** Tells whether a step is a call that only reads, as do its alternatives. */
const isRead = (step: FlowDataStep, tools: Tools): boolean => {
  if (step.call === undefined) return false;
  const others = [
    ...(typeof step.onError === 'object' ? [step.onError.fallback] : []),
    ...(typeof step.else === 'object' ? [step.else] : []),
  ];
  const lastResort = lastResortOf(step);
  if (lastResort === 'manual' || lastResort === 'abort') return false;
  const calls = [{ call: step.call, version: step.version }, ...others];
  return calls.every(({ call, version }) => onlyReads(tools.get(call, version)?.tool));
};

/**
 * Says whether the steps of a group may be left out or made earlier. A join is judged by the steps right
 * before it, and each step of a pipeline takes what came right before it: both depend on the order.
 */
const isFree = ({ kind, steps }: Group): boolean =>
  kind !== 'conditional' && kind !== 'pipeline' && steps.every((step) => step.join === undefined);

/** Says whether a step always has a result when its group has succeeded. */
const hasResult = (step: FlowDataStep | undefined): boolean =>
  step !== undefined && step.when === undefined && lastResortOf(step) !== 'skip';

/** By id: how a call is made, beyond what its step says. Calls that differ in it are not the same. */
export type CallOptionsById = ReadonlyMap<string, unknown>;

interface OptimizerDeps {
  readonly tools: Tools;
  readonly options: CallOptionsById;
  /** The steps that cannot be renamed. */
  readonly fixed: ReadonlySet<string>;
}

class Optimizer {
  readonly changes: FlowChange[] = [];
  readonly renamed = new Map<string, string>();
  merged = 0;
  readonly #tools: Tools;
  readonly #fixed: ReadonlySet<string>;
  readonly #options: CallOptionsById;

  constructor({ tools, options, fixed }: OptimizerDeps) {
    this.#tools = tools;
    this.#options = options;
    this.#fixed = fixed;
  }

  /** The ends of a group that a join judges stay what they are: each of them counts. */
  group(group: Group, hasOutput: boolean, judged: ReadonlySet<string>): Group {
    const inner = group.steps.map((step) => this.#inner(step));
    const steps = this.#merge({ ...group, steps: inner }, hasOutput, judged);
    return { kind: group.kind, steps };
  }

  #inner(step: FlowDataStep): FlowDataStep {
    if (!step.steps) return step;
    const { kind = 'sequential', steps, output } = step;
    const inner = this.group({ kind, steps }, output !== undefined, new Set());
    return {
      ...step,
      ...(inner.kind === 'sequential' ? {} : { kind: inner.kind }),
      steps: inner.steps,
    };
  }

  /** Leaves out a read that was made before, as long as nothing can have changed in between. */
  #merge(
    { kind, steps }: Group,
    hasOutput: boolean,
    judged: ReadonlySet<string>,
  ): readonly FlowDataStep[] {
    if (!isFree({ kind, steps })) return steps;
    const seen = new Map<string, string>();
    const left: FlowDataStep[] = [];
    for (const [at, step] of steps.entries()) {
      const isResult = !hasOutput && (kind !== 'sequential' || at === steps.length - 1);
      if (!isRead(step, this.#tools)) {
        if (kind === 'sequential') seen.clear();
        left.push(step);
        continue;
      }
      if (judged.has(step.id)) {
        left.push(step);
        continue;
      }
      const key = this.#sameness(step);
      const first = seen.get(key);
      if (first === undefined) seen.set(key, step.id);
      if (first === undefined || isResult || this.#fixed.has(step.id)) {
        left.push(step);
        continue;
      }
      this.renamed.set(step.id, first);
      this.merged += 1;
      const message = `${step.id} makes the same call as ${first}, whose result it now is`;
      this.changes.push({ type: 'merged', steps: [first, step.id], message });
    }
    return left;
  }

  /** Writes what makes two calls the same: all but the names, and their place. */
  #sameness({ id, title: _title, after = [], ...rest }: FlowDataStep): string {
    const options = this.#options.get(id) ?? null;
    return canonicalJson({ ...rest, after: after.toSorted(), options });
  }

  /** Does the same in the groups of a step, whose results stay what they were. */
  spreadInner(step: FlowDataStep, uses: Uses): FlowDataStep {
    if (!step.steps) return step;
    const { kind = 'sequential', output } = step;
    const steps = step.steps.map((each) => this.spreadInner(each, uses));
    const last = steps.at(-1);
    const isSure = output !== undefined || hasResult(last);
    const spread = isSure ? this.spread({ kind, steps }, uses) : undefined;
    if (!spread) return { ...step, steps };
    return { ...step, ...spread, output: output ?? { from: `steps.${last?.id}.data` } };
  }

  /** Turns steps one after the other into a graph in which reads wait only for what they use. */
  spread(group: Group, uses: Uses): Group | undefined {
    if (group.kind !== 'sequential' || !isFree(group)) return undefined;
    const steps = this.#withAfter(group.steps, uses);
    const together = steps.filter(({ after = [] }, at) => {
      const previous = steps[at - 1];
      return previous !== undefined && !after.includes(previous.id);
    });
    if (together.length === 0) return undefined;
    const names = steps.map(({ id }) => id);
    const message = `${together.map(({ id }) => id).join(', ')} no longer wait for steps whose results they do not use`;
    this.changes.push({ type: 'parallelized', steps: names, message });
    return { kind: 'dag', steps };
  }

  #withAfter(steps: readonly FlowDataStep[], uses: Uses): readonly FlowDataStep[] {
    const inGroup = new Set(steps.map(({ id }) => id));
    let wall: string | undefined;
    let sinceWall: string[] = [];
    return steps.map((step) => {
      const used = [...(uses.get(step.id) ?? [])].filter((id) => inGroup.has(id) && id !== step.id);
      const isMovable = isRead(step, this.#tools);
      const before = isMovable ? [...used, ...(wall === undefined ? [] : [wall])] : sinceWall;
      const all = !isMovable && before.length === 0 && wall !== undefined ? [wall] : before;
      if (isMovable) sinceWall.push(step.id);
      else {
        wall = step.id;
        sinceWall = [];
      }
      const after = [...new Set(all)];
      return { ...step, ...(after.length > 0 && { after }) };
    });
  }
}

/** Counts the steps that run one after the other at most, with those inside of groups. */
const levelsOf = ({ order }: StepGroup): number => {
  const levels = new Map<StepNode, number>();
  let most = 0;
  for (const node of order) {
    const before = node.before.reduce((max, each) => Math.max(max, levels.get(each) ?? 0), 0);
    const level = before + (node.inner ? levelsOf(node.inner) : 1);
    levels.set(node, level);
    most = Math.max(most, level);
  }
  return most;
};

const levelsIn = (flow: FlowData): number => levelsOf(buildTree(flow).root);

/** Lists the steps whose ids occur in expressions: their text is not rewritten. */
const namedInExpressions = (flow: FlowData): ReadonlySet<string> => {
  const named = new Set<string>();
  for (const { reference, path, member } of compileProgram(flow).uses) {
    const isText = path.at(-1) === 'cel' || member === 'when' || member === 'join';
    if (isText && reference.step !== undefined) named.add(reference.step);
  }
  return named;
};

/**
 * The last step's result was that of the flow. It stays so in a graph with several ends, where the step
 * always runs; otherwise the flow is left as it is.
 */
const spreadFlow = (flow: FlowData, optimizer: Optimizer): FlowData => {
  const { kind = 'sequential', join, output } = flow;
  const uses = usesOf(flow);
  const steps = flow.steps.map((step) => optimizer.spreadInner(step, uses));
  const last = steps.at(-1);
  const isSure = output !== undefined || hasResult(last);
  // Another join would judge the other ends of the graph as well.
  const spread = isSure && join === undefined ? optimizer.spread({ kind, steps }, uses) : undefined;
  if (!spread) return { ...flow, steps };
  return { ...flow, ...spread, output: output ?? { from: `steps.${last?.id}.data` } };
};

/** Optimizes a flow that is valid. The flow that comes back has the same name and version. */
export const optimizeFlow = (
  flow: FlowData,
  tools: Tools,
  options: CallOptionsById = new Map(),
): FlowOptimization => {
  const optimizer = new Optimizer({ tools, options, fixed: namedInExpressions(flow) });
  const { kind = 'sequential', steps } = flow;
  const ends = flow.join === undefined ? [] : buildTree(flow).root.exits;
  const judged = new Set(ends.map(({ step }) => step.id));
  const merged = optimizer.group({ kind, steps }, flow.output !== undefined, judged);
  const renamed = renameSteps({ ...flow, steps: merged.steps }, optimizer.renamed);
  const optimized = spreadFlow(renamed, optimizer);
  const saves = { calls: optimizer.merged, levels: levelsIn(flow) - levelsIn(optimized) };
  return { flow: optimized, changes: optimizer.changes, saves };
};

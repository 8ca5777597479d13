/** Says what a run of a flow would do, cost and ask. Runs nothing. */
import type { CallAs } from '../../../contract/call-options.ts';
import type { Caller } from '../../../contract/caller.ts';
import type { FlowData, FlowFault } from '../../../contract/flow-data.ts';
import type { FlowPlan, FlowPlanStep } from '../../../contract/flow-plan.ts';
import type { Explanation } from '../../../contract/policy.ts';
import type { Tool } from '../../../contract/tool.ts';
import { digestOf } from '../../../kit/data/canonical-json.ts';
import { callerOf } from '../../../pipeline/new-call.ts';
import { onlyReads } from '../../../registry/only-reads.ts';
import { flowKey } from '../../flow-registry.ts';
import type { CompiledValue } from '../../values/compile-value.ts';
import { noSteps, type ScopeName, scopeCaller, type ValueScope } from '../../values/scope.ts';
import type { FlowTools } from '../check/tool-shapes.ts';
import {
  callsOf,
  flowFaults,
  type PlacedCall,
  type ValidateFlowDeps,
} from '../check/validate-flow.ts';
import { compileProgram, type FlowProgram } from '../flow-program.ts';
import { flowNameOf } from '../run/step-work.ts';
import type { StepNode } from '../step-tree.ts';
import {
  callValue,
  type KnownInputs,
  knownInputs,
  MAX_PLAN_WORK,
  type PlanLeft,
  repeaterOf,
  spendOf,
} from './known-inputs.ts';
import { type PlanDigestDeps, planDigest } from './plan-digest.ts';
import { type Item, timePlan } from './plan-time.ts';
import { refusalText } from './refusal-text.ts';
import { effectsOf, priceOf } from './tool-facts.ts';

export interface PlanFlowDeps extends ValidateFlowDeps, Pick<PlanDigestDeps, 'definition'> {
  readonly tools: FlowTools;
  explain(tool: string, input: unknown, as: CallAs): Promise<Explanation>;
  /** Says what the caller lacks for any call of a tool: a place on its list, or a permission. */
  lacks(tool: string, as: CallAs): Promise<string | undefined>;
  hasSecret(key: string): Promise<boolean>;
  /** The average of the calls so far. */
  recordedMs(tool: string): number | undefined;
}

type Verdict = Pick<FlowPlanStep, 'verdict' | 'reason'>;

/** Flows start each other at most so deep. */
const MAX_DEPTH = 8;
/** Of all sub-flows together: a flow may start others very often. */
const MAX_INNER_STEPS = 5_000;
/** So many items of all lists are judged one by one. */
const MAX_ITEMS = 10_000;

interface PlanBounds {
  /** The flows around this one, by name and version. */
  readonly outer: ReadonlySet<string>;
  readonly left: PlanLeft & { steps: number };
}

interface PlannedInput {
  readonly input: unknown;
  /** False for a sub-flow whose input depends on what earlier steps return. */
  readonly isInputKnown: boolean;
  readonly as: CallAs;
  readonly bounds: PlanBounds;
}

const baseOf = ({ step, type, level }: StepNode) =>
  ({ id: step.id, type, level, effects: [], verdict: 'allow', maxUsd: 0 }) as const;

type PlacedFault = Pick<FlowFault, 'path'>;

/** Says whether a fault is in a step itself, and not in those of its group. */
const isIn = (path: FlowFault['path'], { path: own, inner }: StepNode): boolean =>
  own.every((part, at) => path[at] === part) && !(inner && path[own.length] === 'steps');

class Planner {
  readonly steps: FlowPlanStep[] = [];
  readonly approvals: { step: string; reason: string }[] = [];
  readonly denied: { step: string; reason: string }[] = [];
  readonly missingCredentials: { step: string; key: string }[] = [];
  readonly items = new Map<StepNode, Item>();
  maxUsd = 0;
  isOpen = false;
  readonly #program: FlowProgram;
  readonly #scope: ValueScope;
  readonly #as: CallAs;
  readonly #deps: PlanFlowDeps;
  readonly #bounds: PlanBounds;
  /** The names whose values are known before the run. */
  readonly #roots: ReadonlySet<ScopeName>;
  readonly #verdicts = new Map<string, Promise<Verdict>>();

  constructor(
    program: FlowProgram,
    deps: PlanFlowDeps,
    { input, isInputKnown, as, bounds }: PlannedInput,
  ) {
    this.#program = program;
    this.#deps = deps;
    this.#as = as;
    this.#bounds = bounds;
    this.#roots = new Set(isInputKnown ? ['input', 'caller'] : ['caller']);
    const caller: Caller = callerOf(as);
    this.#scope = { input, steps: noSteps(), caller: scopeCaller(caller) };
  }

  /** Plans all steps but those that have a fault. */
  async run(faults: readonly PlacedFault[]): Promise<void> {
    const { nodes } = this.#program.tree;
    const isGood = (node: StepNode): boolean => !faults.some(({ path }) => isIn(path, node));
    for (const node of nodes) if (faults.length === 0 || isGood(node)) await this.#node(node);
  }

  async #node(node: StepNode): Promise<void> {
    const { step, type } = node;
    const count = this.#count(node);
    if (count === undefined) this.isOpen = true;
    if (step.approve !== undefined) {
      this.approvals.push({ step: step.id, reason: step.approve });
    }
    if (type === 'flow') await this.#subFlow(node, count ?? 1);
    else if (type !== 'call') this.#wait(node, count ?? 1);
    for (const call of callsOf(node)) await this.#call(call, this.#count(repeaterOf(call)) ?? 1);
  }

  /** Adds a group, a question, a sleep or a wait. */
  #wait(node: StepNode, count: number): void {
    const { step, type } = node;
    const { sleepMs = 0, timeoutMs = 0 } = step;
    const estimatedMs = type === 'sleep' ? sleepMs : type === 'group' ? 0 : timeoutMs;
    this.items.set(node, { ms: estimatedMs, count });
    this.steps.push({
      ...baseOf(node),
      ...(step.approve !== undefined && { verdict: 'ask', reason: step.approve }),
      estimatedMs,
      timeFrom: estimatedMs > 0 ? 'timeout' : 'none',
    });
  }

  /** Adds what another flow would do, where it is data and not one that is being planned already. */
  async #subFlow(node: StepNode, count: number): Promise<void> {
    const { id, flow: named = '', timeoutMs = 0 } = node.step;
    const { outer, left } = this.#bounds;
    const data = this.#deps.subFlow?.(...flowNameOf(named))?.data;
    if (!data || outer.has(named) || outer.size >= MAX_DEPTH || left.steps <= 0) {
      this.isOpen = true;
      this.items.set(node, { ms: timeoutMs, count });
      const timeFrom = timeoutMs > 0 ? 'timeout' : 'none';
      this.steps.push({ ...baseOf(node), ...UNKNOWN_FLOW, estimatedMs: timeoutMs, timeFrom });
      return;
    }
    const program = compileProgram(data);
    left.steps -= program.tree.nodes.length;
    const given = this.#inputOf(node);
    const inner = new Planner(program, this.#deps, {
      input: given?.value,
      isInputKnown: given !== undefined,
      as: this.#as,
      bounds: { outer: new Set([...outer, named]), left },
    });
    await inner.run([]);
    const { maxConcurrency, maxUsd: limit = Number.POSITIVE_INFINITY } = data.limits ?? {};
    const estimatedMs = timePlan(program.tree.root, inner.items, maxConcurrency).ms;
    this.items.set(node, { ms: estimatedMs, count });
    this.steps.push({
      ...baseOf(node),
      estimatedMs,
      timeFrom: estimatedMs > 0 ? 'declared' : 'none',
    });
    const within = <T extends { readonly step: string }>(each: T): T => ({
      ...each,
      step: `${id}/${each.step}`,
    });
    this.steps.push(...inner.steps.map((each) => ({ ...each, id: `${id}/${each.id}` })));
    this.approvals.push(...inner.approvals.map(within));
    this.denied.push(...inner.denied.map(within));
    this.missingCredentials.push(...inner.missingCredentials.map(within));
    this.maxUsd += Math.min(inner.maxUsd, limit) * count * this.#tries(node, true);
    this.isOpen ||= inner.isOpen && limit === Number.POSITIVE_INFINITY;
  }

  /** Counts how often a step is made at most because it, or a group around it, is tried again. */
  #tries(node: StepNode, isOwn: boolean): number {
    let tries = isOwn ? (node.step.retry?.attempts ?? 1) : 1;
    for (let each = node.group.owner; each; each = each.group.owner) {
      tries *= each.step.retry?.attempts ?? 1;
    }
    return tries;
  }

  /** Counts how often a step runs, with the groups around it; unknown where a list is not known yet. */
  #count(node: StepNode | undefined): number | undefined {
    let count = 1;
    for (let each = node; each; each = each.group.owner) {
      if (!each.step.forEach) continue;
      const items = this.#fixed(this.#program.steps.get(each)?.items);
      if (!items || !Array.isArray(items.value)) return undefined;
      count *= items.value.length;
    }
    return count;
  }

  /** Works a value out that depends on the input of the flow alone. */
  #fixed(compiled: CompiledValue | undefined): { readonly value: unknown } | undefined {
    const { left } = this.#bounds;
    const isFixed = compiled?.references.every(({ root }) => this.#roots.has(root));
    if (!compiled || !isFixed || left.work <= 0) return undefined;
    try {
      return { value: compiled.evaluate(this.#scope, spendOf(left)) };
    } catch {
      return undefined;
    }
  }

  async #call(placed: PlacedCall, count: number): Promise<void> {
    const { node, call: name, version, path } = placed;
    const { step, level } = node;
    const isOwn = path === node.path;
    const id = isOwn ? step.id : `${step.id}.${path.includes('else') ? 'else' : 'fallback'}`;
    const tool = this.#deps.tools.get(name, version)?.tool;
    if (!tool) return;
    const callInputs = knownInputs(placed, {
      program: this.#program,
      scope: this.#scope,
      roots: this.#roots,
      left: this.#bounds.left,
    });
    const given =
      'inputs' in callInputs && callInputs.isOne ? { value: callInputs.inputs[0] } : undefined;
    const verdict = await this.#judgeAll(tool, callInputs, version);
    if (verdict.verdict === 'deny') this.denied.push({ step: id, reason: verdict.reason ?? '' });
    if (verdict.verdict === 'ask' || (verdict.verdict === 'unknown' && !onlyReads(tool))) {
      this.approvals.push({ step: id, reason: verdict.reason ?? '' });
    }
    if (tool.auth?.required && !(await this.#deps.hasSecret(tool.auth.configKey))) {
      this.missingCredentials.push({ step: id, key: tool.auth.configKey });
    }
    const price = priceOf(tool, given?.value ?? {}, given !== undefined);
    const maxUsd = price.usd * count * this.#tries(node, isOwn);
    this.maxUsd += maxUsd;
    this.isOpen ||= price.isOpen;
    const time = this.#time(tool, step.timeoutMs);
    if (isOwn) this.items.set(node, { ms: time.estimatedMs, count });
    this.steps.push({
      id,
      type: 'call',
      tool: name,
      version: tool.version,
      tier: tool.tier,
      level,
      maxUsd,
      effects: effectsOf(tool),
      ...verdict,
      ...time,
      ...(given && { input: given.value }),
    });
  }

  #inputOf(node: StepNode): { readonly value: unknown } | undefined {
    const { path, step } = node;
    return this.#fixed(callValue({ node, path, input: step.input }, this.#program));
  }

  #time(tool: Tool, timeoutMs: number | undefined): Pick<FlowPlanStep, 'estimatedMs' | 'timeFrom'> {
    const recorded = this.#deps.recordedMs(tool.name);
    if (recorded !== undefined) return { estimatedMs: recorded, timeFrom: 'recorded' };
    const declared = tool.capabilities.flatMap(({ estimatedTime }) => estimatedTime ?? []);
    if (declared.length > 0) return { estimatedMs: Math.max(...declared), timeFrom: 'declared' };
    const limit = timeoutMs ?? tool.timeoutMs;
    return limit === undefined
      ? { estimatedMs: 0, timeFrom: 'none' }
      : { estimatedMs: limit, timeFrom: 'timeout' };
  }

  /** Judges each input of a call: the strictest verdict is that of the step. */
  async #judgeAll(
    tool: Tool,
    callInputs: KnownInputs,
    version: string | undefined,
  ): Promise<Verdict> {
    if ('reason' in callInputs) return this.#explainRights(tool.name, version, callInputs.reason);
    let strictest: Verdict | undefined;
    for (const input of callInputs.inputs) {
      const verdict = await this.#judge(tool, input, version);
      if (verdict.verdict === 'deny') return verdict;
      if (strictest?.verdict !== 'ask') strictest = verdict;
    }
    if (callInputs.isAll) return strictest ?? { verdict: 'allow', reason: 'its list has no items' };
    if (strictest?.verdict === 'ask') return strictest;
    const first = callInputs.inputs.length;
    const reason = `only the first ${first} different inputs were judged; the others are when they are made`;
    return { verdict: 'unknown', reason };
  }

  /** Asks the rules once for each different call. */
  #judge(tool: Tool, input: unknown, version: string | undefined): Promise<Verdict> {
    const key = `${tool.name}\0${tool.version}\0${digestOf(input ?? null)}`;
    const asked = this.#verdicts.get(key) ?? this.#explain(tool.name, input, version);
    this.#verdicts.set(key, asked);
    return asked;
  }

  /** Judges a call whose input is not known yet: a permission that is missing does not depend on it. */
  async #explainRights(
    tool: string,
    version: string | undefined,
    unknown: string,
  ): Promise<Verdict> {
    const as = { ...this.#as, ...(version !== undefined && { version }) };
    const reason = await this.#deps.lacks(tool, as);
    return reason === undefined
      ? { verdict: 'unknown', reason: unknown }
      : { verdict: 'deny', reason };
  }

  async #explain(tool: string, input: unknown, version: string | undefined): Promise<Verdict> {
    try {
      const as = { ...this.#as, ...(version !== undefined && { version }) };
      const { verdict } = await this.#deps.explain(tool, input, as);
      return { verdict: verdict.effect, reason: verdict.reason };
    } catch (thrown) {
      return { verdict: 'deny', reason: refusalText(thrown) };
    }
  }
}

const UNKNOWN_FLOW = {
  verdict: 'unknown',
  reason: 'each step of the sub-flow is judged when it is made',
} as const;

export const planFlow = async (
  flow: FlowData,
  deps: PlanFlowDeps,
  {
    input,
    as = {},
    isPartial = false,
  }: {
    readonly input: unknown;
    readonly as?: CallAs | undefined;
    /** Plans the steps that have no fault, too, where others have one. */
    readonly isPartial?: boolean;
  },
): Promise<FlowPlan> => {
  const program = compileProgram(flow);
  const faults = await flowFaults(program, deps);
  const planner = new Planner(program, deps, {
    input,
    isInputKnown: true,
    as,
    bounds: {
      outer: new Set([flowKey(flow)]),
      left: { steps: MAX_INNER_STEPS, items: MAX_ITEMS, work: MAX_PLAN_WORK },
    },
  });
  const errors = faults.filter(({ severity }) => severity === 'error');
  if (isPartial || errors.length === 0) await planner.run(errors);
  const { root } = program.tree;
  const levels: string[][] = [];
  for (const { level, step } of root.nodes) {
    const ids = levels[level] ?? [];
    levels[level] = ids;
    ids.push(step.id);
  }
  const { path, ms } = timePlan(root, planner.items, flow.limits?.maxConcurrency);
  const { steps, approvals, denied, missingCredentials, maxUsd, isOpen } = planner;
  const limit = flow.limits?.maxUsd;
  return {
    flow: flow.name,
    version: flow.version,
    steps,
    levels,
    approvals,
    denied,
    digest: await planDigest(program, { input, caller: callerOf(as) }, deps),
    criticalPath: path,
    estimatedMs: Math.round(ms),
    cost: {
      maxUsd: limit === undefined ? maxUsd : Math.min(limit, maxUsd),
      isOpen: isOpen && limit === undefined,
    },
    missingCredentials,
    faults,
  };
};

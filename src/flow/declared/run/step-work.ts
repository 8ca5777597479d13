/** Does what one step says, once: calls its tool, starts its flow, asks, sleeps or waits. */
import type { Catalog } from '../../../contract/catalog.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { FlowCallOptions, FlowContext, FlowDefinition } from '../../../contract/flow.ts';
import type { FlowData, FlowLimits } from '../../../contract/flow-data.ts';
import type { Tier, Tool } from '../../../contract/tool.ts';
import { digestOf } from '../../../kit/data/canonical-json.ts';
import { onlyReads } from '../../../registry/only-reads.ts';
import type { CompiledCall, CompiledStep } from '../flow-program.ts';
import type { Limiter } from './limiter.ts';
import { gatedNeeds, type ResourceGate } from './resource-gate.ts';
import type { RunScope } from './run-scope.ts';

/** A flow that a step starts; `data` when it is one itself. */
export interface SubFlow {
  readonly definition: FlowDefinition;
  readonly data: FlowData | undefined;
}

export interface FlowRunDeps {
  readonly tools: Pick<Catalog, 'get'>;
  readonly resources: ResourceGate;
  subFlow(name: string, version: string): SubFlow | undefined;
}

export interface StepWorkDeps extends FlowRunDeps {
  readonly flow: FlowContext;
  readonly limits: FlowLimits;
  readonly limiter: Limiter;
}

const beyond = (what: string): ToolFailure =>
  new ToolFailure('PERMISSION_DENIED', `The limits of the flow do not allow ${what}.`, {
    suggestions: ['Widen `limits` of the flow, or leave the step out.'],
  });

const tiersOf = ({ tier, capabilities }: Tool): ReadonlySet<Tier> =>
  new Set([tier, ...capabilities.flatMap((capability) => capability.tier ?? [])]);

/** Says what a flow's own limits have against a tool. */
export const toolBeyond = (
  name: string,
  tool: Tool | undefined,
  { tiers, tools }: FlowLimits,
): string | undefined => {
  if (tools && !tools.includes(name)) return `the tool ${name}`;
  if (!tiers || !tool) return undefined;
  // What such a tool calls is not known before.
  if (tool.callsTools) return `the tool ${name}, which calls other tools`;
  const other = [...tiersOf(tool)].find((tier) => !tiers.includes(tier));
  return other === undefined ? undefined : `the tier ${other} of the tool ${name}`;
};

const isWithin = <T>(inner: readonly T[] | undefined, outer: readonly T[] | undefined): boolean =>
  outer === undefined || (inner?.every((each) => outer.includes(each)) ?? false);

/**
 * Says what a flow's own limits have against a sub-flow: it has to be limited at least as much. Its cost
 * counts in the budget of the flow, so that it needs no limit of its own.
 */
export const subFlowBeyond = (
  name: string,
  data: FlowData | undefined,
  { tiers, tools }: FlowLimits,
): string | undefined => {
  const inner = data?.limits ?? {};
  return isWithin(inner.tiers, tiers) && isWithin(inner.tools, tools)
    ? undefined
    : `the flow ${name}, whose limits are wider`;
};

/** Splits `name@1.0.0`. */
export const flowNameOf = (named: string): readonly [name: string, version: string] => {
  const at = named.lastIndexOf('@');
  return [named.slice(0, at), named.slice(at + 1)];
};

/** One time that a step runs: its key, what it sees, and what a pipeline hands it. */
export interface StepRun {
  readonly key: string;
  /** Its place in the plan. */
  readonly place: string;
  readonly scope: RunScope;
  readonly piped?: unknown;
  readonly timeoutMs?: number | undefined;
  /** The step itself may be tried again after its call has succeeded. */
  readonly mayRunAgain?: boolean;
}

/** Gives what cancels the steps of a scope. */
export const signalOf = ({ signal }: RunScope): Pick<FlowCallOptions, 'signal'> =>
  signal ? { signal } : {};

/** What a flow has returned that ran in a step, and the digest of what it was given. */
interface EndedFlow {
  readonly digest: string;
  readonly data: unknown;
}

export class StepWork {
  readonly #deps: StepWorkDeps;
  /** The calls that have succeeded, by place, in groups and steps that may be tried again. */
  readonly #madeCalls = new Map<string, NonNullable<FlowCallOptions['earlier']>>();
  /** The flows that have succeeded, by place. */
  readonly #endedFlows = new Map<string, EndedFlow>();

  constructor(deps: StepWorkDeps) {
    this.#deps = deps;
  }

  /** Calls a tool within the limits of the flow. */
  async call(
    { call: { call: name, version }, input }: CompiledCall,
    { key, place, scope, piped, timeoutMs, mayRunAgain = scope.mayRunAgain }: StepRun,
  ): Promise<unknown> {
    const { flow, limiter, limits, resources, tools } = this.#deps;
    const tool = tools.get(name, version)?.tool;
    const fault = toolBeyond(name, tool, limits);
    if (fault !== undefined) throw beyond(fault);
    const given = input ? input.evaluate(scope) : (piped ?? {});
    const earlier = this.#madeCalls.get(place);
    const needs = gatedNeeds(tool);
    const options: FlowCallOptions = {
      key,
      place,
      attemptOf: `${place}${scope.asked}`,
      ...(earlier && { earlier }),
      ...signalOf(scope),
      ...(version !== undefined && { version }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(limits.maxUsd !== undefined && { flowUsd: limits.maxUsd }),
      ...(needs && { within: (make, signal) => resources.run(needs, make, signal) }),
    };
    const data = await limiter.run(() => flow.call(name, given, options));
    // Not of those that read: they are made again, and may return much.
    if (mayRunAgain && !onlyReads(tool)) this.#madeCalls.set(place, { input: given, data });
    return data;
  }

  /** Starts another flow and waits for it, or takes over what it has returned at its place before. */
  async subFlow(
    named: string,
    { input }: CompiledStep,
    { key, place, scope, piped, isAnew }: StepRun & { readonly isAnew: boolean },
  ): Promise<unknown> {
    const { flow, limiter, limits } = this.#deps;
    const sub = this.#deps.subFlow(...flowNameOf(named));
    if (!sub) {
      throw new ToolFailure('NOT_FOUND', `There is no flow ${named}.`, {
        suggestions: ['Register it, or put its file into .toolcrib/flows.'],
      });
    }
    const fault = subFlowBeyond(named, sub.data, limits);
    if (fault !== undefined) throw beyond(fault);
    const given = input ? input.evaluate(scope) : (piped ?? {});
    const { maxUsd: flowUsd } = limits;
    const options = { key, ...signalOf(scope), ...(flowUsd !== undefined && { flowUsd }) };
    const ended = isAnew ? undefined : this.#endedFlows.get(place);
    const digest = digestOf(given ?? null);
    if (ended && ended.digest !== digest) {
      throw new ToolFailure('CONFLICT', `${named} has already run with another input.`);
    }
    if (ended) return ended.data;
    const data = await limiter.run(() => flow.child(sub.definition, given, options));
    this.#endedFlows.set(place, { digest, data });
    return data;
  }

  async approve(
    question: string,
    details: unknown,
    { key, scope }: Pick<StepRun, 'key' | 'scope'>,
  ): Promise<unknown> {
    const options = { key, ...signalOf(scope) };
    const answer = await this.#deps.flow.waitForApproval(question, details, options);
    if (answer.approved) return answer;
    const note = answer.note === undefined ? '' : `: ${answer.note}`;
    throw new ToolFailure('USER_CANCELLED', `A person said no to "${question}"${note}.`);
  }
}

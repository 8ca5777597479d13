/** What the steps of a run are handed: every call and question goes by the caller of the run. */
import type { ApprovalRecord } from '../contract/approver.ts';
import type { CallAs } from '../contract/call-options.ts';
import type { Caller } from '../contract/caller.ts';
import type { Catalog } from '../contract/catalog.ts';
import { type ToolError, ToolFailure } from '../contract/errors.ts';
import type { FlowRun, Flows } from '../contract/flow-store.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { TraceContext } from '../contract/telemetry.ts';
import { lazyAsync } from '../kit/data/lazy.ts';
import type { Writable } from '../kit/data/writable.ts';
import { type ConfirmInput, givenText } from '../pipeline/approval/confirm-tool.ts';
import type { PlanCover, PlannedRun } from '../pipeline/approval/plan-cover.ts';
import { DurableWork } from '../pipeline/durable-work.ts';
import type { RunRecords } from '../pipeline/record/run-records.ts';
import type { FlowRegistry } from './flow-registry.ts';
import type { FlowSeals } from './run-seals.ts';
import type { StepCall, StepDeps, StepQuestion } from './step-ends.ts';
import type { TurnSignals } from './turns/turn-signals.ts';

export interface RunDeps {
  readonly registry: FlowRegistry;
  readonly runtime: Pick<Runtime, 'now'>;
  readonly tools: Pick<Catalog, 'get'>;
  execute(tool: string, input: unknown, as: CallAs): Promise<ToolResult>;
  confirm(question: ConfirmInput, as: CallAs): Promise<ToolResult>;
  approval(approvalId: string): Promise<ApprovalRecord | undefined>;
  /** Hides secrets in what the code of a flow has thrown, before it is put on record. */
  redactError(error: ToolError): Promise<ToolError>;
  /** Takes a question back that nobody has answered. */
  withdraw(approvalId: string): Promise<void>;
  /** Reads what the approval covers that a run was started with; nothing where it covers nothing. */
  planCover(run: PlannedRun): Promise<PlanCover | undefined>;
  /**
   * Returns a check that says why a caller may call no more, for callers whose right to call can end:
   * those that came with a token.
   */
  refusalOf(caller: Caller): (() => Promise<ToolError | undefined>) | undefined;
}

/** One turn at the run: its journal, and what ends its calls. */
export interface TurnDeps extends Pick<StepDeps, 'startChild' | 'cancelCalls' | 'cancelChild'> {
  readonly flows: Flows;
  readonly seals: FlowSeals;
  readonly signals: Pick<TurnSignals, 'changing' | 'reading' | 'cutOff'>;
  readonly records: RunRecords | undefined;
  /** The span of the turn, for its calls; nothing where nobody traces. */
  readonly trace?: TraceContext | undefined;
}

/** Tells who a run calls as, and what it may spend; the same holds for its children. */
export const limitsOf = ({ caller, dailyUsd }: FlowRun): Pick<FlowRun, 'caller' | 'dailyUsd'> =>
  dailyUsd === undefined ? { caller } : { caller, dailyUsd };

/** Tells as whom a run calls, with the limits and the budget that hold for all of its calls. */
export const callAsOf = (run: FlowRun): CallAs => {
  const { caller, ...limits } = limitsOf(run);
  const { id: flowId, outerFlows } = run;
  const durable = new DurableWork(`flow:${flowId}`);
  // Calls of a run are found under its id, also those that another process makes.
  const as = { ...caller, ...limits, flowId, traceId: flowId, durable };
  return outerFlows ? { ...as, outerFlows } : as;
};

/** For how long an answer about a caller holds. */
const REFUSAL_MS = 1_000;

/** Asks about the caller of a run at most once a second. */
export const refusalCheck = (
  { caller }: FlowRun,
  { refusalOf, runtime }: Pick<RunDeps, 'refusalOf' | 'runtime'>,
): (() => Promise<ToolError | undefined>) | undefined => {
  const ask = refusalOf(caller);
  if (!ask) return undefined;
  let asked: { readonly at: number; readonly answer: Promise<ToolError | undefined> } | undefined;
  return () => {
    const now = runtime.now();
    const age = asked === undefined ? REFUSAL_MS : now - asked.at;
    if (!asked || age < 0 || age >= REFUSAL_MS) asked = { at: now, answer: ask() };
    return asked.answer;
  };
};

/** Makes the options of one call: those of the run themselves where the call adds none. */
const callOptions = (as: CallAs, step: StepCall, signal: AbortSignal): CallAs => {
  const { idempotencyKey, approvalId, version, timeoutMs, flowUsd } = step;
  // Nothing else than these may say more than the run: tool and input are no options. By name, since a
  // list of names and a copy for each cost a step 2 µs.
  const own = idempotencyKey ?? approvalId ?? version ?? timeoutMs ?? flowUsd;
  if (own === undefined && signal === as.signal) return as;
  const options: Writable<CallAs> = { ...as };
  if (idempotencyKey !== undefined) options.idempotencyKey = idempotencyKey;
  if (approvalId !== undefined) options.approvalId = approvalId;
  if (version !== undefined) options.version = version;
  if (timeoutMs !== undefined) options.timeoutMs = timeoutMs;
  if (flowUsd !== undefined) options.flowUsd = flowUsd;
  options.signal = signal;
  return options;
};

/** Runs work with a signal that fires when the turn is over or the step is cancelled. */
const withEither = async (
  turn: AbortSignal,
  step: AbortSignal,
  work: (signal: AbortSignal) => Promise<ToolResult>,
): Promise<ToolResult> => {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  for (const signal of [turn, step]) {
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  }
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of [turn, step]) signal.removeEventListener('abort', abort);
  }
};

/** Runs that start each other without end would fill the store. */
const MAX_RUN_DEPTH = 8;

const assertDepth = async (run: FlowRun, flows: Flows): Promise<void> => {
  let depth = 1;
  for (let { parent } = run; parent; depth += 1) {
    if (depth >= MAX_RUN_DEPTH) {
      const message = `Flows start each other more than ${MAX_RUN_DEPTH} deep.`;
      throw new ToolFailure('CALL_CYCLE', message);
    }
    parent = (await flows.get(parent.runId))?.parent;
  }
};

/** Finds what was approved for a call with the plan of the run, and makes the call with it. */
const plannedCalls = (
  run: FlowRun,
  deps: RunDeps,
): ((step: StepCall, options: CallAs) => CallAs | Promise<CallAs>) => {
  const { plan } = run;
  if (!plan) return (_step, options) => options;
  const cover = lazyAsync(() => deps.planCover({ ...run, plan }));
  return async ({ place }, options) => {
    const consent = place === undefined ? undefined : (await cover())?.at(place);
    return consent ? { ...options, planConsent: consent } : options;
  };
};

/** Makes the function that makes the calls of steps, and ends them with their turn or their step. */
const callMaker = (
  run: FlowRun,
  deps: RunDeps,
  { as, signals }: { readonly as: CallAs; readonly signals: TurnDeps['signals'] },
): StepDeps['call'] => {
  const withPlan = plannedCalls(run, deps);
  const made = (step: StepCall, own: AbortSignal): Promise<ToolResult> => {
    const options = withPlan(step, callOptions(as, step, own));
    return options instanceof Promise
      ? options.then((planned) => deps.execute(step.tool, step.input, planned))
      : deps.execute(step.tool, step.input, options);
  };
  const call = (step: StepCall, own: AbortSignal): Promise<ToolResult> =>
    step.within ? step.within(() => made(step, own), own) : made(step, own);
  return (step) => {
    // A call without a key only reads.
    const turn = step.idempotencyKey === undefined ? signals.reading : signals.changing;
    return step.signal
      ? withEither(turn, step.signal, (either) => call(step, either))
      : call(step, turn);
  };
};

export const stepDepsOf = (
  run: FlowRun,
  deps: RunDeps,
  { signals, records, trace, ...turn }: TurnDeps,
): StepDeps => {
  const as: CallAs = {
    ...callAsOf(run),
    durable: new DurableWork(`flow:${run.id}`, signals.cutOff),
    signal: signals.reading,
    ...(records && { runRecords: records }),
    ...(trace && { trace }),
  };
  const refusal = refusalCheck(run, deps);
  const confirm = (
    { idempotencyKey, approvalId, question, details }: StepQuestion,
    own: AbortSignal,
  ): Promise<ToolResult> => {
    const options = { idempotencyKey, ...(approvalId !== undefined && { approvalId }) };
    const input = givenText(run.input);
    const given = input === undefined ? { flow: run.flow } : { flow: run.flow, input };
    const about = details === undefined ? { runId: run.id } : { runId: run.id, details };
    const asked = { question, ...given, ...about };
    return deps.confirm(asked, { ...as, ...options, signal: own } as CallAs);
  };
  return {
    run,
    ...turn,
    tools: deps.tools,
    runtime: deps.runtime,
    ...(refusal && { refusal }),
    call: callMaker(run, deps, { as, signals }),
    confirm: (question) =>
      question.signal
        ? withEither(signals.reading, question.signal, (either) => confirm(question, either))
        : confirm(question, signals.reading),
    redactError: (error) => deps.redactError(error),
    withdraw: (approvalId) => deps.withdraw(approvalId),
    approval: (approvalId) => deps.approval(approvalId),
    checkChild: async (flow, input) => {
      await assertDepth(run, turn.flows);
      deps.registry.registerChild(flow);
      return deps.registry.parseInput(flow, input);
    },
  };
};

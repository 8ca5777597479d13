/** How each kind of step runs, and what ends it or keeps it waiting. */
import type { ApprovalRecord } from '../contract/approver.ts';
import type { OuterFlow } from '../contract/call-options.ts';
import type { Catalog } from '../contract/catalog.ts';
import { type ToolError, toolError } from '../contract/errors.ts';
import type { FlowCallOptions, FlowDefinition } from '../contract/flow.ts';
import { FINISHED, type FlowParent, type FlowRun, type Flows } from '../contract/flow-store.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Tool } from '../contract/tool.ts';
import { digestOf } from '../kit/data/canonical-json.ts';
import type { Writable } from '../kit/data/writable.ts';
import { thrownError } from '../pipeline/record/thrown-error.ts';
import { mayHaveChanged } from '../registry/changing-steps.ts';
import { onlyReads } from '../registry/only-reads.ts';
import { hasChangedNothing } from '../registry/unchanged-calls.ts';
import { KEPT_MS } from './run-record.ts';
import { type FlowSeals, isOurEnd, plantedEnd } from './run-seals.ts';
import type { StepAttempt, StepEnd } from './turn.ts';

export interface StepCall {
  readonly tool: string;
  readonly input: unknown;
  /** Absent for tools that only read: such a call may be made again. */
  readonly idempotencyKey?: string;
  readonly approvalId?: string;
  readonly version?: string;
  readonly timeoutMs?: number;
  readonly flowUsd?: number;
  /** Its place in the plan of the flow. */
  readonly place?: string;
  /** Cancels this call alone. */
  readonly signal?: AbortSignal;
  /** Runs around the call, with the signal that cancels it. */
  readonly within?: FlowCallOptions['within'];
}

/** How a step calls its tool, as the code of the flow says. */
export type StepCallOptions = Omit<FlowCallOptions, 'key'>;

export interface StepQuestion extends Pick<StepCall, 'idempotencyKey' | 'approvalId' | 'signal'> {
  readonly question: string;
  readonly details?: unknown;
}

export interface NewChild {
  readonly id: string;
  readonly input: unknown;
  readonly parent: FlowParent;
  /** The runs that pay for it, outermost first. */
  readonly outerFlows: readonly OuterFlow[];
}

export interface StepDeps {
  readonly run: FlowRun;
  readonly tools: Pick<Catalog, 'get'>;
  readonly flows: Flows;
  readonly runtime: Pick<Runtime, 'now'>;
  readonly seals: FlowSeals;
  /** Says why the caller may call no more. Absent for callers of whom nothing can end that. */
  refusal?(): Promise<ToolError | undefined>;
  /** Cancels the calls of this turn. */
  cancelCalls(): void;
  /** Cancels the run of a child that nobody waits for any more. */
  cancelChild(runId: string): Promise<void>;
  /** Takes a question back that nobody has answered. */
  withdraw(approvalId: string): Promise<void>;
  /** Calls a tool as the caller of the run. */
  call(step: StepCall): Promise<ToolResult>;
  /** Hides secrets in what the code of a flow has thrown, before it is put on record. */
  redactError(error: ToolError): Promise<ToolError>;
  /** Puts a question to a person as the caller of the run. */
  confirm(question: StepQuestion): Promise<ToolResult>;
  /** Reads the record of a question. */
  approval(approvalId: string): Promise<ApprovalRecord | undefined>;
  /**
   * Registers the flow of a child and returns the input as its schema makes it. Rejects when other
   * code has its name and version, and when the input does not fit.
   */
  checkChild(flow: FlowDefinition, input: unknown): Promise<unknown>;
  /** Starts the run of a child, unless there is one of its id. */
  startChild(flow: FlowDefinition, child: NewChild): Promise<void>;
}

/** How soon a call is made again whose key another process still holds. */
const BUSY_MS = 1_000;

const approvalOf = ({ open }: StepAttempt): Pick<StepCall, 'approvalId'> =>
  open?.approvalId === undefined ? {} : { approvalId: open.approvalId };

/** Blocks a run whose caller may call no more: only a person can say how to go on. */
const refusedEnd = async ({ refusal }: StepDeps): Promise<StepEnd | undefined> => {
  const error = await refusal?.();
  return error && { state: 'blocked', waitsFor: 'caller', error };
};

/** Waits until all that led to this step is on record, then asks whether the caller may still call. */
const beginEffect = async (attempt: StepAttempt, deps: StepDeps): Promise<StepEnd | undefined> => {
  await attempt.flush();
  return deps.refusal && refusedEnd(deps);
};

export const resultEnd = (result: ToolResult, now: number): StepEnd => {
  const { replayOf, executionId: ownId } = result.metadata;
  // The call whose result was kept under the key is the one that can be undone.
  const executionId = replayOf ?? ownId;
  if (result.status === 'success') {
    return { state: 'done', value: result.data, step: { executionId } };
  }
  if (result.status === 'pending') {
    const { approvalId, expiresAt } = result.approval;
    const step = { approvalId, wakeAt: expiresAt };
    return { state: 'parked', waitsFor: `approval:${approvalId}`, step };
  }
  const { error } = result;
  if (error.inDoubt !== undefined) {
    // On record, so that a person can say what became of it.
    const step = { executionId: error.inDoubt };
    return { state: 'blocked', waitsFor: `call:${error.inDoubt}`, error, step };
  }
  if (error.keyHeld) return { state: 'parked', waitsFor: 'key', step: { wakeAt: now + BUSY_MS } };
  return { state: 'failed', error, step: { executionId } };
};

/** Makes the call of a step. Built field by field, which is several times as fast as by spreading. */
const madeCall = (
  { tool, input, version, timeoutMs, flowUsd, place, signal, within }: StepCall,
  idempotencyKey: string | undefined,
  approvalId: string | undefined,
): StepCall => {
  const call: Writable<StepCall> = { tool, input };
  if (idempotencyKey !== undefined) call.idempotencyKey = idempotencyKey;
  if (approvalId !== undefined) call.approvalId = approvalId;
  if (version !== undefined) call.version = version;
  if (timeoutMs !== undefined) call.timeoutMs = timeoutMs;
  if (flowUsd !== undefined) call.flowUsd = flowUsd;
  if (place !== undefined) call.place = place;
  if (signal) call.signal = signal;
  if (within) call.within = within;
  return call;
};

/**
 * Makes the failure of a call that may have changed something, whatever its code says, one that is not
 * tried again: another try would do it twice. The same holds for a failure that was kept under its key.
 */
const asFinal = (end: StepEnd, { metadata }: ToolResult, tool: Tool | undefined): StepEnd => {
  if (end.state !== 'failed' || !end.error?.retryable) return end;
  const { error } = end;
  // Another try of this step carries the same key.
  const isUnchanged = tool?.idempotent || hasChangedNothing(tool, error);
  return isUnchanged && !metadata.cached ? end : { ...end, error: { ...error, retryable: false } };
};

/** Answers a call that has succeeded before. The key that it had may be forgotten by now. */
const earlierEnd = (
  { tool, input }: Pick<StepCall, 'tool' | 'input'>,
  earlier: NonNullable<FlowCallOptions['earlier']>,
): StepEnd => {
  const isSame = digestOf(input ?? null) === digestOf(earlier.input ?? null);
  if (isSame) return { state: 'done', value: earlier.data };
  const message = `${tool} has already been called with another input.`;
  return { state: 'failed', error: toolError('CONFLICT', message) };
};

/** Tells whether the store refused a call before its tool ran: an outage must not fail its run. */
const metNoStore = ({ error, metadata }: ToolResult): boolean =>
  error?.code === 'STORE_UNAVAILABLE' && error.retryable && metadata.attempts === 0;

const storeAway = (now: number): StepEnd => ({
  state: 'parked',
  waitsFor: 'retry',
  step: { wakeAt: now + BUSY_MS },
});

export const callTool = async (
  step: Pick<StepCall, 'tool' | 'input'> & StepCallOptions,
  attempt: StepAttempt,
  deps: StepDeps,
): Promise<StepEnd> => {
  const { run, tools, call, runtime } = deps;
  const { version, attemptOf = attempt.key, earlier } = step;
  const tool = tools.get(step.tool, version)?.tool;
  const isRepeatable = onlyReads(tool);
  if (earlier && !isRepeatable) return earlierEnd(step, earlier);
  if (!isRepeatable || deps.refusal) {
    const refused = isRepeatable ? await refusedEnd(deps) : await beginEffect(attempt, deps);
    if (refused) return refused;
  }
  const key = isRepeatable ? undefined : `flow:${run.id}:${attemptOf}`;
  const made = madeCall(step, key, attempt.open?.approvalId);
  const result = await call(made);
  if (isRepeatable && metNoStore(result)) return storeAway(runtime.now());
  const end = resultEnd(result, runtime.now());
  return isRepeatable ? end : asFinal(end, result, tool);
};

/** Asks a person. A denial is an answer like any other; no answer in time is a failure. */
export const askPerson = async (
  question: Pick<StepQuestion, 'question' | 'details' | 'signal'>,
  attempt: StepAttempt,
  deps: StepDeps,
): Promise<StepEnd> => {
  const { run, confirm, approval, runtime } = deps;
  const refused = await beginEffect(attempt, deps);
  if (refused) return refused;
  const idempotencyKey = `flow:${run.id}:${attempt.key}`;
  const { approvalId } = approvalOf(attempt);
  const result = await confirm({ ...question, idempotencyKey, ...approvalOf(attempt) });
  const isAnswered = result.success || result.error.code === 'USER_CANCELLED';
  if (!isAnswered) return resultEnd(result, runtime.now());
  const record = approvalId === undefined ? undefined : await approval(approvalId);
  const value = {
    approved: result.success,
    ...(record?.decidedBy !== undefined && { by: record.decidedBy }),
    ...(record?.note !== undefined && { note: record.note }),
  };
  return { state: 'done', value, step: { executionId: result.metadata.executionId } };
};

/** Computes a value. What its code throws is the failure of the step, not of the turn. */
export const makeValue = async (
  make: () => unknown,
  { redactError }: Pick<StepDeps, 'redactError'>,
): Promise<StepEnd> => {
  try {
    return { state: 'done', value: await make() };
  } catch (thrown) {
    return { state: 'failed', error: await redactError(thrownError(thrown)) };
  }
};

/** Sleeps from the time of the first attempt: a sleep does not begin again in another process. */
export const sleepFor = (ms: number, { open }: StepAttempt, now: number): StepEnd => {
  const wakeAt = open?.wakeAt ?? now + ms;
  return wakeAt <= now
    ? { state: 'done' }
    : { state: 'parked', waitsFor: 'time', step: { wakeAt } };
};

/** Starts the run of a child once; a start that cannot be made is the failure of the step. */
const startOnce = async (
  flow: FlowDefinition,
  child: NewChild,
  { attempt, deps }: { readonly attempt: StepAttempt; readonly deps: StepDeps },
): Promise<StepEnd | undefined> => {
  let input: unknown;
  try {
    input = await deps.checkChild(flow, child.input);
  } catch (thrown) {
    return { state: 'failed', error: await deps.redactError(thrownError(thrown)) };
  }
  // On record before the child exists, so that whoever cancels this run finds the child.
  if (attempt.open?.childId === undefined) await attempt.note({ childId: child.id });
  const refused = await beginEffect(attempt, deps);
  if (refused) return refused;
  try {
    await deps.startChild(flow, { ...child, input });
    return undefined;
  } catch (thrown) {
    const error = thrownError(thrown);
    // Somebody else has a run of this id. Any other failure is the store's: the turn is repeated.
    if (error.code === 'CONFLICT') return { state: 'failed', error };
    throw thrown;
  }
};

/** Tells whether a child was started so long ago that it may have ended and be forgotten: it must not run twice. */
const wasForgotten = ({ open }: StepAttempt, now: number): boolean =>
  open?.childId !== undefined && now - open.startedAt >= KEPT_MS;

interface ChildDeps {
  readonly attempt: StepAttempt;
  readonly deps: StepDeps;
  /** What this run may cost, with all that it starts. */
  readonly flowUsd?: number;
}

export const runChild = async (
  flow: FlowDefinition,
  input: unknown,
  { attempt, deps, flowUsd }: ChildDeps,
): Promise<StepEnd> => {
  const parent: FlowParent = { runId: deps.run.id, key: attempt.key };
  const id = `${parent.runId}.${parent.key}`;
  let child = await deps.flows.get(id);
  if (!child && wasForgotten(attempt, deps.runtime.now())) {
    return {
      state: 'failed',
      error: toolError('NOT_FOUND', `The run ${id} is not kept any more.`),
    };
  }
  if (!child) {
    const own = { flowId: deps.run.id, ...(flowUsd !== undefined && { usd: flowUsd }) };
    const outerFlows = [...(deps.run.outerFlows ?? []), own];
    const failure = await startOnce(flow, { id, input, parent, outerFlows }, { attempt, deps });
    if (failure) return failure;
    child = await deps.flows.get(id);
  }
  if (child && child.parent?.runId !== parent.runId) {
    return {
      state: 'failed',
      error: toolError('CONFLICT', `The run ${id} is no child of this one.`),
    };
  }
  if (!child || !FINISHED.has(child.status)) return { state: 'parked', waitsFor: `run:${id}` };
  return childEnd(child, deps);
};

/** Reads what became of a child. An end that this user did not write decides nothing. */
const childEnd = async (child: FlowRun, deps: StepDeps): Promise<StepEnd> => {
  const { seals } = deps;
  if (!isOurEnd(child, seals)) {
    return { state: 'blocked', waitsFor: 'seal', error: plantedEnd(child.id) };
  }
  if (child.status === 'completed') return { state: 'done', value: child.output };
  const cancelled = toolError('CANCELLED', `The run ${child.id} was cancelled.`);
  const error = child.status === 'cancelled' ? cancelled : (child.error ?? cancelled);
  // Another run of it would make its calls again.
  const isFinal = error.retryable && (await mayHaveChanged(child.id, deps));
  return { state: 'failed', error: isFinal ? { ...error, retryable: false } : error };
};

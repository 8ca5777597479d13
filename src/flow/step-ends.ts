/** How each kind of step runs, and what ends it or keeps it waiting. */
import type { ApprovalRecord } from '../contract/approver.ts';
import type { Catalog } from '../contract/catalog.ts';
import { type ToolError, ToolFailure, toolError } from '../contract/errors.ts';
import type { FlowDefinition } from '../contract/flow.ts';
import { FINISHED, type FlowRun, type Flows, type JournalStep } from '../contract/flow-store.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Tool } from '../contract/tool.ts';
import type { StepEnd } from './flow-execution.ts';
import { errorOf, keepable } from './run-record.ts';

export interface StepCall {
  readonly tool: string;
  readonly input: unknown;
  /** Absent for tools that only read: such a call may be made again. */
  readonly idempotencyKey?: string;
  readonly approvalId?: string;
}

export interface StepQuestion extends Pick<StepCall, 'idempotencyKey' | 'approvalId'> {
  readonly question: string;
  readonly details?: unknown;
}

export interface StepDeps {
  readonly run: FlowRun;
  readonly tools: Pick<Catalog, 'get'>;
  readonly flows: Flows;
  readonly runtime: Pick<Runtime, 'now'>;
  /** Calls a tool as the caller of the run. */
  call(step: StepCall): Promise<ToolResult>;
  /** Puts a question to a person as the caller of the run. */
  confirm(question: StepQuestion): Promise<ToolResult>;
  /** Reads the record of a question. */
  approval(approvalId: string): Promise<ApprovalRecord | undefined>;
  /** Starts a run of another flow for a step, unless there is one already; returns its id. */
  startChild(flow: FlowDefinition, input: unknown, key: string): Promise<string>;
}

/** A step that runs: its key in the journal, and what is on record of it while it is open. */
export interface StepAttempt {
  readonly key: string;
  readonly open: JournalStep | undefined;
}

/** How soon a call is made again whose key another process still holds. */
const BUSY_MS = 1_000;

const isBusy = ({ code, retryable }: { readonly code: string; readonly retryable: boolean }) =>
  code === 'CONFLICT' && retryable;

/** Says whether a tool can be called again without a key: it changes nothing and calls nobody. */
const onlyReads = (tool: Tool | undefined): boolean =>
  tool !== undefined &&
  tool.tier === 'read_only' &&
  !tool.callsTools &&
  (tool.effects?.length ?? 0) === 0 &&
  tool.capabilities.every(({ tier }) => tier === undefined || tier === 'read_only');

const approvalOf = ({ open }: StepAttempt): Pick<StepCall, 'approvalId'> =>
  open?.approvalId === undefined ? {} : { approvalId: open.approvalId };

const resultEnd = (result: ToolResult, now: number): StepEnd => {
  const { executionId } = result.metadata;
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
    return { state: 'blocked', waitsFor: `call:${error.inDoubt}`, error };
  }
  if (isBusy(error)) return { state: 'parked', waitsFor: 'key', step: { wakeAt: now + BUSY_MS } };
  return { state: 'failed', error, step: { executionId } };
};

export const callTool = async (
  { tool, input }: Pick<StepCall, 'tool' | 'input'>,
  attempt: StepAttempt,
  { run, tools, call, runtime }: StepDeps,
): Promise<StepEnd> => {
  const isRepeatable = onlyReads(tools.get(tool)?.tool);
  const key = isRepeatable ? {} : { idempotencyKey: `flow:${run.id}:${attempt.key}` };
  return resultEnd(await call({ tool, input, ...key, ...approvalOf(attempt) }), runtime.now());
};

/** Asks a person. A denial is an answer like any other; no answer in time is a failure. */
export const askPerson = async (
  question: Pick<StepQuestion, 'question' | 'details'>,
  attempt: StepAttempt,
  { run, confirm, approval, runtime }: StepDeps,
): Promise<StepEnd> => {
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

/** The time of the first attempt counts: a sleep does not begin again in another process. */
export const sleepFor = (ms: number, { open }: StepAttempt, now: number): StepEnd => {
  const wakeAt = open?.wakeAt ?? now + ms;
  return wakeAt <= now
    ? { state: 'done' }
    : { state: 'parked', waitsFor: 'time', step: { wakeAt } };
};

/** The events of a run, as its steps take them. */
export class EventInbox {
  readonly #deps: StepDeps;
  /** Events that a step of the run has taken already. */
  readonly #taken: Set<number>;
  /** The newest event that a step has looked at. */
  seen = 0;

  constructor(deps: StepDeps, steps: readonly JournalStep[]) {
    this.#deps = deps;
    this.#taken = new Set(steps.flatMap(({ eventId }) => eventId ?? []));
  }

  /** Takes the oldest event of a name, or waits for one. */
  async take(name: string, timeoutMs: number | undefined, { open }: StepAttempt): Promise<StepEnd> {
    const { flows, run, runtime } = this.#deps;
    const events = await flows.events(run.id);
    this.seen = events.at(-1)?.id ?? this.seen;
    const event = events.find((each) => each.name === name && !this.#taken.has(each.id));
    if (event) {
      this.#taken.add(event.id);
      return { state: 'done', value: event.payload, step: { eventId: event.id } };
    }
    const now = runtime.now();
    const wakeAt = open?.wakeAt ?? (timeoutMs === undefined ? undefined : now + timeoutMs);
    if (wakeAt !== undefined && wakeAt <= now) {
      const error = toolError('TIMEOUT', `The event ${name} did not come in time.`);
      return { state: 'failed', error };
    }
    const step = wakeAt === undefined ? {} : { wakeAt };
    return { state: 'parked', waitsFor: `event:${name}`, step };
  }
}

/** A failure of the code is on record like a value, so that it fails again in a replay. */
export const makeValue = async (make: () => unknown): Promise<StepEnd> => {
  try {
    return { state: 'done', value: keepable(await make()) };
  } catch (error) {
    return { state: 'failed', error: errorOf(error) };
  }
};

/** Starts the run of a step. An input that does not fit, or an id that is taken, fails the step alone. */
const childOf = async (
  flow: FlowDefinition,
  input: unknown,
  { attempt, deps }: { readonly attempt: StepAttempt; readonly deps: StepDeps },
): Promise<string | ToolError> => {
  if (attempt.open?.childId !== undefined) return attempt.open.childId;
  try {
    return await deps.startChild(flow, input, attempt.key);
  } catch (error) {
    if (error instanceof ToolFailure) return errorOf(error);
    throw error;
  }
};

export const runChild = async (
  flow: FlowDefinition,
  input: unknown,
  { attempt, deps }: { readonly attempt: StepAttempt; readonly deps: StepDeps },
): Promise<StepEnd> => {
  const childId = await childOf(flow, input, { attempt, deps });
  if (typeof childId !== 'string') return { state: 'failed', error: childId };
  const child = await deps.flows.get(childId);
  const step = { childId };
  if (!child || !FINISHED.has(child.status)) {
    return { state: 'parked', waitsFor: `run:${childId}`, step };
  }
  if (child.status === 'completed') return { state: 'done', value: child.output, step };
  const error = child.error ?? toolError('CANCELLED', `The run ${childId} was cancelled.`);
  return { state: 'failed', error, step };
};

/** The methods that the code of a flow is handed, each a step of the execution. */
import type { Catalog } from '../contract/catalog.ts';
import { ToolFailure, toolError } from '../contract/errors.ts';
import type { FlowContext, FlowDefinition } from '../contract/flow.ts';
import type { Flows } from '../contract/flow-store.ts';
import { FINISHED, type FlowRun, type JournalStep } from '../contract/flow-store.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Tool } from '../contract/tool.ts';
import type { FlowExecution, StepEnd } from './flow-execution.ts';

export interface StepCall {
  readonly tool: string;
  readonly input: unknown;
  /** Absent for tools that only read: such a call may be made again. */
  readonly idempotencyKey?: string;
  readonly approvalId?: string;
}

export interface ContextDeps {
  readonly run: FlowRun;
  readonly tools: Pick<Catalog, 'get'>;
  readonly flows: Flows;
  readonly runtime: Pick<Runtime, 'now'>;
  /** Calls a tool as the caller of the run. */
  call(step: StepCall): Promise<ToolResult>;
  /** Starts a run of another flow under this id, unless there is one already. */
  startChild(flow: FlowDefinition<never, never>, input: unknown, key: string): Promise<string>;
}

/** How soon a call is made again whose key another process still holds. */
const BUSY_MS = 1_000;
const MAX_SLEEP_MS = 366 * 24 * 3_600_000;

const isBusy = ({ code, retryable }: { readonly code: string; readonly retryable: boolean }) =>
  code === 'CONFLICT' && retryable;

/** Says whether a tool can be called again without a key: it changes nothing and calls nobody. */
const onlyReads = (tool: Tool | undefined): boolean =>
  tool !== undefined &&
  tool.tier === 'read_only' &&
  !tool.callsTools &&
  (tool.effects?.length ?? 0) === 0 &&
  tool.capabilities.every(({ tier }) => tier === undefined || tier === 'read_only');

const callEnd = (result: ToolResult, now: number): StepEnd => {
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

const sleepEnd = (ms: number, open: JournalStep | undefined, now: number): StepEnd => {
  const wakeAt = open?.wakeAt ?? now + ms;
  return wakeAt <= now
    ? { state: 'done' }
    : { state: 'parked', waitsFor: 'time', step: { wakeAt } };
};

const assertSleep = (ms: number): void => {
  if (Number.isFinite(ms) && ms >= 0 && ms <= MAX_SLEEP_MS) return;
  throw new ToolFailure(
    'VALIDATION_ERROR',
    'sleep takes milliseconds, at least 0, a year at most.',
  );
};

/** Runs tasks in a moving window; throws the first failure once all that were started have ended. */
const runAll = async <T>(
  tasks: readonly (() => Promise<T>)[],
  maxConcurrency = tasks.length,
): Promise<readonly T[]> => {
  if (tasks.length > 0 && !(Number.isSafeInteger(maxConcurrency) && maxConcurrency > 0)) {
    throw new ToolFailure('VALIDATION_ERROR', 'maxConcurrency must be a whole number above zero.');
  }
  const results = new Array<T>(tasks.length);
  const failures: unknown[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < tasks.length && failures.length === 0) {
      const index = next++;
      try {
        results[index] = await (tasks[index] as () => Promise<T>)();
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxConcurrency, tasks.length) }, worker));
  if (failures.length > 0) throw failures[0];
  return results;
};

export class StepContext implements FlowContext {
  readonly runId: string;
  readonly #execution: FlowExecution;
  readonly #deps: ContextDeps;
  /** Events that a step of this run has taken already. */
  readonly #taken: Set<number>;
  /** The newest event that a step of this run has looked at. */
  seenEvent = 0;

  constructor(execution: FlowExecution, deps: ContextDeps, steps: readonly JournalStep[]) {
    this.runId = deps.run.id;
    this.#execution = execution;
    this.#deps = deps;
    this.#taken = new Set(steps.flatMap(({ eventId }) => eventId ?? []));
  }

  call<I, O>(tool: Tool<I, O>, input: I): Promise<O>;
  call(tool: string, input: unknown): Promise<unknown>;
  call(tool: string | Tool, input: unknown): Promise<unknown> {
    const name = typeof tool === 'string' ? tool : tool.name;
    const { runtime, tools } = this.#deps;
    return this.#execution.step({
      kind: 'call',
      name,
      input,
      work: async (key, open) => {
        const idempotencyKey = onlyReads(tools.get(name)?.tool)
          ? {}
          : { idempotencyKey: `flow:${this.runId}:${key}` };
        const approval = open?.approvalId === undefined ? {} : { approvalId: open.approvalId };
        const request = { tool: name, input, ...idempotencyKey, ...approval };
        return callEnd(await this.#deps.call(request), runtime.now());
      },
    });
  }

  all<T>(
    tasks: readonly (() => Promise<T>)[],
    { maxConcurrency }: { readonly maxConcurrency?: number } = {},
  ): Promise<readonly T[]> {
    return runAll(tasks, maxConcurrency);
  }

  async sleep(ms: number): Promise<void> {
    assertSleep(ms);
    const { runtime } = this.#deps;
    await this.#execution.step({
      kind: 'sleep',
      name: 'sleep',
      input: ms,
      work: async (_, open) => sleepEnd(ms, open, runtime.now()),
    });
  }

  waitForEvent(
    name: string,
    { timeoutMs }: { readonly timeoutMs?: number } = {},
  ): Promise<unknown> {
    const input = { name, ...(timeoutMs !== undefined && { timeoutMs }) };
    return this.#execution.step({
      kind: 'event',
      name,
      input,
      work: (_, open) => this.#eventEnd(name, timeoutMs, open),
    });
  }

  async child<I, O>(flow: FlowDefinition<I, O>, input: I): Promise<O> {
    const output = await this.#execution.step({
      kind: 'child',
      name: `${flow.name}@${flow.version}`,
      input,
      work: async (key, open) => {
        const own = flow as unknown as FlowDefinition<never, never>;
        const childId = open?.childId ?? (await this.#deps.startChild(own, input, key));
        return this.#childEnd(childId);
      },
    });
    return output as O;
  }

  async value<T>(name: string, make: () => T | Promise<T>): Promise<T> {
    const value = await this.#execution.step({
      kind: 'value',
      name,
      input: null,
      work: async () => ({ state: 'done', value: await make() }),
    });
    return value as T;
  }

  async #eventEnd(
    name: string,
    timeoutMs: number | undefined,
    open: JournalStep | undefined,
  ): Promise<StepEnd> {
    const { flows, runtime } = this.#deps;
    const events = await flows.events(this.runId);
    this.seenEvent = events.at(-1)?.id ?? this.seenEvent;
    const event = events.find((each) => each.name === name && !this.#taken.has(each.id));
    if (event) {
      this.#taken.add(event.id);
      return { state: 'done', value: event.payload, step: { eventId: event.id } };
    }
    const now = runtime.now();
    const wakeAt = open?.wakeAt ?? (timeoutMs === undefined ? undefined : now + timeoutMs);
    if (wakeAt !== undefined && wakeAt <= now) {
      return {
        state: 'failed',
        error: toolError('TIMEOUT', `The event ${name} did not come in time.`),
      };
    }
    return {
      state: 'parked',
      waitsFor: `event:${name}`,
      step: wakeAt === undefined ? {} : { wakeAt },
    };
  }

  async #childEnd(childId: string): Promise<StepEnd> {
    const child = await this.#deps.flows.get(childId);
    if (!child || !FINISHED.has(child.status)) {
      return { state: 'parked', waitsFor: `run:${childId}`, step: { childId } };
    }
    if (child.status === 'completed')
      return { state: 'done', value: child.output, step: { childId } };
    const error = child.error ?? toolError('CANCELLED', `The run ${childId} was cancelled.`);
    return { state: 'failed', error, step: { childId } };
  }
}

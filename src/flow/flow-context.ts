/** The methods that the code of a flow is handed, each a step of the execution. */
import type { Caller } from '../contract/caller.ts';
import { ToolFailure } from '../contract/errors.ts';
import type {
  FlowApproval,
  FlowCallOptions,
  FlowChildOptions,
  FlowContext,
  FlowDefinition,
  FlowStepOptions,
} from '../contract/flow.ts';
import type { JournalStep, StepKind } from '../contract/flow-store.ts';
import type { Tool } from '../contract/tool.ts';
import { DAY_MS } from '../kit/data/durations.ts';
import { EventInbox } from './events/event-inbox.ts';
import { contextFault } from './flow-context-checks.ts';
import type { FlowExecution } from './flow-execution.ts';
import { askPerson, callTool, makeValue, runChild, type StepDeps, sleepFor } from './step-ends.ts';
import type { StepAttempt, StepEnd } from './turn.ts';

const MAX_SLEEP_MS = 366 * DAY_MS;

const assertSleep = (ms: number): void => {
  if (Number.isFinite(ms) && ms >= 0 && ms <= MAX_SLEEP_MS) return;
  throw new ToolFailure('VALIDATION_ERROR', 'sleep takes milliseconds, from 0 to a year.');
};

const assertConcurrency = (maxConcurrency: number): void => {
  if (Number.isSafeInteger(maxConcurrency) && maxConcurrency > 0) return;
  throw new ToolFailure('VALIDATION_ERROR', 'maxConcurrency must be a whole number above zero.');
};

const ignore = (): void => undefined;

/** Marks a promise as handled: a failure that the code of a flow ignores must not end the process. */
const handled = <T>(promise: Promise<T>): Promise<T> => {
  promise.catch(ignore);
  return promise;
};

/** Rejects as a step that fails does, so that the code of a flow can catch it. */
const refusal = (...call: Parameters<typeof contextFault>): Promise<never> | undefined => {
  const fault = contextFault(...call);
  return fault && handled(Promise.reject<never>(fault));
};

/** Runs tasks in a moving window; throws the first failure once all that were started have ended. */
const runAll = async <T>(
  tasks: readonly (() => Promise<T>)[],
  maxConcurrency = Math.max(1, tasks.length),
): Promise<readonly T[]> => {
  assertConcurrency(maxConcurrency);
  const results = new Array<T>(tasks.length);
  const failures: unknown[] = [];
  const waiting = tasks.entries();
  const worker = async (): Promise<void> => {
    for (const [index, task] of waiting) {
      try {
        results[index] = await task();
      } catch (error) {
        failures.push(error);
      }
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxConcurrency, tasks.length) }, worker));
  if (failures.length > 0) throw failures[0];
  return results;
};

interface NamedStep {
  readonly name: string;
  readonly input: unknown;
  readonly key: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export class StepContext implements FlowContext {
  readonly runId: string;
  readonly caller: Caller;
  readonly events: EventInbox;
  readonly #execution: FlowExecution;
  readonly #deps: StepDeps;

  constructor(execution: FlowExecution, deps: StepDeps, steps: readonly JournalStep[]) {
    this.runId = deps.run.id;
    this.caller = deps.run.caller;
    this.events = new EventInbox(deps, steps);
    this.#execution = execution;
    this.#deps = deps;
  }

  call<I, O>(tool: Tool<I, O>, input: I, options?: FlowCallOptions): Promise<O>;
  call(tool: string, input: unknown, options?: FlowCallOptions): Promise<unknown>;
  call(tool: string | Tool, input: unknown, options?: FlowCallOptions): Promise<unknown> {
    // Most calls have no options: only a tool that is none is looked at.
    const refused = (options || !tool) && refusal('call', [tool, input, options]);
    if (refused) return refused;
    const name = typeof tool === 'string' ? tool : tool.name;
    const step = options ? { ...options, tool: name, input } : { tool: name, input };
    const work = (attempt: StepAttempt) => callTool(step, attempt, this.#deps);
    // Most steps have no options: what `#step` makes of them is left out.
    if (!options) return handled(this.#execution.step({ kind: 'call', name, input, work }));
    const { key, signal } = options;
    return this.#step('call', { name, input, key, signal }, work);
  }

  all<T>(
    tasks: readonly (() => Promise<T>)[],
    options: { readonly maxConcurrency?: number } = {},
  ): Promise<readonly T[]> {
    return refusal('all', [tasks, options]) ?? handled(runAll(tasks, options.maxConcurrency));
  }

  sleep(ms: number, options: FlowStepOptions = {}): Promise<void> {
    return refusal('sleep', [ms, options]) ?? handled(this.#sleep(ms, options));
  }

  waitForApproval(
    question: string,
    details?: unknown,
    options: FlowStepOptions = {},
  ): Promise<FlowApproval> {
    const refused = refusal('waitForApproval', [question, details, options]);
    if (refused) return refused;
    const { key, signal } = options;
    const input = { question, ...(details !== undefined && { details }) };
    const asked = signal ? { ...input, signal } : input;
    return this.#step('approval', { name: 'approval', input, key, signal }, (attempt) =>
      askPerson(asked, attempt, this.#deps),
    );
  }

  waitForEvent(
    name: string,
    options: FlowStepOptions & { readonly timeoutMs?: number } = {},
  ): Promise<unknown> {
    const refused = refusal('waitForEvent', [name, options]);
    if (refused) return refused;
    const { timeoutMs, key, signal } = options;
    const input = timeoutMs === undefined ? {} : { timeoutMs };
    return this.#step('event', { name, input, key, signal }, (attempt) =>
      this.events.take(name, timeoutMs, attempt),
    );
  }

  child<I, O>(flow: FlowDefinition<I, O>, input: I, options: FlowChildOptions = {}): Promise<O> {
    const refused = refusal('child', [flow, input, options]);
    if (refused) return refused;
    const { key, signal, flowUsd } = options;
    const name = `${flow.name}@${flow.version}`;
    return this.#step('child', { name, input, key, signal }, (attempt) =>
      runChild(flow as unknown as FlowDefinition, input, {
        attempt,
        deps: this.#deps,
        ...(flowUsd !== undefined && { flowUsd }),
      }),
    );
  }

  value<T>(name: string, make: () => T | Promise<T>, options: FlowStepOptions = {}): Promise<T> {
    const { key } = options;
    return (
      refusal('value', [name, make, options]) ??
      this.#step('value', { name, input: null, key }, () => makeValue(make, this.#deps))
    );
  }

  cancelCalls(): void {
    this.#deps.cancelCalls();
  }

  /** Cancels the run of a child, and takes back a question that nobody has answered. */
  readonly #abandon = async (open: JournalStep | undefined): Promise<void> => {
    const { childId, approvalId } = open ?? {};
    if (childId !== undefined) await this.#deps.cancelChild(childId);
    if (approvalId !== undefined) await this.#deps.withdraw(approvalId);
  };

  async #sleep(ms: number, { key, signal }: FlowStepOptions): Promise<void> {
    assertSleep(ms);
    await this.#step('sleep', { name: 'sleep', input: ms, key, signal }, async (attempt) =>
      sleepFor(ms, attempt, this.#deps.runtime.now()),
    );
  }

  #step<T>(
    kind: StepKind,
    { name, input, key, signal }: NamedStep,
    work: (attempt: StepAttempt) => Promise<StepEnd>,
  ): Promise<T> {
    const request = { kind, name, input, work };
    const keyed = key === undefined ? request : { ...request, key };
    const named = signal ? { ...keyed, signal, abandon: this.#abandon } : keyed;
    return handled(this.#execution.step(named) as Promise<T>);
  }
}

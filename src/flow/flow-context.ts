/** The methods that the code of a flow is handed, each a step of the execution. */
import { ToolFailure } from '../contract/errors.ts';
import type { FlowApproval, FlowContext, FlowDefinition } from '../contract/flow.ts';
import type { JournalStep, StepKind } from '../contract/flow-store.ts';
import type { Tool } from '../contract/tool.ts';
import { DAY_MS } from '../kit/data/durations.ts';
import type { FlowExecution, StepEnd } from './flow-execution.ts';
import {
  askPerson,
  callTool,
  EventInbox,
  makeValue,
  runChild,
  type StepAttempt,
  type StepDeps,
  sleepFor,
} from './step-ends.ts';

const MAX_SLEEP_MS = 366 * DAY_MS;

const assertSleep = (ms: number): void => {
  if (Number.isFinite(ms) && ms >= 0 && ms <= MAX_SLEEP_MS) return;
  throw new ToolFailure('VALIDATION_ERROR', 'sleep takes milliseconds, from 0 to a year.');
};

const assertConcurrency = (maxConcurrency: number): void => {
  if (Number.isSafeInteger(maxConcurrency) && maxConcurrency > 0) return;
  throw new ToolFailure('VALIDATION_ERROR', 'maxConcurrency must be a whole number above zero.');
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

export class StepContext implements FlowContext {
  readonly runId: string;
  readonly events: EventInbox;
  readonly #execution: FlowExecution;
  readonly #deps: StepDeps;

  constructor(execution: FlowExecution, deps: StepDeps, steps: readonly JournalStep[]) {
    this.runId = deps.run.id;
    this.events = new EventInbox(deps, steps);
    this.#execution = execution;
    this.#deps = deps;
  }

  call<I, O>(tool: Tool<I, O>, input: I): Promise<O>;
  call(tool: string, input: unknown): Promise<unknown>;
  call(tool: string | Tool, input: unknown): Promise<unknown> {
    const name = typeof tool === 'string' ? tool : tool.name;
    return this.#step('call', { name, input }, (attempt) =>
      callTool({ tool: name, input }, attempt, this.#deps),
    );
  }

  all<T>(
    tasks: readonly (() => Promise<T>)[],
    { maxConcurrency }: { readonly maxConcurrency?: number } = {},
  ): Promise<readonly T[]> {
    return runAll(tasks, maxConcurrency);
  }

  async sleep(ms: number): Promise<void> {
    assertSleep(ms);
    await this.#step('sleep', { name: 'sleep', input: ms }, async (attempt) =>
      sleepFor(ms, attempt, this.#deps.runtime.now()),
    );
  }

  async waitForApproval(question: string, details?: unknown): Promise<FlowApproval> {
    const input = { question, ...(details !== undefined && { details }) };
    const answer = await this.#step('approval', { name: 'approval', input }, (attempt) =>
      askPerson(input, attempt, this.#deps),
    );
    return answer as FlowApproval;
  }

  waitForEvent(
    name: string,
    { timeoutMs }: { readonly timeoutMs?: number } = {},
  ): Promise<unknown> {
    const input = timeoutMs === undefined ? {} : { timeoutMs };
    return this.#step('event', { name, input }, (attempt) =>
      this.events.take(name, timeoutMs, attempt),
    );
  }

  async child<I, O>(flow: FlowDefinition<I, O>, input: I): Promise<O> {
    const name = `${flow.name}@${flow.version}`;
    const output = await this.#step('child', { name, input }, (attempt) =>
      runChild(flow as unknown as FlowDefinition, input, { attempt, deps: this.#deps }),
    );
    return output as O;
  }

  async value<T>(name: string, make: () => T | Promise<T>): Promise<T> {
    const value = await this.#step('value', { name, input: null }, () => makeValue(make));
    return value as T;
  }

  #step(
    kind: StepKind,
    { name, input }: { readonly name: string; readonly input: unknown },
    work: (attempt: StepAttempt) => Promise<StepEnd>,
  ): Promise<unknown> {
    return this.#execution.step({ kind, name, input, work: (key, open) => work({ key, open }) });
  }
}

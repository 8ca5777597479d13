/** Flows as code: durable functions whose steps are governed calls, written down as they end. */
import type { CallerAs, CallOptions } from './call-options.ts';
import type { Caller } from './caller.ts';
import type { CribFlowData } from './flow-data-members.ts';
import type { FlowFilter, FlowRun, JournalStep } from './flow-store.ts';
import type { JsonSchema, LazySchema } from './schema.ts';
import type { Tool } from './tool.ts';

/** A person's answer to `waitForApproval`. */
export interface FlowApproval {
  readonly approved: boolean;
  /** Who answered, and what was noted, where the answer came from the inbox. */
  readonly by?: string;
  readonly note?: string;
}

/** How one step is made. */
export interface FlowStepOptions {
  /**
   * The key of the step in the journal, a letter followed by letters, digits, `_`, `.` or `-`, instead of
   * its number. Steps with keys are recognized in any order; each key can be used once in a run.
   */
  readonly key?: string;
  /**
   * Ends the step with CANCELLED when it fires: a call gets the signal, a wait ends, a child is
   * cancelled. It has to be fired by the code of the flow, at a point that a replay reaches as well.
   */
  readonly signal?: AbortSignal;
}

/** How a step starts another flow. */
export interface FlowChildOptions extends FlowStepOptions {
  /** US dollars that the run may cost with all that it starts, where that is less than configured. */
  readonly flowUsd?: number;
}

/** How a step calls its tool. */
export interface FlowCallOptions extends FlowChildOptions {
  readonly version?: string;
  readonly timeoutMs?: number;
  /**
   * The key of a step that this one tries again, for tools that change something: both calls carry one
   * idempotency key, so that what the first has done is not done twice. The key of this step when absent.
   */
  readonly attemptOf?: string;
  /**
   * For tools that change something: a call of this run that has succeeded, which this step tries again.
   * It is not made: the step returns the same, or fails with CONFLICT where its input is another one.
   */
  readonly earlier?: { readonly input: unknown; readonly data: unknown };
  /** The place of the call in the plan of a declared flow: what was approved with it is not asked again. */
  readonly place?: string;
  /**
   * Runs around the call when it is made, and not when the journal answers it. The signal fires when the
   * call is cancelled; it has to be made all the same, and then ends at once.
   */
  within?<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** What the code of a flow gets. Each method is one step; a step that has ended never runs again. */
export interface FlowContext {
  readonly runId: string;
  /** On whose behalf the steps are called. */
  readonly caller: Caller;
  /**
   * Calls a tool as the caller who started the run. Returns its data, and throws a `ToolFailure` when
   * the call fails. A call that needs approval waits for it, for days if need be.
   *
   * @example
   * const text = await flow.call(greet, { name: 'Ada' });
   * await flow.call('write_file', { path: 'greeting.txt', content: text }, { timeoutMs: 5_000 });
   */
  call<I, O>(tool: Tool<I, O>, input: I, options?: FlowCallOptions): Promise<O>;
  call(tool: string, input: unknown, options?: FlowCallOptions): Promise<unknown>;
  /**
   * Runs the tasks, at most `maxConcurrency` at once; the first failure is thrown when all have ended.
   *
   * @example
   * const names = ['Ada', 'Grace', 'Katherine'];
   * const texts = await flow.all(
   *   names.map((name) => () => flow.call(greet, { name }, { key: name })),
   *   { maxConcurrency: 2 },
   * );
   */
  all<T>(
    tasks: readonly (() => Promise<T>)[],
    options?: { readonly maxConcurrency?: number },
  ): Promise<readonly T[]>;
  /**
   * Waits for so many milliseconds. The time passes also while no process runs.
   *
   * @example
   * await flow.sleep(24 * 60 * 60 * 1000);
   */
  sleep(ms: number, options?: FlowStepOptions): Promise<void>;
  /**
   * Asks a person, who finds the question among the approvals, and waits for the answer. A rule can
   * deny such questions, none can answer them. Throws APPROVAL_EXPIRED when nobody answers in time.
   *
   * @example
   * const { approved, by } = await flow.waitForApproval('Send the newsletter?', { recipients: 1200 });
   * if (!approved) return { sent: false, by };
   */
  waitForApproval(
    question: string,
    details?: unknown,
    options?: FlowStepOptions,
  ): Promise<FlowApproval>;
  /**
   * Waits for an event that `crib.flows.send` sends. Throws TIMEOUT when it does not come within `timeoutMs`.
   *
   * @example
   * const payment = await flow.waitForEvent('paid', { timeoutMs: 3_600_000 });
   */
  waitForEvent(
    name: string,
    options?: FlowStepOptions & { readonly timeoutMs?: number },
  ): Promise<unknown>;
  /**
   * Runs another flow as a run of its own, and returns its output.
   *
   * @example
   * const report = await flow.child(welcome, { name: 'Ada' }, { flowUsd: 0.5 });
   */
  child<I, O>(flow: FlowDefinition<I, O>, input: I, options?: FlowChildOptions): Promise<O>;
  /**
   * Computes a value once and remembers it: the clock, randomness, an id. `make` must have no effect
   * outside, because it runs again when the process dies in it.
   *
   * @example
   * const startedAt = await flow.value('started at', () => Date.now());
   */
  value<T>(name: string, make: () => T | Promise<T>, options?: FlowStepOptions): Promise<T>;
  /**
   * Cancels the calls that run; calls that are made later fail with CANCELLED.
   *
   * @example
   * const slow = flow.call('web_scrape', { url: 'https://example.com' });
   * flow.cancelCalls();
   * await slow.catch(() => undefined);
   */
  cancelCalls(): void;
}

/** A flow as code. The version is declared: a run continues with the version that it began with. */
export interface FlowDefinition<I = unknown, O = unknown> {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  /** Checked when a run is started. */
  readonly input?: LazySchema<I>;
  /** Undoes the calls that were made, newest first, when the flow fails; off by default. */
  readonly undoOnFailure?: boolean;
  /**
   * Runs the flow. It must be deterministic between its steps: the same steps, in the same order,
   * for the same answers.
   */
  run(flow: FlowContext, input: I): Promise<O>;
}

/** A run that was started: await its end, or look for it later by its id. */
export interface StartedRun<O = unknown> {
  readonly runId: string;
  /**
   * Resolves when the run is completed, failed, cancelled or blocked, in whichever process. Rejects with
   * STORE_UNAVAILABLE when the crib is closed before; the run stays on record.
   */
  readonly finished: Promise<FlowRun & { readonly output?: O }>;
}

/** What the calls of a run have cost so far, those of its children included. */
export interface FlowCost {
  readonly usd: number;
  /** The most that calls under way can still cost. */
  readonly heldUsd: number;
  readonly tokens: number;
}

/** A run as `crib.flows.list` shows it. */
export interface ListedFlowRun extends FlowRun {
  /**
   * The run has been due for a while, and this process cannot continue it: it does not have this version
   * of the flow. `resume` with another version moves it.
   */
  readonly missingVersion?: true;
}

/** A run as `crib.flows.get` shows it. */
export interface FlowRunInfo extends ListedFlowRun {
  readonly cost: FlowCost;
}

/** What a person says of a call of a blocked run, of which nobody knows whether it took effect. */
export interface StepSettlement {
  /** The key of the step, as `crib.flows.steps` lists it. */
  readonly step: string;
  /** `not_done`: the call is made again. */
  readonly as: 'done' | 'not_done';
  /** What the call returned where it is done, as the code of the flow gets it; null when absent. */
  readonly data?: unknown;
}

/** How `crib.flows.resume` continues a run. */
export interface ResumeOptions {
  /** The version of the flow that goes on with it. */
  readonly version?: string;
  /** Ends the doubt about the call that blocks the run; the trail says who said so. */
  readonly settle?: StepSettlement;
}

/** What `crib.flows.start` takes besides flow and input: who starts it, and under which id. */
export interface StartFlowAs extends CallerAs, Pick<CallOptions, 'trace'> {
  /**
   * Starting the same id again gives the run that is there, as an idempotency key does for a call; a new
   * id when absent.
   */
  readonly runId?: string;
  /** When absent: the version registered last, of files the highest, or the one of `planDigest`. */
  readonly version?: string;
  /**
   * For a flow as data: the digest of the plan that somebody agreed to. The run is refused with CONFLICT
   * unless flow, input and tools are still those of that plan.
   */
  readonly planDigest?: string;
  /**
   * For a flow as data: the approval of the whole plan, as `requestApproval` named it. It counts for one
   * run. Refused with CONFLICT when flow, input, caller or tools are not those of the plan.
   */
  readonly planApproval?: string;
}

/** A flow that this process can run, as lists and forms show it. */
export interface FlowInfo {
  readonly name: string;
  /** The version that a new run gets: the one registered last. */
  readonly version: string;
  /** All versions that are registered, in the order of their registration. */
  readonly versions: readonly string[];
  readonly description: string;
  /** `data` for a flow whose steps are declared: it can be planned and drawn before it runs. */
  readonly source: 'code' | 'data';
  /** The input as JSON Schema; absent for a flow that takes anything. */
  readonly input?: JsonSchema;
}

/**
 * The flows: runs that survive the end of their process. Whoever names a caller sees and touches the
 * runs of that user alone, unless the caller is an owner or admin; a run of another user is as good as
 * unknown. A child belongs to the caller of its parent.
 */
export interface CribFlows extends CribFlowData {
  /**
   * Registers a flow in this process, which from now on also continues its runs that are due. Throws
   * CONFIG_INVALID, and CONFLICT for other code under a version that is taken.
   *
   * @example
   * crib.flows.register(
   *   defineFlow({
   *     name: 'welcome',
   *     version: '1.0.0',
   *     run: async (flow, { name }: { name: string }) => {
   *       await flow.sleep(60_000);
   *       return flow.call(greet, { name });
   *     },
   *   }),
   * );
   */
  register<I, O>(flow: FlowDefinition<I, O>): void;
  /**
   * Lists the flows that are registered in this process, by name.
   *
   * @example
   * for (const { name, version } of await crib.flows.registered()) console.log(name, version);
   */
  registered(): Promise<readonly FlowInfo[]>;
  /**
   * Starts a run on behalf of a caller. Rejects with NOT_FOUND for a flow that is not registered and
   * VALIDATION_ERROR for input that does not fit.
   *
   * @example
   * const { runId, finished } = await crib.flows.start('welcome', { name: 'Ada' });
   * console.log(runId, (await finished).status);
   */
  start(flow: string, input: unknown, as?: StartFlowAs): Promise<StartedRun>;
  /**
   * Resolves when a run is completed, failed, cancelled or blocked, in whichever process. Rejects with
   * NOT_FOUND, and with STORE_UNAVAILABLE when the crib is closed before.
   *
   * @example
   * console.log((await crib.flows.finished('run-1')).status);
   */
  finished(runId: string, as?: CallerAs): Promise<FlowRun>;
  /**
   * Reads one run and what it has cost; `undefined` when there is none of this id, or none that this
   * caller may see: an owner or admin sees all runs, others see their own. Finished runs are kept for 30 days.
   *
   * @example
   * const run = await crib.flows.get('run-1');
   * console.log(run?.status, run?.waitsFor, run?.cost.usd);
   */
  get(runId: string, as?: CallerAs): Promise<FlowRunInfo | undefined>;
  /**
   * Lists runs that the caller may see, newest first.
   *
   * @example
   * const blocked = await crib.flows.list({ status: 'blocked' });
   */
  list(filter?: FlowFilter, as?: CallerAs): Promise<readonly ListedFlowRun[]>;
  /**
   * Lists the steps of a run, in the order in which they were begun: those on record, and those that
   * this process works on; none for an unknown run.
   *
   * @example
   * for (const { name, state } of await crib.flows.steps('run-1')) console.log(name, state);
   */
  steps(runId: string, as?: CallerAs): Promise<readonly JournalStep[]>;
  /**
   * Sends an event to a run, for `flow.waitForEvent`. False for one that is finished or unknown.
   *
   * @example
   * await crib.flows.send('run-1', 'paid', { invoice: 7 });
   */
  send(runId: string, event: string, payload?: unknown, as?: CallerAs): Promise<boolean>;
  /**
   * Cancels a run and those that it has started. False for one that is finished or unknown. Rejects with
   * CONFLICT while a process undoes what a failed run did: half of it would be left.
   *
   * @example
   * await crib.flows.cancel('run-1');
   */
  cancel(runId: string, as?: CallerAs): Promise<boolean>;
  /**
   * Continues a run that is blocked or waits for a missing version, on another version if one is named.
   * Returns false for one that is finished or unknown, or that a process works on. Rejects with
   * VALIDATION_ERROR for what is no version, and with NOT_FOUND for one that this process does not have
   * although it has others of the flow.
   *
   * Rejects with CONFLICT where `settle` names a step of which no call is in doubt.
   *
   * @example
   * await crib.flows.resume('run-1', { version: '2.0.0' });
   * await crib.flows.resume('run-2', { settle: { step: '3', as: 'not_done' } });
   */
  resume(runId: string, options?: ResumeOptions, as?: CallerAs): Promise<boolean>;
}

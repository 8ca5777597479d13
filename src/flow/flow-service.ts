/**
 * Starts runs, continues those that are due, and ends them. Any number of processes may do so on one
 * store: each run is worked on by one of them.
 */
import type { CallAs } from '../contract/call-options.ts';
import { type Caller, LOCAL_CALLER } from '../contract/caller.ts';
import type { Catalog } from '../contract/catalog.ts';
import { type ToolError, ToolFailure, toolError } from '../contract/errors.ts';
import type { Events } from '../contract/events.ts';
import type { FlowDefinition, StartedRun, StartFlowAs } from '../contract/flow.ts';
import {
  FINISHED,
  type FlowParent,
  type FlowRun,
  type Flows,
  type RunChange,
} from '../contract/flow-store.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Runtime, Timer } from '../contract/runtime.ts';
import { canonicalJson } from '../kit/data/canonical-json.ts';
import { isCoded, isError, reasonOf } from '../kit/data/reason-of.ts';
import { compileSchema } from '../registry/schema/compile-schema.ts';
import { type ContextDeps, StepContext } from './flow-context.ts';
import { FlowExecution, type TurnEnd } from './flow-execution.ts';
import type { FlowRegistry } from './flow-registry.ts';
import { RunWatchers } from './run-watchers.ts';

export interface FlowServiceDeps {
  readonly registry: FlowRegistry;
  readonly runtime: Runtime;
  readonly events: Pick<Events, 'on'>;
  readonly tools: Pick<Catalog, 'get'>;
  flows(): Promise<Flows>;
  nextId(): string;
  execute(tool: string, input: unknown, as: CallAs): Promise<ToolResult>;
  undo(executionId: string, as: CallAs): Promise<ToolResult>;
  /** Says whether a question has been answered, or is gone. */
  isDecided(approvalId: string): Promise<boolean>;
  seal(text: string): Promise<string | undefined>;
  isOurs(text: string, seal: string | undefined): Promise<boolean>;
}

interface ActiveRun {
  readonly execution: FlowExecution;
  readonly controller: AbortController;
}

const POLL_MS = 1_000;
const CLAIMED_AT_ONCE = 64;
const APPROVAL = 'approval:';

/** What a run is sealed by: what it does, and on whose behalf. */
const sealedText = ({ id, flow, input, caller, dailyUsd, parent }: FlowRun): string =>
  `toolcrib flow 1\n${canonicalJson({ id, flow, input, caller, dailyUsd, parent })}`;

const errorOf = (thrown: unknown): ToolError => {
  if (isError(thrown) && isCoded(thrown)) {
    return toolError(thrown.code, thrown.message, thrown.extras);
  }
  return toolError('EXECUTION_FAILED', reasonOf(thrown));
};

const callerOf = (as: CallAs | undefined): Caller => {
  const { userId, agentId, sessionId, loopId, roles, permissions, isolation } = {
    ...LOCAL_CALLER,
    ...as,
  };
  const { tools, authenticated } = as ?? {};
  return {
    ...{ userId, agentId, sessionId, loopId, roles, permissions, isolation },
    ...(tools && { tools }),
    ...(authenticated && { authenticated }),
  };
};

export class FlowService {
  readonly #deps: FlowServiceDeps;
  readonly #active = new Map<string, ActiveRun>();
  readonly #watchers = new RunWatchers();
  readonly #turns = new Set<Promise<void>>();
  readonly #stopListening: () => void;
  #timer: Timer | undefined;
  #pollAt = Number.POSITIVE_INFINITY;
  #isClosed = false;

  constructor(deps: FlowServiceDeps) {
    this.#deps = deps;
    this.#stopListening = deps.events.on('approval.decided', ({ approvalId }) => {
      for (const { execution } of this.#active.values()) {
        execution.recheck(`${APPROVAL}${approvalId}`);
      }
      this.#schedule(0);
    });
  }

  /** Looks for runs that are due: a flow was registered, or somebody waits for one. */
  continueDue(): void {
    this.#schedule(0);
  }

  /** Starts a run. Rejects with NOT_FOUND or VALIDATION_ERROR before anything is written. */
  async start(
    name: string,
    input: unknown,
    { runId = this.#deps.nextId(), version, ...as }: StartFlowAs = {},
  ): Promise<StartedRun> {
    const flow = this.#deps.registry.get(name, version);
    const { dailyUsd } = as;
    const parsed = await this.#parse(flow, input);
    const limits = dailyUsd === undefined ? {} : { dailyUsd };
    await this.#create(flow, { id: runId, input: parsed, caller: callerOf(as), ...limits });
    return { runId, finished: this.whenOver(runId) };
  }

  /** Resolves when the run is finished or blocked, in whichever process. */
  async whenOver(runId: string): Promise<FlowRun> {
    const over = this.#watchers.wait(runId);
    const run = await (await this.#deps.flows()).get(runId);
    if (!run) throw new ToolFailure('NOT_FOUND', `There is no run ${runId}.`);
    this.#watchers.settle(run);
    this.#schedule(POLL_MS);
    return over;
  }

  /** Sends an event to a run. False for one that is finished or unknown. */
  async send(runId: string, name: string, payload: unknown): Promise<boolean> {
    const flows = await this.#deps.flows();
    const isSent = await flows.send(runId, { name, payload, at: this.#deps.runtime.now() });
    this.#active.get(runId)?.execution.recheck(`event:${name}`);
    this.#schedule(0);
    return isSent;
  }

  /** Cancels a run and the runs that it has started. False when it is finished already. */
  async cancel(runId: string): Promise<boolean> {
    const flows = await this.#deps.flows();
    const error = toolError('CANCELLED', 'The run was cancelled.');
    const change = { ...this.#stopped('cancelled'), error };
    const isCancelled = await flows.change(runId, change);
    this.#drop(runId, error);
    for (const { childId, state } of await flows.steps(runId)) {
      if (childId !== undefined && state === 'open') await this.cancel(childId);
    }
    if (isCancelled) await this.#ended(runId);
    return isCancelled;
  }

  /** Continues a blocked run, with another version of its flow if one is named. */
  async resume(runId: string, { version }: { readonly version?: string } = {}): Promise<boolean> {
    const now = this.#deps.runtime.now();
    const change: RunChange = {
      ...{ status: 'waiting', updatedAt: now, wakeAt: now, waitsFor: undefined, error: undefined },
      ...(version !== undefined && { version }),
    };
    const isChanged = await (await this.#deps.flows()).change(runId, change);
    this.#schedule(0);
    return isChanged;
  }

  /** Stops continuing runs. Those that are under way stay on record for the next process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#stopListening();
    for (const runId of [...this.#active.keys()]) this.#drop(runId, 'closing');
    await Promise.all(this.#turns);
  }

  async #parse({ name, input: schema }: FlowDefinition, input: unknown): Promise<unknown> {
    if (schema === undefined) return input;
    const source = typeof schema === 'function' ? schema() : schema;
    const checked = (await compileSchema(source)).validate(input);
    if (checked.ok) return checked.value;
    throw new ToolFailure('VALIDATION_ERROR', `The input does not fit the flow ${name}.`, {
      issues: checked.issues,
    });
  }

  async #create(
    { name: flow, version }: FlowDefinition,
    part: Pick<FlowRun, 'id' | 'input' | 'caller' | 'dailyUsd' | 'parent'>,
  ): Promise<void> {
    const now = this.#deps.runtime.now();
    const unsealed: FlowRun = {
      ...{ ...part, epoch: 1, flow, version, status: 'running', createdAt: now, updatedAt: now },
    };
    const seal = await this.#deps.seal(sealedText(unsealed));
    const run = seal === undefined ? unsealed : { ...unsealed, seal };
    if (await (await this.#deps.flows()).create(run)) this.#begin(run);
  }

  #begin(run: FlowRun): void {
    const turn = this.#turn(run)
      .catch((error: unknown) => {
        const { log } = this.#deps.runtime;
        log.error('A run could not be continued.', { runId: run.id, error: reasonOf(error) });
      })
      .finally(() => this.#turns.delete(turn));
    this.#turns.add(turn);
  }

  async #turn(run: FlowRun): Promise<void> {
    const flows = await this.#deps.flows();
    const flow = this.#deps.registry.find(run.flow, run.version);
    if (!flow || this.#isClosed) return;
    const steps = await flows.steps(run.id);
    const { runtime } = this.#deps;
    const execution = new FlowExecution({
      ...{ steps, runtime },
      record: (entries) => flows.record(run, entries),
    });
    const controller = new AbortController();
    this.#active.set(run.id, { execution, controller });
    const context = new StepContext(execution, this.#contextDeps(run, flows, controller), steps);
    const end = await execution.run(() => flow.run(context, run.input));
    if (this.#active.get(run.id)?.execution === execution) this.#active.delete(run.id);
    await this.#conclude(run, end, { flow, seenEvent: context.seenEvent });
  }

  #contextDeps(run: FlowRun, flows: Flows, { signal }: AbortController): ContextDeps {
    const { runtime, tools } = this.#deps;
    const { caller, dailyUsd } = run;
    const limits = dailyUsd === undefined ? {} : { dailyUsd };
    const as = { ...caller, ...limits, flowId: run.id, signal };
    return {
      run,
      tools,
      flows,
      runtime,
      call: ({ tool, input, ...options }) => this.#deps.execute(tool, input, { ...as, ...options }),
      startChild: async (flow, input, key) => {
        this.#deps.registry.register(flow);
        const id = `${run.id}.${key}`;
        const parent: FlowParent = { runId: run.id, key };
        const parsed = await this.#parse(flow as unknown as FlowDefinition, input);
        const child = flow as unknown as FlowDefinition;
        await this.#create(child, { id, input: parsed, caller, ...limits, parent });
        return id;
      },
    };
  }

  async #conclude(
    run: FlowRun,
    end: TurnEnd,
    { flow, seenEvent }: { readonly flow: FlowDefinition; readonly seenEvent: number },
  ): Promise<void> {
    if (end.type === 'lost') return;
    const flows = await this.#deps.flows();
    if (end.type === 'failed' && flow.undoOnFailure) await this.#undoSteps(run, flows);
    const change = this.#changeOf(end);
    const waitsForEvent = change.waitsFor?.some((each) => each.startsWith('event:'));
    await flows.release(run, change, waitsForEvent ? seenEvent : undefined);
    if (end.type === 'parked') {
      const { wakeAt } = change;
      if (wakeAt != null) this.#schedule(Math.max(0, wakeAt - this.#deps.runtime.now()));
      return;
    }
    await this.#ended(run.id);
  }

  #changeOf(end: Exclude<TurnEnd, { type: 'lost' }>): RunChange {
    const { type } = end;
    if (type === 'completed') return { ...this.#stopped('completed'), output: end.output };
    if (type === 'failed') return { ...this.#stopped('failed'), error: errorOf(end.error) };
    if (type === 'blocked') {
      return { ...this.#stopped('blocked'), waitsFor: [end.waitsFor], error: end.error };
    }
    const { waitsFor, wakeAt } = end;
    const status = waitsFor.every((each) => each === 'time') ? 'sleeping' : 'waiting';
    return { ...this.#stopped(status), waitsFor, wakeAt };
  }

  #stopped(status: RunChange['status']): RunChange {
    const updatedAt = this.#deps.runtime.now();
    return { status, updatedAt, wakeAt: undefined, waitsFor: undefined };
  }

  /** Takes back what the calls of a failed run did, newest first; each undo is a step of its own. */
  async #undoSteps(run: FlowRun, flows: Flows): Promise<void> {
    const steps = await flows.steps(run.id);
    const undone = new Set(steps.filter(({ kind }) => kind === 'undo').map(({ name }) => name));
    const calls = steps
      .filter(({ kind, state, executionId }) => kind === 'call' && state === 'done' && executionId)
      .toSorted((one, other) => (other.position ?? 0) - (one.position ?? 0));
    for (const { key, executionId = '', digest } of calls) {
      if (undone.has(executionId)) continue;
      const startedAt = this.#deps.runtime.now();
      const result = await this.#deps.undo(executionId, run.caller);
      const error = result.success ? {} : { error: result.error };
      const state = result.success ? 'done' : 'failed';
      const step = { kind: 'undo', name: executionId, digest, startedAt, ...error } as const;
      await flows.record(run, [{ ...step, key: `undo:${key}`, state }]);
    }
  }

  /** Tells those who wait for the run: in this process, and the run that started it. */
  async #ended(runId: string): Promise<void> {
    const flows = await this.#deps.flows();
    const run = await flows.get(runId);
    if (!run) return;
    this.#watchers.settle(run);
    if (!run.parent || !FINISHED.has(run.status)) return;
    await flows.wake(run.parent.runId, this.#deps.runtime.now());
    this.#active.get(run.parent.runId)?.execution.recheck(`run:${runId}`);
    this.#schedule(0);
  }

  #drop(runId: string, cause: unknown): void {
    const active = this.#active.get(runId);
    this.#active.delete(runId);
    active?.execution.abandon(cause);
    active?.controller.abort();
  }

  /** Looks for due runs after a while, or earlier if that is planned already. */
  #schedule(ms: number): void {
    if (this.#isClosed) return;
    const { runtime } = this.#deps;
    const pollAt = Math.min(runtime.elapsed() + Math.min(ms, POLL_MS), this.#pollAt);
    this.#timer?.cancel();
    this.#pollAt = pollAt;
    this.#timer = runtime.after(Math.max(0, pollAt - runtime.elapsed()), () => {
      this.#pollAt = Number.POSITIVE_INFINITY;
      this.#poll()
        .catch((error: unknown) => {
          const { log } = this.#deps.runtime;
          log.warn('Flows that are due could not be looked for.', { error: reasonOf(error) });
        })
        .finally(() => this.#schedule(POLL_MS));
    });
    // A process whose only work is to wait for runs stays alive as long as somebody waits for one.
    this.#timer.keepAlive(this.#watchers.size > 0);
  }

  async #poll(): Promise<void> {
    const flows = await this.#deps.flows();
    await this.#wakeAnswered(flows);
    const keys = this.#deps.registry.keys();
    const request = { now: this.#deps.runtime.now(), flows: keys, limit: CLAIMED_AT_ONCE };
    for (const run of await flows.claim(request)) {
      if (await this.#deps.isOurs(sealedText(run), run.seal)) this.#begin(run);
      else await flows.release(run, { ...this.#stopped('blocked'), waitsFor: ['seal'] });
    }
    for (const runId of this.#watchers.runs()) {
      const run = await flows.get(runId);
      if (run) this.#watchers.settle(run);
    }
  }

  /** Wakes runs whose question was answered by another process. */
  async #wakeAnswered(flows: Flows): Promise<void> {
    for (const { id, waitsFor = [] } of await flows.list({ status: 'waiting' })) {
      const approvals = waitsFor.filter((each) => each.startsWith(APPROVAL));
      const answers = approvals.map((each) => this.#deps.isDecided(each.slice(APPROVAL.length)));
      const isAnswered = (await Promise.all(answers)).some(Boolean);
      if (isAnswered) await flows.wake(id, this.#deps.runtime.now());
    }
  }
}

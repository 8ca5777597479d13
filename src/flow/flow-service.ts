/**
 * Starts runs, continues those that are due, and ends them. Any number of processes may do so on one
 * store: each run is worked on by one of them.
 */
import { toolError } from '../contract/errors.ts';
import type { Events } from '../contract/events.ts';
import type { FlowDefinition, StartedRun, StartFlowAs } from '../contract/flow.ts';
import { FINISHED, type FlowRun, type Flows, type RunChange } from '../contract/flow-store.ts';
import type { Runtime } from '../contract/runtime.ts';
import { HOUR_MS } from '../kit/data/durations.ts';
import { callerOf } from '../pipeline/new-call.ts';
import { approvalWait, childWait, isAnswered, wakeAnswered } from './answered-waits.ts';
import { StepContext } from './flow-context.ts';
import { FlowExecution } from './flow-execution.ts';
import { retryLater } from './retry-later.ts';
import {
  assertSameRun,
  changeOf,
  KEPT_MS,
  type NewRun,
  newRun,
  parseInput,
  sealedText,
  stopped,
} from './run-record.ts';
import { RunScheduler } from './run-scheduler.ts';
import { noRun, RunWatchers, unwatchable } from './run-watchers.ts';
import { limitsOf, type RunDeps, stepDepsOf } from './step-deps.ts';
import type { StepDeps } from './step-ends.ts';
import type { TurnEnd } from './turn.ts';
import { type UndoStepsDeps, undoSteps } from './undo-steps.ts';

export interface FlowServiceDeps extends UndoStepsDeps, RunDeps {
  readonly runtime: Runtime;
  readonly events: Pick<Events, 'on'>;
  flows(): Promise<Flows>;
  nextId(): string;
  seal(text: string): Promise<string | undefined>;
  isOurs(text: string, seal: string | undefined): Promise<boolean>;
}

interface ActiveRun {
  readonly execution: FlowExecution;
  readonly controller: AbortController;
}

const CLAIMED_AT_ONCE = 64;

const EXPIRE_EVERY_MS = HOUR_MS;

const isEvent = (waitsFor: string): boolean => waitsFor.startsWith('event:');

export class FlowService {
  readonly #deps: FlowServiceDeps;
  readonly #active = new Map<string, ActiveRun>();
  readonly #watchers = new RunWatchers();
  readonly #turns = new Set<Promise<void>>();
  readonly #scheduler: RunScheduler;
  readonly #stopListening: () => void;
  #isClosed = false;
  #expiredAt = Number.NEGATIVE_INFINITY;

  constructor(deps: FlowServiceDeps) {
    this.#deps = deps;
    this.#scheduler = new RunScheduler({
      runtime: deps.runtime,
      look: () => this.#continueDue(),
      isAwaited: () => this.#watchers.size > 0,
    });
    this.#stopListening = deps.events.on('approval.decided', ({ approvalId }) => {
      for (const { execution } of this.#active.values()) {
        execution.recheck(approvalWait(approvalId));
      }
      this.#scheduler.after(0);
    });
  }

  /** Looks for runs that are due: a flow was registered, or somebody waits for one. */
  continueDue(): void {
    this.#scheduler.after(0);
  }

  /** Starts a run. Rejects with NOT_FOUND or VALIDATION_ERROR before anything is written. */
  async start(
    name: string,
    input: unknown,
    { runId = this.#deps.nextId(), version, ...as }: StartFlowAs = {},
  ): Promise<StartedRun> {
    const flow = this.#deps.registry.get(name, version);
    const { dailyUsd } = as;
    const parsed = await parseInput(flow, input);
    const limits = dailyUsd === undefined ? {} : { dailyUsd };
    await this.#create(flow, { id: runId, input: parsed, caller: callerOf(as), ...limits });
    const finished = this.whenOver(runId);
    // Those who do not wait for the end need not handle its failure.
    finished.catch(() => undefined);
    return { runId, finished };
  }

  /**
   * Resolves when the run is finished or blocked, in whichever process. Rejects with NOT_FOUND, and with
   * STORE_UNAVAILABLE when the crib is closed before.
   */
  async whenOver(runId: string): Promise<FlowRun> {
    const flows = await this.#deps.flows();
    if (!(await flows.get(runId))) throw noRun(runId);
    if (this.#isClosed) throw unwatchable(runId);
    const over = this.#watchers.wait(runId);
    this.#scheduler.after(0);
    return over;
  }

  /** Sends an event to a run. False for one that is finished or unknown. */
  async send(runId: string, name: string, payload: unknown): Promise<boolean> {
    const flows = await this.#deps.flows();
    const isSent = await flows.send(runId, { name, payload, at: this.#deps.runtime.now() });
    this.#active.get(runId)?.execution.recheck(`event:${name}`);
    this.#scheduler.after(0);
    return isSent;
  }

  /** Cancels a run and the runs that it has started. False when it is finished already. */
  async cancel(runId: string): Promise<boolean> {
    const flows = await this.#deps.flows();
    const error = toolError('CANCELLED', 'The run was cancelled.');
    const change = { ...stopped('cancelled', this.#deps.runtime.now()), error };
    const isCancelled = await flows.change(runId, change);
    this.#drop(runId, error);
    await this.#cancelChildren(runId, flows);
    if (isCancelled) await this.#ended(runId);
    return isCancelled;
  }

  async #cancelChildren(runId: string, flows: Flows): Promise<void> {
    for (const { childId, state } of await flows.steps(runId)) {
      if (childId !== undefined && state === 'open') await this.cancel(childId);
    }
  }

  /** Continues a blocked run, with another version of its flow if one is named. */
  async resume(runId: string, { version }: { readonly version?: string } = {}): Promise<boolean> {
    const now = this.#deps.runtime.now();
    const change: RunChange = {
      ...{ status: 'waiting', updatedAt: now, wakeAt: now, waitsFor: undefined, error: undefined },
      ...(version !== undefined && { version }),
    };
    const isChanged = await (await this.#deps.flows()).change(runId, change);
    this.#scheduler.after(0);
    return isChanged;
  }

  /** Stops continuing runs. Those that are under way stay on record for the next process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopListening();
    await this.#scheduler.close();
    for (const runId of [...this.#active.keys()]) this.#drop(runId, 'closing');
    for (const runId of this.#watchers.runs()) this.#watchers.fail(runId, unwatchable(runId));
    await Promise.all(this.#turns);
  }

  async #create(flow: FlowDefinition, part: NewRun): Promise<void> {
    const unsealed = newRun(flow, part, this.#deps.runtime.now());
    const seal = await this.#deps.seal(sealedText(unsealed));
    const run = seal === undefined ? unsealed : { ...unsealed, seal };
    const flows = await this.#deps.flows();
    if (await flows.create(run)) this.#begin(run, this.#turn(run));
    else assertSameRun(run, await flows.get(run.id));
  }

  #begin(run: FlowRun, work: Promise<void>): void {
    const turn = work
      .catch(async (cause: unknown) => {
        if (!this.#isClosed) await retryLater(run, cause, this.#deps);
      })
      .finally(() => this.#turns.delete(turn));
    this.#turns.add(turn);
  }

  /** Goes on with a run that was claimed, if it is one of this user. */
  async #continue(run: FlowRun): Promise<void> {
    if (await this.#deps.isOurs(sealedText(run), run.seal)) {
      await this.#turn(run);
      return;
    }
    const blocked = stopped('blocked', this.#deps.runtime.now());
    await (await this.#deps.flows()).release(run, { ...blocked, waitsFor: ['seal'] });
    await this.#ended(run.id);
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
      lookAt: (moment) => this.#scheduler.after(moment - runtime.now()),
    });
    const controller = new AbortController();
    this.#active.set(run.id, { execution, controller });
    const context = new StepContext(execution, this.#stepDeps(run, flows, controller), steps);
    const end = await execution.run(() => flow.run(context, run.input));
    if (this.#active.get(run.id)?.execution === execution) this.#active.delete(run.id);
    await this.#conclude(run, end, { flow, seenEvent: context.events.seen });
  }

  #stepDeps(run: FlowRun, flows: Flows, controller: AbortController): StepDeps {
    return stepDepsOf(run, this.#deps, {
      ...{ flows, signal: controller.signal },
      cancelCalls: () => controller.abort(),
      startChild: async (flow, child) => {
        await this.#create(flow, { ...limitsOf(run), ...child });
        // Whoever cancelled this run before the child was written could not cancel the child.
        if ((await flows.get(run.id))?.status === 'cancelled') await this.cancel(child.id);
      },
    });
  }

  async #conclude(
    run: FlowRun,
    end: TurnEnd,
    { flow, seenEvent }: { readonly flow: FlowDefinition; readonly seenEvent: number },
  ): Promise<void> {
    if (end.type === 'lost') throw end.cause;
    const flows = await this.#deps.flows();
    // Nobody waits for them any more, e.g. after a timeout.
    if (end.type === 'failed') await this.#cancelChildren(run.id, flows);
    if (end.type === 'failed' && flow.undoOnFailure) await undoSteps(run, flows, this.#deps);
    const change = changeOf(end, this.#deps.runtime.now());
    const waitsForEvent = change.waitsFor?.some(isEvent);
    await flows.release(run, change, waitsForEvent ? seenEvent : undefined);
    if (end.type === 'parked') {
      const { wakeAt } = change;
      if (wakeAt !== undefined) this.#scheduler.after(wakeAt - this.#deps.runtime.now());
      // Looks at once, too: what it waits for may have come before it was written that it waits.
      this.#scheduler.after(0);
      return;
    }
    await this.#ended(run.id);
  }

  /** Tells those who wait for the run: in this process, and the run that started it. */
  async #ended(runId: string): Promise<void> {
    const flows = await this.#deps.flows();
    const run = await flows.get(runId);
    if (!run) return;
    this.#watchers.settle(run);
    if (!run.parent || !FINISHED.has(run.status)) return;
    await flows.wake(run.parent.runId, this.#deps.runtime.now());
    this.#active.get(run.parent.runId)?.execution.recheck(childWait(runId));
    this.#scheduler.after(0);
  }

  #drop(runId: string, cause: unknown): void {
    const active = this.#active.get(runId);
    this.#active.delete(runId);
    active?.execution.abandon(cause);
    active?.controller.abort();
  }

  async #continueDue(): Promise<void> {
    const flows = await this.#deps.flows();
    const known = this.#deps.registry.keys();
    const now = this.#deps.runtime.now();
    const waits = { flows, approval: this.#deps.approval };
    for (const { execution } of [...this.#active.values()]) {
      await execution.recheckDue(now, async (waitsFor) =>
        isEvent(waitsFor) ? true : isAnswered(waitsFor, waits),
      );
    }
    await wakeAnswered(known, now, waits);
    if (this.#isClosed) return;
    const due = await flows.claim({ now, flows: known, limit: CLAIMED_AT_ONCE });
    for (const run of due) this.#begin(run, this.#continue(run));
    await this.#watchers.refresh(flows);
    if (now - this.#expiredAt < EXPIRE_EVERY_MS) return;
    this.#expiredAt = now;
    await flows.expire(now - KEPT_MS);
  }
}

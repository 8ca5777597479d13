/**
 * Starts runs, continues those that are due, and ends them. Any number of processes may do so on one
 * store: each run is worked on by one of them.
 */
import type { Events } from '../contract/events.ts';
import type { FlowDefinition, StartedRun, StartFlowAs } from '../contract/flow.ts';
import {
  FINISHED,
  type FlowRun,
  type Flows,
  type JournalStep,
  type RunPlan,
} from '../contract/flow-store.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { TraceContext } from '../contract/telemetry.ts';
import { HOUR_MS } from '../kit/data/durations.ts';
import { callerOf } from '../pipeline/new-call.ts';
import { approvalWait, childWait, hasAnswer, isAnswered, wakeAnswered } from './answered-waits.ts';
import { type EndRunDeps, endOpenSteps, endRun, undoing } from './end-run.ts';
import { StepContext } from './flow-context.ts';
import { FlowExecution } from './flow-execution.ts';
import { resumeRun } from './resume/resume-run.ts';
import { retryLater } from './retry-later.ts';
import type { RunJournal } from './run-journal.ts';
import { assertRunId, assertSameRun, KEPT_MS, type NewRun, newRun, stopped } from './run-record.ts';
import { RunScheduler } from './run-scheduler.ts';
import { type FlowSeals, plantedPart, sealedEvent, sealedRun } from './run-seals.ts';
import { endTurnSpan, startTurnSpan, traceOf } from './run-span.ts';
import { concludeTurn, type NewTurn, openTurn, type Turn } from './run-turn.ts';
import { noRun, RunWatchers, unwatchable } from './run-watchers.ts';
import { limitsOf, type RunDeps, stepDepsOf } from './step-deps.ts';
import type { StepDeps } from './step-ends.ts';
import { plainValue, type TurnEnd } from './turn.ts';
import { TurnSignals } from './turns/turn-signals.ts';
import type { UndoStepsDeps } from './undo/undo-steps.ts';

export interface FlowServiceDeps extends UndoStepsDeps, RunDeps {
  readonly runtime: Runtime;
  readonly events: Pick<Events, 'on'>;
  flows(): Promise<Flows>;
  seals(): Promise<FlowSeals>;
  /** False where the record of each call has to be on disk before its result is used. */
  readonly gathersRecords: boolean;
  nextId(): string;
}

/** What a run is started with: who starts it, and the plan that was approved. */
export interface StartRunAs extends Omit<StartFlowAs, 'planDigest' | 'planApproval'> {
  readonly plan?: RunPlan;
}

interface ActiveRun {
  readonly execution: FlowExecution;
  readonly journal: RunJournal;
  readonly signals: TurnSignals;
}

const CLAIMED_AT_ONCE = 64;
const EXPIRE_EVERY_MS = HOUR_MS;

/** How often the store is asked for answers that came in other processes. */
const ANSWERS_EVERY_MS = 1_000;
const isEvent = (waitsFor: string): boolean => waitsFor.startsWith('event:');

export class FlowService {
  readonly #deps: FlowServiceDeps;
  readonly #active = new Map<string, ActiveRun>();
  readonly #watchers = new RunWatchers();
  readonly #turns = new Set<Promise<void>>();
  /** Runs that are not in the store yet. */
  readonly #unstored = new Set<string>();
  /** Runs that could not be given up because the store was away, and why. */
  readonly #unreleased = new Map<FlowRun, unknown>();
  readonly #scheduler: RunScheduler;
  readonly #stopListening: () => void;
  #isClosed = false;
  #expiredAt = Number.NEGATIVE_INFINITY;
  #answersAt = Number.NEGATIVE_INFINITY;

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
      this.#answersAt = Number.NEGATIVE_INFINITY;
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
    { runId, version, plan, ...as }: StartRunAs = {},
  ): Promise<StartedRun> {
    const { registry, nextId } = this.#deps;
    if (runId !== undefined) assertRunId(runId);
    const flow = registry.get(name, version);
    const { dailyUsd } = as;
    const limits = { ...(dailyUsd !== undefined && { dailyUsd }), ...(plan && { plan }) };
    const parsed = plainValue(await registry.parseInput(flow, input));
    const part = { input: parsed, caller: callerOf(as), ...limits, ...traceOf(as) };
    if (runId === undefined) return this.#startNew(flow, { id: nextId(), ...part });
    await this.#create(flow, { id: runId, ...part });
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
    if (this.#isClosed) throw unwatchable(runId);
    // Before the run is read, so that its end cannot be missed in between.
    const over = this.#watchers.wait(runId);
    this.#scheduler.hold();
    try {
      const run = await (await this.#deps.flows()).get(runId);
      if (run) this.#watchers.settle(run);
      else this.#watchers.fail(runId, noRun(runId));
    } catch (error) {
      this.#watchers.fail(runId, error);
    }
    return over;
  }

  /** Returns the steps of a run that this process works on and the journal does not have yet. */
  underWay(runId: string): readonly JournalStep[] {
    const active = this.#active.get(runId);
    return active ? [...active.execution.underWay(), ...active.journal.pending()] : [];
  }

  /** Sends an event to a run. False for one that is finished or unknown. */
  async send(runId: string, name: string, payload: unknown): Promise<boolean> {
    const { flows, seals, runtime } = this.#deps;
    const event = { name, payload, at: runtime.now() };
    const isSent = await (await flows()).send(runId, sealedEvent(runId, event, await seals()));
    this.#active.get(runId)?.execution.recheck(`event:${name}`);
    this.#scheduler.after(0);
    return isSent;
  }

  /**
   * Cancels a run and the runs that it has started. False when it is finished already. Rejects with
   * CONFLICT while a process takes back what it did.
   */
  async cancel(runId: string): Promise<boolean> {
    const end = await endRun(runId, await this.#endDeps());
    if (end === 'undoing') throw undoing(runId);
    return end === 'cancelled';
  }

  async #endDeps(): Promise<EndRunDeps> {
    return {
      ...{ flows: await this.#deps.flows(), runtime: this.#deps.runtime },
      withdraw: (id) => this.#deps.withdraw(id),
      // What it has done stays on record; a journal that cannot be written does not keep it from ending.
      flush: async (runId) =>
        this.#active
          .get(runId)
          ?.journal.flush()
          .catch(() => undefined),
      drop: (runId, cause) => this.#drop(runId, cause),
      ended: (run) => this.#ended(run),
    };
  }

  /**
   * Continues a run that no process works on, with another version of its flow if one is named. A
   * second turn at a run that is worked on would make the same calls beside the first.
   */
  async resume(runId: string, { version }: { readonly version?: string } = {}): Promise<boolean> {
    const isChanged = await resumeRun(runId, version, this.#deps);
    this.#scheduler.after(0);
    return isChanged;
  }

  /**
   * Stops continuing runs. Those that are under way stay on record for the next process. Calls that may
   * change something have a while to end first: one that is cut off is in doubt, and blocks its run.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopListening();
    await this.#scheduler.close();
    const timers = Array.from(this.#active.values(), ({ execution, signals }) => {
      execution.stop('closing');
      return signals.leave(this.#deps.runtime);
    });
    for (const runId of this.#watchers.runs()) this.#watchers.fail(runId, unwatchable(runId));
    await Promise.all(this.#turns);
    for (const timer of timers) timer.cancel();
  }

  /**
   * Starts a run under an id that nobody else can have. It is written with its first steps, before any
   * of them changes something.
   */
  async #startNew(flow: FlowDefinition, part: NewRun): Promise<StartedRun> {
    const { flows, seals, runtime } = this.#deps;
    const access = { flows: await flows(), seals: await seals() };
    const run = sealedRun(newRun(flow, part, runtime.now()), access.seals);
    const turn = this.#openTurn({ ...access, run, flow, steps: [], isNew: true });
    const finished = this.#watchers.wait(run.id);
    finished.catch(() => undefined);
    this.#scheduler.hold();
    this.#unstored.add(run.id);
    this.#begin(run, this.#work(turn));
    try {
      await turn.journal.stored;
    } catch (error) {
      this.#watchers.fail(run.id, error);
      throw error;
    } finally {
      this.#unstored.delete(run.id);
    }
    return { runId: run.id, finished };
  }

  /** Starts a run under an id that was chosen, unless that run is there already. */
  async #create(flow: FlowDefinition, part: NewRun): Promise<void> {
    const { runtime } = this.#deps;
    const [flows, seals] = await Promise.all([this.#deps.flows(), this.#deps.seals()]);
    const run = sealedRun(newRun(flow, part, runtime.now()), seals);
    if (await flows.create(run)) {
      const turn = this.#openTurn({ flows, seals, run, flow, steps: [], isNew: false });
      this.#begin(run, this.#work(turn));
    } else assertSameRun(run, await flows.get(run.id));
  }

  #openTurn(turn: Omit<NewTurn, 'runtime' | 'gathersRecords'>): Turn {
    const { runtime, gathersRecords } = this.#deps;
    return openTurn({ ...turn, runtime, gathersRecords });
  }

  #begin(run: FlowRun, work: Promise<void>): void {
    const turn = work
      .catch(async (cause: unknown) => {
        if (!this.#isClosed) await this.#giveUp(run, cause);
      })
      .finally(() => this.#turns.delete(turn));
    this.#turns.add(turn);
  }

  /** Gives a run up, so that it is tried again; the next look repeats it while the store is away. */
  async #giveUp(run: FlowRun, cause: unknown): Promise<void> {
    if (await retryLater(run, cause, this.#deps)) this.#unreleased.delete(run);
    else this.#unreleased.set(run, cause);
  }

  /** Goes on with a run that was claimed, if it and its journal are of this user. */
  async #continue(run: FlowRun): Promise<void> {
    const [flows, seals] = await Promise.all([this.#deps.flows(), this.#deps.seals()]);
    const { registry, runtime } = this.#deps;
    const flow = registry.find(run.flow, run.version);
    if (!flow || this.#isClosed) return;
    const steps = await flows.steps(run.id);
    const error = await plantedPart(run, steps, seals);
    if (!error) {
      await this.#work(this.#openTurn({ flows, seals, run, flow, steps, isNew: false }));
      return;
    }
    const blocked = stopped('blocked', runtime.now());
    await this.#ended(await flows.release(run, { ...blocked, waitsFor: ['seal'], error }));
  }

  /** Runs the code of a flow until it ends or waits, and writes what became of it. */
  async #work(turn: Turn): Promise<void> {
    const { run, flow, steps, journal } = turn;
    const { runtime } = this.#deps;
    if (this.#isClosed) return journal.flush();
    const lookAt = (moment: number) => this.#scheduler.after(moment - runtime.now());
    const execution = new FlowExecution({ steps, runtime, journal, lookAt });
    journal.whenFailed((cause) => execution.abandon(cause));
    const signals = new TurnSignals();
    this.#active.set(run.id, { execution, signals, journal });
    const span = startTurnSpan(run, runtime.telemetry);
    const stepDeps = this.#stepDeps(turn, signals, span?.trace);
    const context = new StepContext(execution, stepDeps, steps);
    // A copy: what the code does to its input must not change the record of the run.
    const work = () => execution.run(() => flow.run(context, plainValue(run.input)));
    const end = await (span ? span.run(work) : work());
    endTurnSpan(span, end);
    // Not before its end is written: until then its last steps are nowhere else.
    const released = await this.#conclude(turn, end, context.events.seen).finally(() => {
      if (this.#active.get(run.id)?.execution === execution) this.#active.delete(run.id);
    });
    await this.#afterRelease(released, execution.openQuestions());
  }

  /** Writes the end of a turn. What a lost one has done is kept for the next process. */
  async #conclude(turn: Turn, end: TurnEnd, seenEvent: number): Promise<FlowRun> {
    if (end.type !== 'lost') return concludeTurn(turn, { end, seenEvent }, this.#deps);
    if (this.#isClosed) await turn.journal.flush();
    turn.journal.stop();
    throw end.cause;
  }

  #stepDeps(
    { run, flows, seals, records }: Turn,
    signals: TurnSignals,
    trace: TraceContext | undefined,
  ): StepDeps {
    return stepDepsOf(run, this.#deps, {
      ...{ flows, seals, records, trace, signals },
      cancelCalls: () => signals.abort(),
      cancelChild: async (runId) => {
        await endRun(runId, await this.#endDeps());
      },
      startChild: async (flow, child) => {
        await this.#create(flow, { ...limitsOf(run), ...traceOf(run), ...child });
        // Whoever cancelled this run before the child was written could not cancel the child.
        if ((await flows.get(run.id))?.status === 'cancelled')
          await endRun(child.id, await this.#endDeps());
      },
    });
  }

  async #afterRelease(run: FlowRun, questions: readonly string[]): Promise<void> {
    const { status, wakeAt } = run;
    if (FINISHED.has(status) || status === 'blocked') {
      // Nobody waits for them any more, e.g. after a timeout. One that is blocked may yet go on.
      if (status === 'completed') for (const id of questions) await this.#deps.withdraw(id);
      if (status === 'failed') await endOpenSteps(run.id, await this.#endDeps());
      await this.#ended(run);
      return;
    }
    const { runtime, approval } = this.#deps;
    if (wakeAt !== undefined) this.#scheduler.after(wakeAt - runtime.now());
    // What it waits for may have come before it was written that it waits.
    const flows = await this.#deps.flows();
    if (!(await hasAnswer(run, { flows, approval }))) return;
    await flows.wake(run.id, runtime.now());
    this.#scheduler.after(0);
  }

  /** Tells those who wait for the run: in this process, and the run that started it. */
  async #ended(run: FlowRun): Promise<void> {
    this.#watchers.settle(run);
    if (!run.parent || !FINISHED.has(run.status)) return;
    const { runId } = run.parent;
    await (await this.#deps.flows()).wake(runId, this.#deps.runtime.now());
    this.#active.get(runId)?.execution.recheck(childWait(run.id));
    this.#scheduler.after(0);
  }

  #isHeld(runId: string): boolean {
    return this.#active.has(runId) || this.#unstored.has(runId);
  }

  #drop(runId: string, cause: unknown): void {
    const active = this.#active.get(runId);
    this.#active.delete(runId);
    active?.execution.abandon(cause);
    active?.signals.abort();
  }

  async #continueDue(): Promise<void> {
    const flows = await this.#deps.flows();
    const flowKeys = this.#deps.registry.keys();
    const now = this.#deps.runtime.now();
    const waits = { flows, approval: this.#deps.approval };
    for (const [run, cause] of [...this.#unreleased]) await this.#giveUp(run, cause);
    for (const { execution } of [...this.#active.values()]) {
      await execution.recheckDue(now, async (waitsFor) =>
        isEvent(waitsFor) ? true : isAnswered(waitsFor, waits),
      );
    }
    if (Math.abs(now - this.#answersAt) >= ANSWERS_EVERY_MS) {
      this.#answersAt = now;
      await wakeAnswered(flowKeys, now, waits);
    }
    if (this.#isClosed) return;
    const due = await flows.claim({ now, flows: flowKeys, limit: CLAIMED_AT_ONCE });
    for (const run of due) this.#begin(run, this.#continue(run));
    // More may be due than were claimed.
    if (due.length === CLAIMED_AT_ONCE) this.#scheduler.after(0);
    await this.#watchers.refresh(flows, (runId) => this.#isHeld(runId));
    if (now - this.#expiredAt < EXPIRE_EVERY_MS) return;
    this.#expiredAt = now;
    await flows.expire(now - KEPT_MS);
  }
}

/**
 * The turns of this process: each runs the code of a flow until it ends or waits, and writes what
 * became of the run. Any number of processes may do so on one store: each run is worked on by one.
 */
import type { FlowDefinition } from '../contract/flow.ts';
import { FINISHED, type FlowRun, type Flows, type JournalStep } from '../contract/flow-store.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { TraceContext } from '../contract/telemetry.ts';
import { childWait, hasAnswer } from './due/answered-waits.ts';
import type { RunScheduler } from './due/run-scheduler.ts';
import { type EndRunDeps, endOpenSteps, endRun, rootOf } from './end-run.ts';
import { StepContext } from './flow-context.ts';
import { FlowExecution } from './flow-execution.ts';
import { retryLater } from './retry-later.ts';
import type { RunJournal } from './run-journal.ts';
import { assertSameRun, type NewRun, newRun, stopped } from './run-record.ts';
import { type FlowSeals, plantedPart, sealedRun } from './run-seals.ts';
import { endTurnSpan, startTurnSpan, traceOf } from './run-span.ts';
import { type ConcludeDeps, concludeTurn, type NewTurn, openTurn, type Turn } from './run-turn.ts';
import type { RunWatchers } from './run-watchers.ts';
import { limitsOf, type RunDeps, stepDepsOf } from './step-deps.ts';
import type { StepDeps } from './step-ends.ts';
import { plainValue, type TurnEnd } from './turn.ts';
import { TurnSignals } from './turns/turn-signals.ts';
import type { UndoStepsDeps } from './undo/undo-steps.ts';

export interface RunTurnsDeps extends UndoStepsDeps, RunDeps {
  readonly runtime: Runtime;
  flows(): Promise<Flows>;
  seals(): Promise<FlowSeals>;
  /** Tells whether a run was started by a job that is cancelled. Absent where no job starts runs. */
  isJobCancelled?(run: FlowRun): Promise<boolean>;
  /** False where the record of each call has to be on disk before its result is used. */
  readonly gathersRecords: boolean;
}

/** Who is told that a run goes on or has ended. */
export interface TurnListeners {
  readonly watchers: RunWatchers;
  readonly scheduler: Pick<RunScheduler, 'after'>;
}

interface ActiveRun {
  readonly run: FlowRun;
  readonly execution: FlowExecution;
  readonly journal: RunJournal;
  readonly signals: TurnSignals;
}

export class RunTurns {
  readonly #deps: RunTurnsDeps;
  readonly #concludeDeps: ConcludeDeps;
  readonly #watchers: RunWatchers;
  readonly #scheduler: Pick<RunScheduler, 'after'>;
  readonly #active = new Map<string, ActiveRun>();
  /** Lost turns with calls that go on: those end when it turns out that the run is cancelled. */
  readonly #lost = new Set<ActiveRun>();
  readonly #turns = new Set<Promise<void>>();
  /** Runs that are not in the store yet. */
  readonly #unstored = new Set<string>();
  /** Runs that could not be given up because the store was away, and why. */
  readonly #unreleased = new Map<FlowRun, unknown>();
  #isClosed = false;

  constructor(deps: RunTurnsDeps, { watchers, scheduler }: TurnListeners) {
    this.#deps = deps;
    this.#concludeDeps = {
      ...deps,
      endStepsBeforeUndo: async (runId) =>
        endOpenSteps(runId, await this.endDeps(), { keepsUndo: true }),
    };
    this.#watchers = watchers;
    this.#scheduler = scheduler;
  }

  /**
   * Starts a run under an id that nobody else can have. It is written with its first steps, before any
   * of them changes something.
   */
  async startNew(flow: FlowDefinition, part: NewRun): Promise<void> {
    const { flows, seals, runtime } = this.#deps;
    this.#unstored.add(part.id);
    try {
      const access = { flows: await flows(), seals: await seals() };
      const run = sealedRun(newRun(flow, part, runtime.now()), access.seals);
      const turn = this.#openTurn({ ...access, run, flow, steps: [], isNew: true });
      this.#begin(run, this.#work(turn));
      await turn.journal.stored;
    } finally {
      this.#unstored.delete(part.id);
    }
  }

  /** Starts a run under an id that was chosen, unless that run is there already. */
  async create(flow: FlowDefinition, part: NewRun): Promise<void> {
    const { runtime } = this.#deps;
    const [flows, seals] = await Promise.all([this.#deps.flows(), this.#deps.seals()]);
    const run = sealedRun(newRun(flow, part, runtime.now()), seals);
    if (await flows.create(run)) {
      const turn = this.#openTurn({ flows, seals, run, flow, steps: [], isNew: false });
      this.#begin(run, this.#work(turn));
    } else assertSameRun(run, await flows.get(run.id));
  }

  /** Goes on with a run that was claimed. */
  continueRun(run: FlowRun): void {
    this.#begin(run, this.#continue(run));
  }

  /** Returns the steps of a run that this process works on and the journal does not have yet. */
  underWay(runId: string): readonly JournalStep[] {
    const active = this.#active.get(runId);
    return active ? [...active.execution.underWay(), ...active.journal.pending()] : [];
  }

  /** Tells whether this process works on a run, or has yet to write it. */
  isHeld(runId: string): boolean {
    return this.#active.has(runId) || this.#unstored.has(runId);
  }

  /** Looks again at the steps of a run, or of all runs, that wait for this. */
  recheck(waitsFor: string, runId?: string): void {
    const one = runId === undefined ? undefined : this.#active.get(runId);
    const active = runId === undefined ? this.#active.values() : one ? [one] : [];
    for (const { execution } of active) execution.recheck(waitsFor);
  }

  /** Looks again at steps whose time has come, or that wait for what is there by now. */
  async recheckDue(now: number, isThere: (waitsFor: string) => Promise<boolean>): Promise<void> {
    for (const { execution } of [...this.#active.values()]) {
      await execution.recheckDue(now, isThere);
    }
  }

  /** Ends what is done here for runs that another process has cancelled. */
  async dropCancelled(): Promise<void> {
    for (const lost of this.#lost) if (!lost.execution.hasCalls) this.#lost.delete(lost);
    const claims = [...this.#active.values(), ...this.#lost].map(({ run }) => run);
    if (claims.length === 0) return;
    const flows = await this.#deps.flows();
    for (const runId of new Set(await flows.lost(claims))) {
      const run = await flows.get(runId);
      if (run?.status === 'cancelled') this.#drop(runId, run.error);
    }
  }

  /** Gives up the runs that could not be given up while the store was away. */
  async giveUpUnreleased(): Promise<void> {
    for (const [run, cause] of [...this.#unreleased]) await this.#giveUp(run, cause);
  }

  /** Returns what ends runs from outside of their turns. */
  async endDeps(): Promise<EndRunDeps> {
    return {
      flows: await this.#deps.flows(),
      runtime: this.#deps.runtime,
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

  /** Begins no turn any more: runs stay on record for the next process. */
  stop(): void {
    this.#isClosed = true;
  }

  /**
   * Ends the turns that are under way; their runs stay on record. Calls that may change something have a
   * while to end first: one that is cut off is in doubt, and blocks its run.
   */
  async close(): Promise<void> {
    const timers = Array.from(this.#active.values(), ({ execution, signals }) => {
      execution.stop('closing');
      return signals.leave(this.#deps.runtime);
    });
    await Promise.all(this.#turns);
    for (const timer of timers) timer.cancel();
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
      if (await this.#endsWithParent(run, flows)) return;
      await this.#work(this.#openTurn({ flows, seals, run, flow, steps, isNew: false }));
      return;
    }
    const blocked = stopped('blocked', runtime.now());
    await this.#ended(await flows.release(run, { ...blocked, waitsFor: ['seal'], error }));
  }

  /**
   * Ends a run whose parent has ended, or whose job is cancelled: the process that did so died before it came
   * to the run. False where they go on, and where the run undoes what it did.
   */
  async #endsWithParent(run: FlowRun, flows: Flows): Promise<boolean> {
    const root = await rootOf(run, flows);
    if (root && !(await this.#deps.isJobCancelled?.(root))) return false;
    return (await endRun(run.id, await this.endDeps())) !== 'undoing';
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
    const active = { run, execution, signals, journal };
    this.#active.set(run.id, active);
    const span = startTurnSpan(run, runtime.telemetry);
    const stepDeps = this.#stepDeps(turn, signals, span?.trace);
    const context = new StepContext(execution, stepDeps, steps);
    // A copy: what the code does to its input must not change the record of the run.
    const work = () => execution.run(() => flow.run(context, plainValue(run.input)));
    const end = await (span ? span.run(work) : work());
    endTurnSpan(span, end);
    if (end.type === 'lost' && !this.#isClosed) await this.#abortLost(active, turn.flows);
    // Not before its end is written: until then its last steps are nowhere else.
    const ended = { end, seenEvent: context.events.seen };
    const released = await this.#conclude(turn, ended, execution).finally(() => {
      if (this.#active.get(run.id) === active) this.#active.delete(run.id);
    });
    await this.#afterRelease(released, execution.openQuestions());
  }

  /**
   * Ends what a lost turn still does: the calls that only read, which the next turn makes again, and the
   * others when the run is cancelled. Whoever cancels it may have taken it a moment before saying so.
   */
  async #abortLost(active: ActiveRun, flows: Flows): Promise<void> {
    const { run, signals } = active;
    signals.abortReading();
    this.#lost.add(active);
    const stored = await flows.get(run.id).catch(() => undefined);
    if (stored?.status === 'cancelled') this.#drop(run.id, stored.error);
  }

  /** Writes the end of a turn. What a lost one has done is kept for the next process. */
  async #conclude(
    turn: Turn,
    { end, seenEvent }: { readonly end: TurnEnd; readonly seenEvent: number },
    execution: FlowExecution,
  ): Promise<FlowRun> {
    if (end.type !== 'lost') {
      return concludeTurn(turn, { end, seenEvent }, this.#concludeDeps);
    }
    if (this.#isClosed) await this.#leave(turn, execution);
    turn.journal.stop();
    throw end.cause;
  }

  /**
   * Writes what was done, and that nobody works on the run. The code of a value may still run: then the run
   * is free once this process has ended.
   */
  async #leave({ journal }: Turn, execution: FlowExecution): Promise<void> {
    await journal.flush();
    if (execution.isBusy) return;
    const now = this.#deps.runtime.now();
    await journal.release({ ...stopped('waiting', now), wakeAt: now });
  }

  #stepDeps(
    { run, flows, seals, records }: Turn,
    signals: TurnSignals,
    trace: TraceContext | undefined,
  ): StepDeps {
    return stepDepsOf(run, this.#deps, {
      flows,
      seals,
      records,
      trace,
      signals,
      cancelCalls: () => signals.abort(),
      cancelChild: async (runId) => {
        await endRun(runId, await this.endDeps());
      },
      startChild: async (flow, child) => {
        await this.create(flow, { ...limitsOf(run), ...traceOf(run), ...child });
        // Whoever ended this run, or one around it, before the child was written could not end the child.
        if (!(await rootOf(child, flows))) await endRun(child.id, await this.endDeps());
      },
    });
  }

  async #afterRelease(run: FlowRun, questions: readonly string[]): Promise<void> {
    const { status, wakeAt } = run;
    if (FINISHED.has(status) || status === 'blocked') {
      // Nobody waits for them any more, e.g. after a timeout. One that is blocked may yet go on.
      if (status === 'completed') for (const id of questions) await this.#deps.withdraw(id);
      if (status === 'failed') await endOpenSteps(run.id, await this.endDeps());
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

  #drop(runId: string, cause: unknown): void {
    const active = this.#active.get(runId);
    this.#active.delete(runId);
    active?.execution.abandon(cause);
    active?.signals.abort();
    for (const lost of this.#lost) {
      if (lost.run.id !== runId) continue;
      this.#lost.delete(lost);
      lost.signals.abort();
    }
  }
}

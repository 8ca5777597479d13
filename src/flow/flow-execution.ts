/**
 * One process's turn at a run: replays the steps that have ended, runs the others and writes each down
 * when it ends. Steps end in the order of the journal, one at a time, so that concurrent code does
 * the same again.
 */
import type { ToolError } from '../contract/errors.ts';
import type { JournalStep } from '../contract/flow-store.ts';
import type { Runtime } from '../contract/runtime.ts';
import { digestOf } from '../kit/data/canonical-json.ts';
import type { Writable } from '../kit/data/writable.ts';
import { differentStep, missingStep, stalledStep } from './divergence.ts';
import { OpenStep, type ToldEnd } from './open-step.ts';
import { ReplayStall } from './replay-stall.ts';
import type { RunJournal } from './run-journal.ts';
import {
  type ClosedEnd,
  cancelledStep,
  plainEnd,
  plainValue,
  type StepEnd,
  type StepRequest,
  stepFailure,
  type TurnEnd,
} from './turn.ts';
import { Drain } from './turns/drain.ts';
import { EndedSteps } from './turns/ended-steps.ts';
import { StepKeys } from './turns/step-keys.ts';

export interface ExecutionDeps {
  readonly steps: readonly JournalStep[];
  readonly runtime: Pick<Runtime, 'now' | 'after' | 'log'>;
  readonly journal: Pick<RunJournal, 'add' | 'writeSoon' | 'flush'>;
  /** Is told when a step waits for a moment, so that `recheckDue` is called then. */
  lookAt(moment: number): void;
}

const isCancelled = (end: StepEnd): boolean =>
  end.state === 'failed' && end.error?.code === 'CANCELLED';

export class FlowExecution {
  readonly #deps: ExecutionDeps;
  readonly #journal: ReadonlyMap<string, JournalStep>;
  /** Steps that ended before this turn, in the order in which they did. */
  readonly #replay: readonly JournalStep[];
  #replayed = 0;
  #position: number;
  readonly #open = new Map<string, OpenStep>();
  readonly #keys = new StepKeys();
  readonly #ended = new EndedSteps();
  #active = 0;
  readonly #drain = new Drain(() => this.#pump());
  readonly #stall: ReplayStall;
  #end: ((end: TurnEnd) => void) | undefined;
  /** The code is over; steps that it did not wait for are not. */
  #finishing: TurnEnd | undefined;
  /** How the turn ends that goes no further: no step begins any more, those that are worked on end first. */
  #halted: Extract<TurnEnd, { type: 'blocked' | 'lost' }> | undefined;
  /** The process leaves: only calls and questions end first. */
  #isStopped = false;
  /** Work under way that ends soon after its signal fires: all but the code of values. */
  #calls = 0;
  /**
   * A step of the undo, once that has begun: the run has failed. The code only tells again by what; nothing
   * that had not ended by then is worked on.
   */
  readonly #undo: JournalStep | undefined;

  constructor(deps: ExecutionDeps) {
    this.#deps = deps;
    this.#journal = new Map(deps.steps.map((step) => [step.key, step]));
    this.#replay = deps.steps
      .filter(({ position }) => position !== undefined)
      .toSorted((one, other) => (one.position ?? 0) - (other.position ?? 0));
    this.#position = this.#replay.at(-1)?.position ?? 0;
    this.#undo = deps.steps.find(({ kind }) => kind === 'undo');
    this.#stall = new ReplayStall({
      runtime: deps.runtime,
      stepsMade: () => this.#keys.count,
      isSettled: ({ key }) => !this.#end || this.#keys.has(key),
      isCodeOver: () => this.#finishing !== undefined,
      continueRun: () => this.#pump(),
      block: (step, minutes) =>
        this.#block(
          `step:${step.key}`,
          this.#finishing
            ? missingStep(step, 'the code ended without it')
            : stalledStep(step, minutes),
        ),
    });
  }

  /** Runs the code until it ends, waits for something, or cannot go on. Never rejects. */
  run(main: () => Promise<unknown>): Promise<TurnEnd> {
    return new Promise<TurnEnd>((resolve) => {
      this.#end = (end) => {
        this.#end = undefined;
        resolve(end);
      };
      // After this turn of the event loop, so that a synchronous throw ends the run like any other.
      Promise.resolve()
        .then(main)
        .then(plainValue)
        .then(
          (output) => this.#finish({ type: 'completed', output }),
          (error: unknown) => this.#finish({ type: 'failed', error }),
        );
      this.#deps.journal.writeSoon();
      this.#drain.start();
    });
  }

  /** Ends the turn from outside; steps that run are left to their signal. */
  abandon(cause: unknown): void {
    this.#end?.({ type: 'lost', cause });
  }

  /** Ends the turn when the calls under way have ended, so that what they did is on record. */
  stop(cause: unknown): void {
    this.#isStopped = true;
    this.#halted ??= { type: 'lost', cause };
    this.#pump();
  }

  /** Makes one step, or repeats what is on record of it. */
  step(request: StepRequest): Promise<unknown> {
    // Rejects for what is thrown, e.g. because the input is no JSON; stays open once the turn is over.
    return new Promise((resolve, reject) => {
      if (this.#end && !this.#halted) this.#begin(request, resolve, reject);
    });
  }

  #begin(
    request: StepRequest,
    resolve: (value: unknown) => void,
    reject: (error: unknown) => void,
  ): void {
    // A step that was cancelled before it began leaves no row: a replay does not begin it either.
    if (request.signal?.aborted) {
      reject(stepFailure(cancelledStep()));
      return;
    }
    const { runtime, journal } = this.#deps;
    const key = this.#keys.next(request.key);
    const digest = digestOf(request.input ?? null);
    const past = this.#journal.get(key);
    const { kind, name } = request;
    const difference = past && differentStep(past, { kind, name, digest });
    if (difference) {
      this.#block(`step:${key}`, difference);
      return;
    }
    this.#keys.note(key, past !== undefined || request.key !== undefined);
    const startedAt = past?.startedAt ?? runtime.now();
    const open = past?.position === undefined ? past : undefined;
    const made = { key, request, digest, startedAt, open, resolve, reject };
    const step = new OpenStep(made, journal);
    this.#open.set(key, step);
    if (past?.position === undefined) {
      if (this.#undo) {
        step.parkedFor = 'undo';
        return;
      }
      step.listen(() => this.#cancel(step));
      void this.#work(step);
    } else this.#pump();
  }

  /** Returns the steps that are worked on at this moment; the journal does not have them yet. */
  underWay(): readonly JournalStep[] {
    const open = [...this.#open.values()];
    return open.filter((step) => step.parkedFor === undefined).map((step) => step.entry());
  }

  /** Tells whether anything is under way, also after the turn has ended. */
  get isBusy(): boolean {
    return this.#active > 0;
  }

  /** Tells whether calls are under way, also after the turn has ended. */
  get hasCalls(): boolean {
    return this.#calls > 0;
  }

  /** Returns the approvals that steps wait for. */
  openQuestions(): readonly string[] {
    return [...this.#open.values()].flatMap(({ open }) => open?.approvalId ?? []);
  }

  /** Looks again at steps that wait for this. */
  recheck(waitsFor: string): void {
    if (!this.#end || this.#halted) return;
    for (const step of this.#open.values()) {
      if (step.parkedFor === waitsFor) void this.#work(step);
      else if (step.parkedFor === undefined) {
        step.missed ??= new Set();
        step.missed.add(waitsFor);
      }
    }
  }

  /** Looks again at steps whose time has come, or that wait for what is there by now. */
  async recheckDue(now: number, isThere: (waitsFor: string) => Promise<boolean>): Promise<void> {
    if (this.#undo) return;
    for (const step of [...this.#open.values()]) {
      const { parkedFor, open } = step;
      if (parkedFor === undefined) continue;
      const isDue = (open?.wakeAt ?? Number.POSITIVE_INFINITY) <= now || (await isThere(parkedFor));
      const isWaiting = this.#end && !this.#halted && step.parkedFor === parkedFor;
      if (isDue && isWaiting) void this.#work(step);
    }
  }

  async #work(step: OpenStep): Promise<void> {
    // Questions among them: what a person is asked has to be on record when the process leaves.
    const isCall = step.request.kind !== 'value';
    this.#active += 1;
    if (isCall) this.#calls += 1;
    step.parkedFor = undefined;
    step.missed = undefined;
    try {
      const end = await step.request.work(step);
      // Nobody but the process that leaves has cancelled it: the next one works on it again.
      if (this.#isStopped && isCancelled(end)) return;
      if (end.state === 'blocked') {
        if (end.step) step.keep(end.step);
        this.#block(end.waitsFor, end.error);
      } else if (end.state === 'parked') this.#park(step, end);
      else this.#close(step, end);
    } catch (cause) {
      this.abandon(cause);
    } finally {
      this.#active -= 1;
      if (isCall) this.#calls -= 1;
      this.#pump();
    }
  }

  /** Ends a step whose signal fired. One that is worked on ends by its work, or when it parks. */
  #cancel(step: OpenStep): void {
    if (step.parkedFor === undefined || !this.#end || this.#halted) return;
    void this.#closeCancelled(step);
  }

  async #closeCancelled(step: OpenStep): Promise<void> {
    this.#active += 1;
    step.parkedFor = undefined;
    try {
      await step.request.abandon?.(step.open);
      this.#close(step, { state: 'failed', error: cancelledStep() });
    } catch (cause) {
      this.abandon(cause);
    } finally {
      this.#active -= 1;
      this.#pump();
    }
  }

  #park(step: OpenStep, end: Extract<StepEnd, { state: 'parked' }>): void {
    if (end.step || !step.open) step.keep(end.step);
    // Nothing begins once the turn is over: another process may work on the run.
    if (this.#halted || !this.#end) {
      step.parkedFor = end.waitsFor;
      return;
    }
    if (step.isCancelled) {
      void this.#closeCancelled(step);
      return;
    }
    if (step.missed?.has(end.waitsFor)) {
      void this.#work(step);
      return;
    }
    step.parkedFor = end.waitsFor;
    if (step.open?.wakeAt !== undefined) this.#deps.lookAt(step.open.wakeAt);
  }

  #close(step: OpenStep, end: ClosedEnd): void {
    const plain = plainEnd(end);
    const { state, stored, error } = plain;
    this.#position += 1;
    // Assigned one by one: objects that are spread into each other cost 5 µs a step.
    const entry: Writable<JournalStep> = step.open ? { ...step.open } : step.entry();
    if (end.step) Object.assign(entry, end.step);
    entry.state = state;
    entry.position = this.#position;
    entry.finishedAt = this.#deps.runtime.now();
    if (stored !== undefined) entry.value = stored;
    // A copy: the code may change the lists of the error that it catches.
    if (error) entry.error = plainValue(error) as ToolError;
    this.#deps.journal.add(entry);
    this.#ended.add({ step, end: plain });
  }

  #settle(step: OpenStep, end: ToldEnd): void {
    this.#open.delete(step.key);
    step.settle(end);
  }

  /** Hands one step's end to the code, then lets the code go on before the next. */
  #pump(): void {
    if (this.#drain.isOn || !this.#end) return;
    if (this.#halted) {
      this.#endIfIdle();
      return;
    }
    const past = this.#replay[this.#replayed];
    if (past) {
      const step = this.#open.get(past.key);
      if (!step) {
        this.#stall.watch(past);
        return;
      }
      this.#replayed += 1;
      this.#settle(step, past);
    } else {
      const ended = this.#ended.take();
      if (!ended) {
        this.#endIfIdle();
        return;
      }
      this.#settle(ended.step, ended.end);
    }
    this.#drain.start();
  }

  /** Ends the turn once the steps that are worked on have ended: what they did has to be on record. */
  #block(waitsFor: string, error: ToolError): void {
    if (this.#halted?.type !== 'blocked') this.#halted = { type: 'blocked', waitsFor, error };
    this.#pump();
  }

  /** Takes the end of the code. Branches that it did not wait for may yet make steps on record. */
  #finish(end: Extract<TurnEnd, { type: 'completed' | 'failed' }>): void {
    if (this.#undo && end.type === 'completed') {
      const { key } = this.#undo;
      this.#block(`step:${key}`, missingStep(this.#undo, 'the code ended without a failure'));
      return;
    }
    this.#finishing = end;
    if (!this.#drain.isOn) this.#drain.start();
  }

  #endIfIdle(): void {
    // Nobody can end the code of a value, and it is run again.
    if ((this.#isStopped ? this.#calls : this.#active) > 0) return;
    if (this.#halted) {
      this.#end?.(this.#halted);
      return;
    }
    if (this.#finishing) {
      this.#end?.(this.#finishing);
      return;
    }
    if (this.#undo) {
      this.#stall.watch(this.#undo);
      return;
    }
    const parked = [...this.#open.values()].filter(({ parkedFor }) => parkedFor !== undefined);
    if (parked.length === 0) return;
    const times = parked.flatMap(({ open }) => open?.wakeAt ?? []);
    this.#end?.({
      type: 'parked',
      waitsFor: parked.map(({ parkedFor = '' }) => parkedFor),
      ...(times.length > 0 && { wakeAt: Math.min(...times) }),
    });
  }
}

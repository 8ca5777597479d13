/**
 * One process's turn at a run: replays the steps that have ended, runs the others and writes each down
 * when it ends. Steps end in the order of the journal, one at a time, so that concurrent code does
 * the same again.
 */
import { type ToolError, ToolFailure, toolError } from '../contract/errors.ts';
import type { JournalStep } from '../contract/flow-store.ts';
import type { Runtime } from '../contract/runtime.ts';
import { digestOf } from '../kit/data/canonical-json.ts';
import { differentStep, missingStep } from './divergence.ts';
import {
  type ClosedEnd,
  plainEnd,
  plainValue,
  type StepAttempt,
  type StepEnd,
  type StepRequest,
  stepFailure,
  type TurnEnd,
} from './turn.ts';

export interface ExecutionDeps {
  readonly steps: readonly JournalStep[];
  readonly runtime: Pick<Runtime, 'now' | 'after'>;
  record(steps: readonly JournalStep[]): Promise<void>;
  /** Is told when a step waits for a moment, so that `recheckDue` is called then. */
  lookAt(moment: number): void;
}

interface OpenStep {
  readonly key: string;
  readonly request: StepRequest;
  readonly digest: string;
  readonly startedAt: number;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  open: JournalStep | undefined;
  /** What it waits for; `undefined` while it is worked on. */
  parkedFor: string | undefined;
  /** What came while it was worked on: it may have looked too early. */
  readonly missed: Set<string>;
}

/** How long the code may take between two steps of a replay before it counts as changed. */
const STALL_MS = 2_000;

const STEP_KEY = /^[A-Za-z][A-Za-z0-9_.-]{0,999}$/;

const never = (): Promise<never> => new Promise<never>(() => undefined);

export class FlowExecution {
  readonly #deps: ExecutionDeps;
  readonly #journal: ReadonlyMap<string, JournalStep>;
  /** Steps that ended before this turn, in the order in which they did. */
  readonly #replay: readonly JournalStep[];
  #replayed = 0;
  #position: number;
  #lastKey = 0;
  readonly #open = new Map<string, OpenStep>();
  readonly #made = new Set<string>();
  readonly #ended: (() => void)[] = [];
  #active = 0;
  #isDraining = false;
  #isWatched = false;
  #end: ((end: TurnEnd) => void) | undefined;
  /** The code is over; steps that it did not wait for are not. */
  #finishing: TurnEnd | undefined;

  constructor(deps: ExecutionDeps) {
    this.#deps = deps;
    this.#journal = new Map(deps.steps.map((step) => [step.key, step]));
    this.#replay = deps.steps
      .filter(({ position }) => position !== undefined)
      .toSorted((one, other) => (one.position ?? 0) - (other.position ?? 0));
    this.#position = this.#replay.at(-1)?.position ?? 0;
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
      this.#drain();
    });
  }

  /** Ends the turn from outside; steps that run are left to their signal. */
  abandon(cause: unknown): void {
    this.#end?.({ type: 'lost', cause });
  }

  /** Makes one step, or repeats what is on record of it. */
  step(request: StepRequest): Promise<unknown> {
    if (!this.#end) return never();
    const key = this.#keyOf(request);
    const digest = digestOf(request.input ?? null);
    const known = this.#journal.get(key);
    const { kind, name } = request;
    const difference = known && differentStep(known, { kind, name, digest });
    if (difference) {
      this.#block(`step:${key}`, difference);
      return never();
    }
    this.#made.add(key);
    return new Promise((resolve, reject) => {
      const startedAt = known?.startedAt ?? this.#deps.runtime.now();
      const open = known?.position === undefined ? known : undefined;
      const step: OpenStep = {
        ...{ key, request, digest, startedAt, resolve, reject, open },
        ...{ parkedFor: undefined, missed: new Set() },
      };
      this.#open.set(key, step);
      if (known?.position === undefined) void this.#work(step);
      else this.#pump();
    });
  }

  /** Returns the steps that are worked on at this moment; the journal does not have them yet. */
  underWay(): readonly JournalStep[] {
    const open = [...this.#open.values()];
    return open.filter((step) => step.parkedFor === undefined).map((step) => this.#entry(step));
  }

  /** Numbers begin with a digit and keys with a letter, so that neither can be taken for the other. */
  #keyOf({ key }: StepRequest): string {
    if (key === undefined) {
      this.#lastKey += 1;
      return String(this.#lastKey);
    }
    if (STEP_KEY.test(key) && !this.#made.has(key)) return key;
    throw new ToolFailure('VALIDATION_ERROR', `The key ${key} of a step is taken or not usable.`, {
      suggestions: [
        'Give each step a key of its own: a letter, then letters, digits, "_", "." or "-".',
      ],
    });
  }

  /** Looks again at steps that wait for this. */
  recheck(waitsFor: string): void {
    if (!this.#end) return;
    for (const step of this.#open.values()) {
      if (step.parkedFor === waitsFor) void this.#work(step);
      else if (step.parkedFor === undefined) step.missed.add(waitsFor);
    }
  }

  /** Looks again at steps whose time has come, or that wait for what is there by now. */
  async recheckDue(now: number, isThere: (waitsFor: string) => Promise<boolean>): Promise<void> {
    for (const step of [...this.#open.values()]) {
      const { parkedFor, open } = step;
      if (parkedFor === undefined) continue;
      const isDue = (open?.wakeAt ?? Number.POSITIVE_INFINITY) <= now || (await isThere(parkedFor));
      if (isDue && this.#end && step.parkedFor === parkedFor) void this.#work(step);
    }
  }

  async #work(step: OpenStep): Promise<void> {
    this.#active += 1;
    step.parkedFor = undefined;
    step.missed.clear();
    try {
      const { key, open } = step;
      const note: StepAttempt['note'] = (part) => this.#note(step, part);
      const end = await step.request.work({ key, open, note });
      if (end.state === 'blocked') this.#block(end.waitsFor, end.error);
      else if (end.state === 'parked') await this.#park(step, end);
      else await this.#close(step, end);
    } catch (cause) {
      this.abandon(cause);
    } finally {
      this.#active -= 1;
      this.#pump();
    }
  }

  async #park(step: OpenStep, end: Extract<StepEnd, { state: 'parked' }>): Promise<void> {
    if (end.step || !step.open) await this.#note(step, end.step);
    if (step.missed.has(end.waitsFor)) {
      await this.#work(step);
      return;
    }
    step.parkedFor = end.waitsFor;
    if (step.open?.wakeAt !== undefined) this.#deps.lookAt(step.open.wakeAt);
  }

  async #note(step: OpenStep, part: Partial<JournalStep> | undefined): Promise<void> {
    const entry: JournalStep = { ...this.#entry(step), ...step.open, ...part, state: 'open' };
    await this.#deps.record([entry]);
    step.open = entry;
  }

  async #close(step: OpenStep, end: ClosedEnd): Promise<void> {
    const { state, value, error } = plainEnd(end);
    this.#position += 1;
    const entry: JournalStep = {
      ...this.#entry(step),
      ...step.open,
      ...end.step,
      state,
      position: this.#position,
      finishedAt: this.#deps.runtime.now(),
      ...(value !== undefined && { value }),
      ...(error && { error }),
    };
    // The store commits writes in the order in which they were made, so positions keep their order.
    await this.#deps.record([entry]);
    this.#ended.push(() => this.#settle(step, entry));
  }

  #entry({ key, request: { kind, name }, digest, startedAt }: OpenStep): JournalStep {
    return { key, kind, name, digest, state: 'open', startedAt };
  }

  #settle(step: OpenStep, { state, value, error }: JournalStep): void {
    this.#open.delete(step.key);
    if (state === 'done') step.resolve(value);
    else step.reject(stepFailure(error ?? toolError('EXECUTION_FAILED')));
  }

  /** Hands one step's end to the code, then lets the code go on before the next. */
  #pump(): void {
    if (this.#isDraining || !this.#end) return;
    const past = this.#finishing ? undefined : this.#replay[this.#replayed];
    if (past) {
      const step = this.#open.get(past.key);
      if (!step) {
        this.#watch(past);
        return;
      }
      this.#replayed += 1;
      this.#settle(step, past);
    } else {
      const settle = this.#ended.shift();
      if (!settle) {
        this.#endIfIdle();
        return;
      }
      settle();
    }
    this.#drain();
  }

  #drain(): void {
    this.#isDraining = true;
    setImmediate(() => {
      this.#isDraining = false;
      this.#pump();
    });
  }

  /** The code has not made a step that is on record: it is slow between steps, or it has changed. */
  #watch(past: JournalStep): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    this.#deps.runtime.after(STALL_MS, () => {
      this.#isWatched = false;
      if (this.#made.has(past.key)) {
        // It was slow; the next step on record may be one that the code does not make.
        this.#pump();
        return;
      }
      this.#block(`step:${past.key}`, missingStep(past, 'the code does not make it'));
    });
  }

  #block(waitsFor: string, error: ToolError): void {
    this.#end?.({ type: 'blocked', waitsFor, error });
  }

  #finish(end: Extract<TurnEnd, { type: 'completed' | 'failed' }>): void {
    const missed = this.#replay.find(({ key }) => !this.#made.has(key));
    if (missed) {
      this.#block(`step:${missed.key}`, missingStep(missed, 'the code ended without it'));
    } else {
      this.#finishing = end;
      this.#pump();
    }
  }

  #endIfIdle(): void {
    if (this.#active > 0) return;
    if (this.#finishing) {
      this.#end?.(this.#finishing);
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

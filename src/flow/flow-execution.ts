/**
 * One process's turn at a run: replays the steps that have ended, runs the others and writes each down
 * when it ends. Steps end in the order of the journal, one at a time, so that concurrent code does
 * the same again.
 */
import { type ToolError, ToolFailure, toolError } from '../contract/errors.ts';
import type { JournalStep, StepKind } from '../contract/flow-store.ts';
import type { Runtime } from '../contract/runtime.ts';
import { digestOf } from '../kit/data/canonical-json.ts';

/** How a step ended, or what it waits for. */
export type StepEnd =
  | {
      readonly state: 'done' | 'failed';
      readonly step?: Partial<JournalStep>;
      readonly value?: unknown;
      readonly error?: ToolError;
    }
  | {
      readonly state: 'parked';
      readonly waitsFor: string;
      readonly step?: Partial<JournalStep>;
    }
  /** Only a person can say what became of it. */
  | { readonly state: 'blocked'; readonly waitsFor: string; readonly error: ToolError };

export interface StepRequest {
  readonly kind: StepKind;
  readonly name: string;
  readonly input: unknown;
  /** Runs the step, or looks whether what it waits for has come; `open` is what is on record of it. */
  work(key: string, open: JournalStep | undefined): Promise<StepEnd>;
}

/** Why the turn is over. */
export type TurnEnd =
  | { readonly type: 'completed'; readonly output: unknown }
  | { readonly type: 'failed'; readonly error: unknown }
  | { readonly type: 'parked'; readonly waitsFor: readonly string[]; readonly wakeAt?: number }
  | { readonly type: 'blocked'; readonly waitsFor: string; readonly error: ToolError }
  /** Another process has the run, or the store is gone: nothing may be written any more. */
  | { readonly type: 'lost'; readonly cause: unknown };

export interface ExecutionDeps {
  readonly steps: readonly JournalStep[];
  readonly runtime: Pick<Runtime, 'now' | 'after'>;
  record(steps: readonly JournalStep[]): Promise<void>;
}

interface OpenStep {
  readonly key: string;
  readonly request: StepRequest;
  readonly digest: string;
  readonly startedAt: number;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  open: JournalStep | undefined;
  parkedFor: string | undefined;
}

/** How long the code may take between two steps of a replay before it counts as changed. */
const STALL_MS = 2_000;

const never = (): Promise<never> => new Promise<never>(() => undefined);

/** The error of a step as the code of the flow catches it. */
export const stepFailure = ({ code, message, ...extras }: ToolError): ToolFailure =>
  new ToolFailure(code, message, extras);

const diverged = (message: string): ToolError =>
  toolError('CONFLICT', message, {
    suggestions: [
      'Register the version of the flow that the run began with, or give changed code a new version.',
    ],
  });

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
    this.#lastKey += 1;
    const key = String(this.#lastKey);
    const digest = digestOf(request.input ?? null);
    const known = this.#journal.get(key);
    if (known && !this.#isSame(known, request, digest)) return never();
    this.#made.add(key);
    return new Promise((resolve, reject) => {
      const startedAt = known?.startedAt ?? this.#deps.runtime.now();
      const open = known?.position === undefined ? known : undefined;
      const step = { key, request, digest, startedAt, resolve, reject, open, parkedFor: undefined };
      this.#open.set(key, step);
      if (known?.position === undefined) void this.#work(step);
      else this.#pump();
    });
  }

  /** Looks again at steps that wait for this. */
  recheck(waitsFor: string): void {
    for (const step of this.#open.values()) {
      if (step.parkedFor === waitsFor) void this.#work(step);
    }
  }

  #isSame(known: JournalStep, { kind, name }: StepRequest, digest: string): boolean {
    if (known.kind === kind && known.name === name && known.digest === digest) return true;
    const was = `${known.kind} ${known.name}`;
    const message =
      known.kind === kind && known.name === name
        ? `Step ${known.key} (${was}) has another input than on record.`
        : `Step ${known.key} is ${kind} ${name}; on record it is ${was}.`;
    this.#block(`step:${known.key}`, diverged(message));
    return false;
  }

  async #work(step: OpenStep): Promise<void> {
    this.#active += 1;
    step.parkedFor = undefined;
    try {
      const end = await step.request.work(step.key, step.open);
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
    if (end.step || !step.open) {
      step.open = { ...this.#entry(step), ...step.open, ...end.step, state: 'open' };
      await this.#deps.record([step.open]);
    }
    step.parkedFor = end.waitsFor;
  }

  async #close(step: OpenStep, end: Extract<StepEnd, { state: 'done' | 'failed' }>): Promise<void> {
    this.#position += 1;
    const { value, error } = end;
    const entry: JournalStep = {
      ...this.#entry(step),
      ...step.open,
      ...end.step,
      state: end.state,
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
  #watch({ key, kind, name }: JournalStep): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    this.#deps.runtime.after(STALL_MS, () => {
      this.#isWatched = false;
      if (!this.#end || this.#made.has(key)) return;
      const message = `Step ${key} (${kind} ${name}) is on record, but the code does not make it.`;
      this.#block(`step:${key}`, diverged(message));
    });
  }

  #block(waitsFor: string, error: ToolError): void {
    this.#end?.({ type: 'blocked', waitsFor, error });
  }

  #finish(end: Extract<TurnEnd, { type: 'completed' | 'failed' }>): void {
    const missed = this.#replay.find(({ key }) => !this.#made.has(key));
    if (missed) {
      const { key, kind, name } = missed;
      const message = `Step ${key} (${kind} ${name}) is on record, but the code ended without it.`;
      this.#block(`step:${key}`, diverged(message));
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

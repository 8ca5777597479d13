/** A step that the code of a flow has made and waits for. */
import { type ToolError, toolError } from '../contract/errors.ts';
import type { JournalStep } from '../contract/flow-store.ts';
import type { RunJournal } from './run-journal.ts';
import { type StepAttempt, type StepRequest, stepFailure } from './turn.ts';

/** What a step is, and who in the code waits for it. */
export interface NewStep {
  readonly key: string;
  readonly request: StepRequest;
  readonly digest: string;
  readonly startedAt: number;
  /** What is on record of it, while it is open. */
  readonly open: JournalStep | undefined;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** How a step ended, as the code is told. */
export interface ToldEnd {
  readonly state: JournalStep['state'];
  readonly value?: unknown;
  readonly error?: ToolError;
}

export class OpenStep implements StepAttempt {
  readonly key: string;
  readonly request: StepRequest;
  open: JournalStep | undefined;
  /** What it waits for; `undefined` while it is worked on. */
  parkedFor: string | undefined = undefined;
  /** What came while it was worked on: it may have looked too early. */
  missed: Set<string> | undefined = undefined;
  isCancelled = false;
  #stopListening: (() => void) | undefined = undefined;
  readonly #step: NewStep;
  readonly #journal: Pick<RunJournal, 'add' | 'flush'>;

  constructor(step: NewStep, journal: Pick<RunJournal, 'add' | 'flush'>) {
    this.key = step.key;
    this.request = step.request;
    this.open = step.open;
    this.#step = step;
    this.#journal = journal;
  }

  note(part: Partial<JournalStep> | undefined): Promise<void> {
    this.keep(part);
    return this.#journal.flush();
  }

  flush(): Promise<void> {
    return this.#journal.flush();
  }

  /** Puts the step on record as open, with what a later attempt must know of it. */
  keep(part: Partial<JournalStep> | undefined): void {
    const entry: JournalStep = { ...(this.open ?? this.entry()), ...part, state: 'open' };
    this.#journal.add(entry);
    this.open = entry;
  }

  /** The step as the journal holds it before anything is known of its end. */
  entry(): JournalStep {
    const { key, request, digest, startedAt } = this.#step;
    const { kind, name } = request;
    return { key, kind, name, digest, state: 'open', startedAt };
  }

  /** Calls back when the signal of the step fires before it has ended. */
  listen(cancelled: () => void): void {
    const { signal } = this.request;
    if (!signal) return;
    const cancel = (): void => {
      this.isCancelled = true;
      cancelled();
    };
    signal.addEventListener('abort', cancel, { once: true });
    this.#stopListening = () => signal.removeEventListener('abort', cancel);
  }

  /** Tells the code how the step ended. */
  settle({ state, value, error }: ToldEnd): void {
    this.#stopListening?.();
    if (state === 'done') this.#step.resolve(value);
    else this.#step.reject(stepFailure(error ?? toolError('EXECUTION_FAILED')));
  }
}

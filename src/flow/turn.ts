/** The words of a turn: what a step is asked to do, how it ends, and why the turn is over. */
import { type ToolError, ToolFailure, toolError } from '../contract/errors.ts';
import type { JournalStep, StepKind } from '../contract/flow-store.ts';
import { jsonValue } from '../kit/data/json-value.ts';
import { thrownError } from '../pipeline/record/thrown-error.ts';

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
  | {
      readonly state: 'blocked';
      readonly waitsFor: string;
      readonly error: ToolError;
      readonly step?: Partial<JournalStep>;
    };

/** A step that runs: its key in the journal, and what is on record of it while it is open. */
export interface StepAttempt {
  readonly key: string;
  readonly open: JournalStep | undefined;
  /** Writes down what a later attempt, or another process, must know of the step. */
  note(part: Partial<JournalStep>): Promise<void>;
  /** Resolves when all that led to this step is on record. Awaited before anything is changed. */
  flush(): Promise<void>;
}

export interface StepRequest {
  /** The key in the journal; the number of the step when absent. */
  readonly key?: string;
  readonly kind: StepKind;
  readonly name: string;
  readonly input: unknown;
  /** Cancels the step. */
  readonly signal?: AbortSignal;
  /** Ends what a step that waits has started elsewhere, before it is closed as cancelled. */
  abandon?(open: JournalStep | undefined): Promise<void>;
  /** Runs the step, or looks whether what it waits for has come. A rejection gives up the turn. */
  work(attempt: StepAttempt): Promise<StepEnd>;
}

/** Why the turn is over. */
export type TurnEnd =
  | { readonly type: 'completed'; readonly output: unknown }
  | { readonly type: 'failed'; readonly error: unknown }
  | { readonly type: 'parked'; readonly waitsFor: readonly string[]; readonly wakeAt?: number }
  | { readonly type: 'blocked'; readonly waitsFor: string; readonly error: ToolError }
  /** Another process has the run, or the store fails: this turn writes nothing any more. */
  | { readonly type: 'lost'; readonly cause: unknown };

/** Copies a value as a replay will read it. Throws EXECUTION_FAILED for what JSON cannot hold. */
export const plainValue = (value: unknown): unknown => {
  try {
    return jsonValue(value);
  } catch {
    throw new ToolFailure('EXECUTION_FAILED', 'The value is not plain JSON and cannot be kept.', {
      suggestions: ['Keep only strings, numbers, booleans, null, arrays and plain objects.'],
    });
  }
};

export type ClosedEnd = Extract<StepEnd, { state: 'done' | 'failed' }>;

/** The end of a step as JSON gives it back. */
export interface PlainEnd extends Pick<ClosedEnd, 'state' | 'value' | 'error'> {
  /** The value once more, for the journal: the code may change its own before that is written. */
  readonly stored?: unknown;
}

/** Makes the end of a step as the journal can hold it: one whose value is no JSON is a failure. */
export const plainEnd = ({ state, value, error }: ClosedEnd): PlainEnd => {
  if (error) return { state, error };
  try {
    const plain = plainValue(value);
    return { state, value: plain, stored: plainValue(plain) };
  } catch (thrown) {
    return { state: 'failed', error: thrownError(thrown) };
  }
};

/** Makes the error of a step whose group or list of items had failed, or whose time was over. */
export const cancelledStep = (): ToolError =>
  toolError('CANCELLED', 'The step was cancelled: what it is part of has ended.');

/** Makes the error of a call that was under way, or in doubt, when its run was cancelled. */
export const cutOffStep = (executionId: string): ToolError =>
  toolError(
    'CANCELLED',
    'The run was cancelled, and nobody knows whether this call has taken effect.',
    { suggestions: ['Check what it did before it is done again.'], inDoubt: executionId },
  );

/** Makes the error of a step as the code of the flow catches it. */
export const stepFailure = ({ code, message, ...extras }: ToolError): ToolFailure =>
  new ToolFailure(code, message, extras);

/** Gives the steps of a run their keys, and knows which of them its code has made. */
import { ToolFailure } from '../../contract/errors.ts';

const STEP_KEY = /^[A-Za-z][A-Za-z0-9_.-]{0,999}$/;

const unusable = (key: string): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', `The key ${key} of a step is taken or not usable.`, {
    suggestions: [
      'Give each step a key of its own: a letter, then letters, digits, "_", "." or "-".',
    ],
  });

export class StepKeys {
  #lastNumber = 0;
  #count = 0;
  /** Keys of steps that the code has made: those on record, and those that it named itself. */
  readonly #made = new Set<string>();

  /** How many steps the code has made. */
  get count(): number {
    return this.#count;
  }

  /** Tells whether the code has made a step that is on record. */
  has(key: string): boolean {
    return this.#made.has(key);
  }

  /**
   * Returns the key of the next step, its number where it names none. Numbers begin with a digit and keys with
   * a letter, so that neither can be taken for the other. Throws VALIDATION_ERROR for a key that is taken.
   */
  next(named: string | undefined): string {
    if (named === undefined) {
      this.#lastNumber += 1;
      return String(this.#lastNumber);
    }
    if (STEP_KEY.test(named) && !this.#made.has(named)) return named;
    throw unusable(named);
  }

  /** Notes that the code has made a step. A run of many steps must not remember each number. */
  note(key: string, isKept: boolean): void {
    this.#count += 1;
    if (isKept) this.#made.add(key);
  }
}

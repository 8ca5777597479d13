/** Ends synchronous work that somebody's data was written to keep busy for ever. */
import { propertyOf } from './reason-of.ts';

export interface WorkLimit {
  readonly ms: number;
  /** Thrown when the time is over. */
  late(): Error;
  /** Thrown when the stack is full. */
  deep(): Error;
}

/**
 * Runs work with a limit of time. The vm is no sandbox here: it is the one way to interrupt code that
 * never returns. What it throws comes from another realm, so it is known by what it holds.
 */
export const boundedWork = <T>(work: () => T, { ms, late, deep }: WorkLimit): T => {
  try {
    const { runInNewContext } = process.getBuiltinModule('node:vm');
    return runInNewContext('work()', { work }, { timeout: ms }) as T;
  } catch (error) {
    if (propertyOf(error, 'code') === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw late();
    if (propertyOf(error, 'name') === 'RangeError') throw deep();
    throw error;
  }
};

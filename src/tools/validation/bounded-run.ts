/** Stops synchronous work that a hostile schema or document could keep busy for ever. */
import { ToolFailure } from '../../contract/errors.ts';

const MAX_MS = 3000;

/** What the vm throws comes from another realm, so it is known by what it holds, not by its class. */
const textOf = (error: unknown, field: 'code' | 'name' | 'message'): string => {
  const value =
    typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[field] : '';
  return typeof value === 'string' ? value : '';
};

const isTimeout = (error: unknown): boolean =>
  textOf(error, 'code') === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

const isStackFull = (error: unknown): boolean =>
  textOf(error, 'name') === 'RangeError' && /call stack/i.test(textOf(error, 'message'));

/** The vm is no sandbox here: it is the one way to interrupt code that never returns. */
export const boundedRun = <T>(what: string, work: () => T, timeout = MAX_MS): T => {
  try {
    const { runInNewContext } = process.getBuiltinModule('node:vm');
    return runInNewContext('work()', { work }, { timeout }) as T;
  } catch (error) {
    if (isTimeout(error)) {
      throw new ToolFailure('TIMEOUT', `Checking the ${what} took longer than ${timeout} ms.`, {
        suggestions: ['Use a simpler schema or a smaller document.'],
        retryable: false,
      });
    }
    if (isStackFull(error)) {
      throw new ToolFailure('VALIDATION_ERROR', `The ${what} is nested too deep.`, {
        suggestions: ['Use less nesting, and no references that lead back to themselves.'],
      });
    }
    throw error;
  }
};

/** Ends work on a stored result that an expression was written to keep busy for ever. */
import { ToolFailure } from '../../contract/errors.ts';

const MOST_MS = 3000;

/** What the vm throws comes from another realm, so it is known by what it holds. */
const fieldOf = (error: unknown, field: 'code' | 'name'): unknown =>
  typeof error === 'object' && error !== null
    ? (error as Record<string, unknown>)[field]
    : undefined;

/** The vm is no sandbox here: it is the one way to interrupt code that never returns. */
export const bounded = <T>(work: () => T): T => {
  try {
    const { runInNewContext } = process.getBuiltinModule('node:vm');
    return runInNewContext('work()', { work }, { timeout: MOST_MS }) as T;
  } catch (error) {
    if (fieldOf(error, 'code') === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      throw new ToolFailure('TIMEOUT', `Looking through the result took over ${MOST_MS} ms.`, {
        suggestions: ['Use a simpler expression, or read the result page by page.'],
        retryable: false,
      });
    }
    if (fieldOf(error, 'name') === 'RangeError') {
      throw new ToolFailure('VALIDATION_ERROR', 'The expression or the result is nested too deep.');
    }
    throw error;
  }
};

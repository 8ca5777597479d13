/** Stops synchronous work that a hostile schema or document could keep busy for ever. */
import { runInNewContext } from 'node:vm';
import { ToolFailure } from '../../contract/errors.ts';

const MOST_MS = 2000;

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** The engine throws this for a call stack that is full; `what` then recurses without end. */
const isStackFull = (error: unknown): boolean =>
  error instanceof RangeError && /call stack/i.test(error.message);

/** The vm is no sandbox here: it is the one way to interrupt code that never returns. */
export const boundedRun = <T>(what: string, work: () => T): T => {
  try {
    return runInNewContext('work()', { work }, { timeout: MOST_MS }) as T;
  } catch (error) {
    if (isTimeout(error)) {
      throw new ToolFailure('TIMEOUT', `Checking the ${what} took longer than ${MOST_MS} ms.`, {
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

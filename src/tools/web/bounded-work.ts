/** Stops work on a page that somebody wrote to keep a reader busy for ever. */
import { ToolFailure } from '../../contract/errors.ts';

const MOST_MS = 2000;

/** What the vm throws comes from another realm, so it is known by what it holds. */
const fieldOf = (error: unknown, field: 'code' | 'name'): unknown =>
  typeof error === 'object' && error !== null
    ? (error as Record<string, unknown>)[field]
    : undefined;

/** The vm is no sandbox here: it is the one way to interrupt code that never returns. */
export const boundedWork = <T>(work: () => T): T => {
  try {
    const { runInNewContext } = process.getBuiltinModule('node:vm');
    return runInNewContext('work()', { work }, { timeout: MOST_MS }) as T;
  } catch (error) {
    if (fieldOf(error, 'code') === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      throw new ToolFailure(
        'EXECUTION_FAILED',
        `Reading the page took longer than ${MOST_MS} ms.`,
        {
          suggestions: ['Ask for a smaller page, or use a simpler selector.'],
        },
      );
    }
    if (fieldOf(error, 'name') === 'RangeError') {
      throw new ToolFailure('EXECUTION_FAILED', 'The page is nested too deep to be read.');
    }
    throw error;
  }
};

/** Stops synchronous work that a hostile schema or document could keep busy for ever. */
import { ToolFailure } from '../../contract/errors.ts';
import { boundedWork } from '../../kit/data/bounded-work.ts';

const MAX_MS = 3000;

export const boundedRun = <T>(what: string, work: () => T, ms = MAX_MS): T =>
  boundedWork(work, {
    ms,
    late: () =>
      new ToolFailure('TIMEOUT', `Checking the ${what} took longer than ${ms} ms.`, {
        suggestions: ['Use a simpler schema or a smaller document.'],
        retryable: false,
      }),
    deep: () =>
      new ToolFailure('VALIDATION_ERROR', `The ${what} is nested too deep.`, {
        suggestions: ['Use less nesting, and no references that lead back to themselves.'],
      }),
  });

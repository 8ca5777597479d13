/** Ends work on a stored result that an expression was written to keep busy for ever. */
import { ToolFailure } from '../../contract/errors.ts';
import { boundedWork } from '../../kit/data/bounded-work.ts';

const MAX_MS = 3000;

export const bounded = <T>(work: () => T): T =>
  boundedWork(work, {
    ms: MAX_MS,
    late: () =>
      new ToolFailure('TIMEOUT', `Looking through the result took over ${MAX_MS} ms.`, {
        suggestions: ['Use a simpler expression, or read the result page by page.'],
        retryable: false,
      }),
    deep: () =>
      new ToolFailure('VALIDATION_ERROR', 'The expression or the result is nested too deep.'),
  });

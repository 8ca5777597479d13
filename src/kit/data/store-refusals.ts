/** Why databases are refused that cannot be used as they are. */
import { ToolFailure } from '../../contract/errors.ts';

export const closedFailure = (): ToolFailure =>
  new ToolFailure('STORE_UNAVAILABLE', 'The store is closed.', {
    retryable: false,
    suggestions: ['Open the store again.'],
  });

/** Refuses a database that this version must not touch. */
export const refuseDatabase = (message: string, suggestion: string): never => {
  throw new ToolFailure('STORE_UNAVAILABLE', message, {
    retryable: false,
    suggestions: [suggestion],
  });
};

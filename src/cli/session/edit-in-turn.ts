/** Runs edits of the configuration one after the other, as the editors of servers and sources need it. */
import { ConfigError, formatProblem } from '../../config/config-error.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { createOneAtATime } from '../../kit/data/bounded-work.ts';

/** Turns bad configuration into a failure; it names files and settings, never a value. */
export const asToolFailure = (error: unknown): unknown =>
  error instanceof ConfigError
    ? new ToolFailure('CONFIG_INVALID', 'The configuration cannot be changed as it is.', {
        suggestions: error.problems.map(formatProblem),
      })
    : error;

type EditInTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Makes a function that runs work one after the other; bad configuration fails with CONFIG_INVALID. */
export const createTurns = (): EditInTurn => {
  const oneAtATime = createOneAtATime();
  return (work) =>
    oneAtATime('configuration', work).catch((error: unknown) => {
      throw asToolFailure(error);
    });
};

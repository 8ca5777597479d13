/**
 * Stops a calculation that does not end. The meter refuses calculations that it expects to be slow; this
 * limit stops the rest. The vm is used to interrupt, not as a sandbox.
 */
import { type Context, createContext, runInContext } from 'node:vm';
import { errorCodeOf } from '../../../kit/data/reason-of.ts';
import { tooMuch } from './refusal.ts';

/** The work, and what to do after it was stopped. */
export interface Work<T> {
  run(): T;
  stopped(): void;
}

const isTimeout = (error: unknown): boolean =>
  errorCodeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** Creates a function that runs synchronous work. It throws VALIDATION_ERROR when the work was stopped. */
export const createTimeLimit = (ms: number): (<T>(work: Work<T>) => T) => {
  let realm: Context | undefined;
  return <T>(work: Work<T>): T => {
    realm ??= createContext({});
    realm.work = () => work.run();
    try {
      return runInContext('work()', realm, { timeout: ms }) as T;
    } catch (error) {
      if (!isTimeout(error)) throw error;
      work.stopped();
      throw tooMuch('the calculation takes too long');
    } finally {
      realm.work = undefined;
    }
  };
};

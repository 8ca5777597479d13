/**
 * The last line against a calculation that does not end. The meter refuses what it knows to be slow;
 * this stops what it does not know. The vm is no sandbox here, only a way to interrupt.
 */
import { createContext, Script } from 'node:vm';
import { tooMuch } from './refusal.ts';

export interface TimeLimit {
  /** Runs synchronous work. Throws VALIDATION_ERROR when it is stopped. */
  run<T>(work: () => T): T;
}

const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

export const createTimeLimit = (ms: number, onStopped: () => void): TimeLimit => {
  const arena: { work: () => unknown } = { work: () => undefined };
  const realm = createContext(arena);
  const script = new Script('work()');
  return {
    run: <T>(work: () => T): T => {
      arena.work = work;
      try {
        return script.runInContext(realm, { timeout: ms }) as T;
      } catch (error) {
        if (!isTimeout(error)) throw error;
        onStopped();
        throw tooMuch('the calculation takes too long');
      } finally {
        arena.work = () => undefined;
      }
    },
  };
};

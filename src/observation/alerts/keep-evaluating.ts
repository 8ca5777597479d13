/** Evaluates the alerts every few seconds, until it is stopped. */
import { reasonOf } from '../../kit/data/reason-of.ts';
import { type RepeatOptions, repeatWork } from '../repeat-work.ts';

export interface KeepEvaluatingDeps extends Pick<RepeatOptions, 'everyMs' | 'runtime'> {
  evaluate(): Promise<void>;
  /** Ends the leases of this process. */
  release(): Promise<void>;
}

/** Starts the rounds. Returns a function that stops them and resolves when none is under way. */
export const keepEvaluating = (deps: KeepEvaluatingDeps): (() => Promise<void>) => {
  const { runtime, everyMs } = deps;
  const failure = 'Alerts could not be evaluated.';
  const stop = repeatWork(() => deps.evaluate(), { runtime, everyMs, failure });
  return async () => {
    await stop();
    await deps.release().catch((error: unknown) => {
      runtime.log.warn('Alerts stay with this process a little longer.', {
        error: reasonOf(error),
      });
    });
  };
};

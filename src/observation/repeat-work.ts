/** Repeats work every few seconds, one round at a time, until it is stopped. */
import type { Runtime, Timer } from '../contract/runtime.ts';
import { reasonOf } from '../kit/data/reason-of.ts';

export interface RepeatOptions {
  readonly everyMs: number;
  /** The pause before the first round; `everyMs` when absent. */
  readonly firstMs?: number;
  /** The message in the log when a round fails. The next one runs all the same. */
  readonly failure: string;
  readonly runtime: Pick<Runtime, 'after' | 'log'>;
}

/**
 * Starts the rounds; the first comes after a pause. Returns a function that stops the rounds and resolves when
 * none is under way. The work can ask whether it was stopped meanwhile.
 */
export const repeatWork = (
  work: (isStopped: () => boolean) => Promise<void>,
  { everyMs, firstMs = everyMs, failure, runtime }: RepeatOptions,
): (() => Promise<void>) => {
  let timer: Timer | undefined;
  let round: Promise<void> | undefined;
  let stopped = false;
  const again = (pauseMs: number): void => {
    if (stopped) return;
    timer = runtime.after(pauseMs, () => {
      round = work(() => stopped)
        .catch((error: unknown) => runtime.log.warn(failure, { error: reasonOf(error) }))
        .finally(() => again(everyMs));
    });
    timer.keepAlive(false);
  };
  again(firstMs);
  return async () => {
    stopped = true;
    timer?.cancel();
    await round;
  };
};

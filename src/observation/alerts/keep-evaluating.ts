/** Evaluates the alerts every few seconds, until it is stopped. */
import type { Runtime, Timer } from '../../contract/runtime.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';

export interface KeepEvaluatingDeps {
  evaluate(): Promise<void>;
  /** Lets another process take over. */
  release(): Promise<void>;
  readonly everyMs: number;
  readonly runtime: Pick<Runtime, 'after' | 'log'>;
}

/** Starts; returns a function that stops, and resolves when nothing is under way any more. */
export const keepEvaluating = (deps: KeepEvaluatingDeps): (() => Promise<void>) => {
  const { runtime, everyMs } = deps;
  let timer: Timer | undefined;
  let round: Promise<void> | undefined;
  let isStopped = false;
  const again = (): void => {
    if (isStopped) return;
    timer = runtime.after(everyMs, () => {
      round = deps
        .evaluate()
        .catch((error: unknown) => {
          runtime.log.warn('Alerts could not be evaluated.', { error: reasonOf(error) });
        })
        .finally(again);
    });
    timer.keepAlive(false);
  };
  again();
  return async () => {
    isStopped = true;
    timer?.cancel();
    await round;
    await deps.release().catch((error: unknown) => {
      runtime.log.warn('Alerts stay with this process a little longer.', {
        error: reasonOf(error),
      });
    });
  };
};

/** Gives up a run whose journal could not be written, so that it is tried again. */
import type { FlowRun, Flows } from '../contract/flow-store.ts';
import type { Runtime } from '../contract/runtime.ts';
import { errorCodeOf, reasonOf } from '../kit/data/reason-of.ts';
import { stopped } from './run-record.ts';

export interface RetryDeps {
  readonly runtime: Pick<Runtime, 'now' | 'log'>;
  flows(): Promise<Flows>;
}

const RETRY_MS = 2_000;

/** Never rejects. A run that another process has taken over is left to it. False while the store is away. */
export const retryLater = async (
  run: FlowRun,
  cause: unknown,
  { runtime, flows }: RetryDeps,
): Promise<boolean> => {
  const now = runtime.now();
  const change = { ...stopped('waiting', now), wakeAt: now + RETRY_MS, waitsFor: ['retry'] };
  try {
    await (await flows()).release(run, change);
  } catch (error) {
    return errorCodeOf(error) === 'CONFLICT';
  }
  runtime.log.warn('A run is tried again.', { runId: run.id, error: reasonOf(cause) });
  return true;
};

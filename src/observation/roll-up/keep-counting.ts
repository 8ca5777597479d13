/** Counts what is new in the trail every few seconds, and forgets periods that are too old. */
import type { MetricGrain } from '../../contract/metrics.ts';
import { METRIC_GRAINS } from '../../contract/metrics.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Store } from '../../contract/store.ts';
import { DAY_MS, HOUR_MS } from '../../kit/data/durations.ts';
import { repeatWork } from '../repeat-work.ts';
import type { TrailCounter } from './trail-counter.ts';

const EVERY_MS = 10_000;

export interface CountedStore {
  readonly store: Pick<Store, 'rollUps' | 'isReadOnly'>;
  readonly counter: TrailCounter;
}

export interface KeepCountingDeps {
  open(): Promise<CountedStore>;
  readonly runtime: Pick<Runtime, 'after' | 'now' | 'log'>;
  /** How long the periods of each grain are kept, in milliseconds. */
  readonly keep: Readonly<Record<MetricGrain, number>>;
}

/** A day longer than is promised: the longer period that a moment belongs to is then whole as well. */
const expireOld = async (
  { rollUps }: Pick<Store, 'rollUps'>,
  { keep, runtime }: KeepCountingDeps,
): Promise<void> => {
  for (const grain of METRIC_GRAINS) {
    await rollUps.expire(grain, runtime.now() - keep[grain] - DAY_MS);
  }
};

/** Starts; returns a function that stops, and resolves when nothing is under way any more. */
export const keepCounting = (deps: KeepCountingDeps): (() => Promise<void>) => {
  const { runtime } = deps;
  let followed: TrailCounter | undefined;
  let expiredAt = Number.NEGATIVE_INFINITY;

  const look = async (isStopped: () => boolean): Promise<void> => {
    const { store, counter } = await deps.open();
    if (store.isReadOnly || isStopped()) return;
    // A store that was read-only may have been opened anew.
    if (followed !== counter) followed?.unfollow();
    followed = counter;
    counter.follow();
    await counter.count(isStopped);
    if (isStopped() || runtime.now() - expiredAt < HOUR_MS) return;
    expiredAt = runtime.now();
    await expireOld(store, deps);
  };
  const stop = repeatWork(look, {
    runtime,
    everyMs: EVERY_MS,
    failure: 'Calls could not be counted.',
  });
  return async () => {
    await stop();
    followed?.unfollow();
  };
};

/** Counts what is new in the trail every few seconds, and forgets periods that are too old. */
import type { MetricGrain } from '../../contract/metrics.ts';
import { METRIC_GRAINS } from '../../contract/metrics.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Store } from '../../contract/store.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kit/data/durations.ts';
import { repeatWork } from '../repeat-work.ts';
import type { TrailCounter } from './trail-counter.ts';

const [, , DAY] = METRIC_GRAINS;
const EVERY_MS = 10_000;
/** Short: rows that are written before the first look have to be read from the trail. */
const FIRST_MS = 1000;
/** A clock that moves this much more or less than the time that passed has jumped. */
const MAX_DRIFT_MS = 10 * MINUTE_MS;
/** How long a clock has to be steady before anything is forgotten by it; also the pause between two times. */
const STEADY_MS = HOUR_MS;
/** All moments that a `Date` can tell. */
const ALL_TIME = { from: 0, to: 8.64e15 } as const;

export interface CountedStore {
  readonly store: Pick<Store, 'rollUps' | 'isReadOnly'>;
  readonly counter: TrailCounter;
}

export interface KeepCountingDeps {
  open(): Promise<CountedStore>;
  readonly runtime: Pick<Runtime, 'after' | 'now' | 'elapsed' | 'log'>;
  /** How long the periods of each grain are kept, in milliseconds. */
  readonly keep: Readonly<Record<MetricGrain, number>>;
}

/** Returns the end of the newest day with a call: a clock that is ahead of all calls proves no passing of time. */
const lastDayEnd = async ({ rollUps }: Pick<Store, 'rollUps'>): Promise<number> => {
  const days = await rollUps.read({ kind: 'overall', grain: DAY, ...ALL_TIME });
  return (days.at(-1)?.start ?? Number.NEGATIVE_INFINITY) + DAY_MS;
};

/** Forgets a day later than is promised: the longer period that a moment belongs to is then whole as well. */
const expireOld = async (
  store: Pick<Store, 'rollUps'>,
  { keep, runtime }: KeepCountingDeps,
): Promise<void> => {
  const at = Math.min(runtime.now(), await lastDayEnd(store));
  if (at < 0) return;
  for (const grain of METRIC_GRAINS) {
    await store.rollUps.expire(grain, at - keep[grain] - DAY_MS);
  }
};

/**
 * Says at each look whether the clock has been steady for an hour since it last said so. What is forgotten by
 * a clock that is far ahead for a moment is lost for good.
 */
const steadyHours = ({ now, elapsed }: KeepCountingDeps['runtime']): (() => boolean) => {
  let since = elapsed();
  let offset = now() - since;
  return () => {
    const passed = elapsed();
    const hasJumped = Math.abs(now() - passed - offset) > MAX_DRIFT_MS;
    const isOver = !hasJumped && passed - since >= STEADY_MS;
    if (hasJumped || isOver) since = passed;
    offset = now() - passed;
    return isOver;
  };
};

/** Starts; returns a function that stops, and resolves when nothing is under way any more. */
export const keepCounting = (deps: KeepCountingDeps): (() => Promise<void>) => {
  const { runtime } = deps;
  let followed: TrailCounter | undefined;
  const isHourOver = steadyHours(runtime);

  const look = async (isStopped: () => boolean): Promise<void> => {
    const isDue = isHourOver();
    const { store, counter } = await deps.open();
    if (store.isReadOnly || isStopped()) return;
    // A store that was read-only may have been opened anew.
    if (followed !== counter) followed?.unfollow();
    followed = counter;
    counter.follow();
    await counter.count(isStopped);
    if (isDue && !isStopped()) await expireOld(store, deps);
  };
  const stop = repeatWork(look, {
    runtime,
    everyMs: EVERY_MS,
    firstMs: FIRST_MS,
    failure: 'Calls could not be counted.',
  });
  return async () => {
    await stop();
    followed?.unfollow();
  };
};

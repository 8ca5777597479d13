/** Counts the new rows of the trail every few seconds, and deletes periods that are too old. */
import type { MetricGrain } from '../../contract/metrics.ts';
import { METRIC_GRAINS } from '../../contract/metrics.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Store } from '../../contract/store.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kit/data/durations.ts';
import { repeatWork } from '../repeat-work.ts';
import type { TrailCounter } from './trail-counter.ts';

const [, , DAY] = METRIC_GRAINS;
const EVERY_MS = 10_000;
/** Short, because rows from before the first round have to be read from the trail. */
const FIRST_MS = 1000;
/** When the clock differs from the elapsed time by more than this, it has jumped. */
const MAX_DRIFT_MS = 10 * MINUTE_MS;
/** How long the clock must not have jumped before periods are deleted; also the pause between two deletions. */
const STEADY_MS = HOUR_MS;
/** All moments that a `Date` can represent. */
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

/** Returns the end of the newest day with a call: nothing is deleted by a clock that is ahead of all calls. */
const lastDayEnd = async ({ rollUps }: Pick<Store, 'rollUps'>): Promise<number> => {
  const days = await rollUps.read({ kind: 'overall', grain: DAY, ...ALL_TIME });
  return (days.at(-1)?.start ?? Number.NEGATIVE_INFINITY) + DAY_MS;
};

/** Deletes old periods, a day later than promised, so that the longer period around a moment is whole until then. */
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
 * Makes a function that returns true once for each hour without a jump of the clock. A clock that is far
 * ahead for a moment would delete periods for good.
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

/** Starts the rounds. Returns a function that stops them and resolves when none is under way. */
export const keepCounting = (deps: KeepCountingDeps): (() => Promise<void>) => {
  const { runtime } = deps;
  let followed: TrailCounter | undefined;
  const isHourOver = steadyHours(runtime);

  const look = async (isStopped: () => boolean): Promise<void> => {
    const isDue = isHourOver();
    const { store, counter } = await deps.open();
    if (store.isReadOnly || isStopped()) return;
    // The crib opens a store again that was read-only, with another counter.
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

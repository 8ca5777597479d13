/** Runs the scheduled checks that are due, every few seconds, one round at a time. */
import type { CheckAllOptions, CheckOptions, HealthSchedule } from '../../contract/health.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Store } from '../../contract/store.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { repeatWork } from '../repeat-work.ts';
import { claimDue } from './health-schedules.ts';

const EVERY_MS = 5000;

export interface KeepCheckingDeps {
  readonly runtime: Pick<Runtime, 'after' | 'now' | 'log'>;
  store(): Promise<Pick<Store, 'memory' | 'isReadOnly'>>;
  readonly health: {
    schedules(): Promise<readonly HealthSchedule[]>;
    check(options?: CheckAllOptions): Promise<unknown>;
    check(subject: string, options?: CheckOptions): Promise<unknown>;
  };
}

const runDue = async (
  { health, runtime }: KeepCheckingDeps,
  due: readonly HealthSchedule[],
): Promise<void> => {
  for (const { subject } of due) {
    try {
      // Does not start servers that are idle.
      await (subject === 'all' ? health.check({ startServers: false }) : health.check(subject));
    } catch (error) {
      // The subject may be missing for now: its schedule stays.
      runtime.log.warn('a scheduled check failed', { subject, error: reasonOf(error) });
    }
  }
};

/** Starts the rounds. Returns a function that stops them and resolves when none is under way. */
export const keepChecking = (deps: KeepCheckingDeps): (() => Promise<void>) => {
  const { runtime } = deps;
  const checkDue = async (isStopped: () => boolean): Promise<void> => {
    const { memory, isReadOnly } = await deps.store();
    if (isReadOnly || isStopped()) return;
    const schedules = await deps.health.schedules();
    if (schedules.length === 0 || isStopped()) return;
    await runDue(deps, await claimDue(schedules, { memory, runtime }));
  };
  const failure = 'Scheduled checks could not be run.';
  return repeatWork(checkDue, { runtime, everyMs: EVERY_MS, failure });
};

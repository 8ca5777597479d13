/** Reads when a schedule is due. Shared by the engines, so that all agree. */
import { Cron } from 'croner';
import { ToolFailure } from '../contract/errors.ts';
import type { JobSchedule } from '../contract/queue.ts';
import { reasonOf } from '../kit/data/reason-of.ts';

/** Returns the first moment after the given one. Throws VALIDATION_ERROR for a faulty schedule. */
export const nextMoment = ({ cron, timeZone }: JobSchedule, after: number): number => {
  let next: Date | null;
  try {
    next = new Cron(cron, { timezone: timeZone ?? 'UTC', paused: true }).nextRun(new Date(after));
  } catch (error) {
    throw new ToolFailure(
      'VALIDATION_ERROR',
      `The schedule cannot be read: ${reasonOf(error)}`,
      {},
    );
  }
  if (next === null) {
    throw new ToolFailure('VALIDATION_ERROR', `The schedule ${cron} has no moment to come.`, {});
  }
  return next.getTime();
};

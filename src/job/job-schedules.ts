/** Sets schedules on behalf of callers, within what one caller may have, and lets them see their own. */
import type { Caller } from '../contract/caller.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { JobAs, ScheduleOptions } from '../contract/job.ts';
import type { StoredSchedule } from '../contract/queue.ts';
import type { Runtime } from '../contract/runtime.ts';
import { isProgramItself } from '../governance/ledger/start-limits.ts';
import { type CronSpec, nextCronMoment } from '../kit/data/cron-moments.ts';
import { MINUTE_MS } from '../kit/data/durations.ts';
import { type AddJobDeps, sealed, seenUser } from './add-job.ts';
import type { JobTypes } from './job-types.ts';
import { jobTemplate } from './new-job.ts';

export interface JobScheduleDeps extends AddJobDeps {
  readonly types: JobTypes;
  readonly runtime: Pick<Runtime, 'now'>;
  readonly settings: { readonly retries: number };
}

const MAX_SCHEDULE_ID = 200;
/** Schedules of one user, unless it is an owner or admin. */
const MAX_SCHEDULES = 100;

/** Tells whether two moments of a pattern are nearer than a minute. Of three, two are if any are. */
const isWithinMinute = (spec: CronSpec, now: number): boolean => {
  const first = nextCronMoment(spec, now);
  const second = nextCronMoment(spec, first);
  return second - first < MINUTE_MS || nextCronMoment(spec, second) - second < MINUTE_MS;
};

/** Throws RATE_LIMITED for a schedule by which a caller would add more jobs than by itself. */
const assertSlow = (spec: CronSpec, caller: Caller, now: number): void => {
  if (isProgramItself(caller) || !isWithinMinute(spec, now)) return;
  throw new ToolFailure('RATE_LIMITED', 'A schedule of a caller makes at most one job a minute.', {
    suggestions: ['Give one second in the pattern, or leave the field of seconds out.'],
    retryable: false,
  });
};

export class JobSchedules {
  readonly #deps: JobScheduleDeps;

  constructor(deps: JobScheduleDeps) {
    this.#deps = deps;
  }

  async set(scheduleId: string, options: ScheduleOptions): Promise<StoredSchedule> {
    const { cron, timeZone, type, payload = null, ...rest } = options;
    const { types, settings, runtime } = this.#deps;
    if (scheduleId.length > MAX_SCHEDULE_ID) {
      throw new ToolFailure('VALIDATION_ERROR', 'The id of the schedule is too long.');
    }
    const retries = rest.retries ?? settings.retries;
    const template = await jobTemplate(types.get(type), payload, { ...rest, retries });
    const spec = { cron, ...(timeZone !== undefined && { timeZone }) };
    await this.#deps.countStart(template.caller);
    assertSlow(spec, template.caller, runtime.now());
    await this.#assertMine(scheduleId, rest);
    const cadence = { ...spec, since: runtime.now() };
    const named = await sealed({ ...template, scheduleId, cadence }, this.#deps);
    const { scheduleId: _scheduleId, ...job } = named;
    return (await this.#deps.queue()).setSchedule({ id: scheduleId, ...spec, job });
  }

  async list(as?: JobAs): Promise<readonly StoredSchedule[]> {
    const user = seenUser(as);
    const all = await (await this.#deps.queue()).schedules();
    return user === undefined ? all : all.filter(({ job }) => job.caller.userId === user);
  }

  async remove(scheduleId: string, as?: JobAs): Promise<boolean> {
    const isMine = (await this.list(as)).some(({ id }) => id === scheduleId);
    return isMine && (await this.#deps.queue()).removeSchedule(scheduleId);
  }

  /** Throws PERMISSION_DENIED for a schedule of another user, RATE_LIMITED for one too many. */
  async #assertMine(scheduleId: string, as: JobAs): Promise<void> {
    const user = seenUser(as);
    if (user === undefined) return;
    const all = await (await this.#deps.queue()).schedules();
    const present = all.find(({ id }) => id === scheduleId);
    if (present?.job.caller.userId === user) return;
    const own = all.filter(({ job }) => job.caller.userId === user);
    if (!present && own.length >= MAX_SCHEDULES) {
      throw new ToolFailure('RATE_LIMITED', `A user has at most ${MAX_SCHEDULES} schedules.`, {
        ...{ suggestions: ['Remove one that is not needed any more.'], retryable: false },
      });
    }
    if (!present) return;
    throw new ToolFailure('PERMISSION_DENIED', `The schedule ${scheduleId} is another user's.`, {
      suggestions: ['Choose another id.'],
    });
  }
}

/** Sets schedules on behalf of callers, within what one caller may have, and lets them see their own. */
import type { Caller } from '../contract/caller.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { JobAs, ScheduleOptions } from '../contract/job.ts';
import type { JobSchedule, StoredSchedule } from '../contract/queue.ts';
import type { Runtime } from '../contract/runtime.ts';
import { isProgramItself } from '../governance/ledger/start-limits.ts';
import { type CronSpec, nextCronMoment } from '../kit/data/cron-moments.ts';
import { MINUTE_MS } from '../kit/data/durations.ts';
import { isPlainId } from '../kit/text/plain-id.ts';
import { type AddJobDeps, knownQueues, sealed, seenUser } from './add-job.ts';
import type { JobTypes } from './job-types.ts';
import { assertMayChoose } from './may-add.ts';
import { jobTemplate } from './new-job.ts';

export interface JobScheduleDeps extends AddJobDeps {
  readonly types: JobTypes;
  readonly runtime: Pick<Runtime, 'now'>;
  readonly settings: {
    readonly retries: number;
    readonly queues: Readonly<Record<string, unknown>>;
  };
}

const MAX_SCHEDULE_ID = 200;
/** Schedules of one user, unless it is an owner or admin. */
const MAX_SCHEDULES = 100;

/** All schedules are read whenever one is set or listed, so that those of a caller are small. */
const MAX_SCHEDULED_BYTES = 65_536;

/** Throws VALIDATION_ERROR for a payload that is too large to be read again and again. */
const assertSmall = (payload: unknown, caller: Caller): void => {
  const bytes = Buffer.byteLength(JSON.stringify(payload));
  if (isProgramItself(caller) || bytes <= MAX_SCHEDULED_BYTES) return;
  const message = `has ${bytes} bytes; a schedule of a caller keeps at most ${MAX_SCHEDULED_BYTES}`;
  throw new ToolFailure('VALIDATION_ERROR', `The payload of the schedule ${message}.`, {
    issues: [{ path: ['payload'], message }],
    suggestions: ['Keep what is large elsewhere and name it in the payload.'],
  });
};

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

/** Throws VALIDATION_ERROR for an id that would break a line of a log or a key, or that nobody can type. */
const assertScheduleId = (scheduleId: string): void => {
  if (isPlainId(scheduleId, MAX_SCHEDULE_ID)) return;
  const message = `has to be 1 to ${MAX_SCHEDULE_ID} characters that can be seen`;
  throw new ToolFailure('VALIDATION_ERROR', 'The id of the schedule cannot be used.', {
    issues: [{ path: ['scheduleId'], message }],
  });
};

const oneTooMany = (): ToolFailure =>
  new ToolFailure('RATE_LIMITED', `A user has at most ${MAX_SCHEDULES} schedules.`, {
    suggestions: ['Remove one that is not needed any more.'],
    retryable: false,
  });

const isOf = (user: string, { job }: StoredSchedule): boolean => job.caller.userId === user;

/** Throws PERMISSION_DENIED for a schedule of another user. */
const assertNotForeign = (schedule: StoredSchedule | undefined, user: string): void => {
  if (!schedule || isOf(user, schedule)) return;
  throw new ToolFailure('PERMISSION_DENIED', `The schedule ${schedule.id} is another user's.`, {
    suggestions: ['Choose another id.'],
  });
};

/** Orders schedules by when they were set, the same in all processes. */
const byAge = (one: StoredSchedule, other: StoredSchedule): number =>
  (one.job.cadence?.since ?? 0) - (other.job.cadence?.since ?? 0) || (one.id < other.id ? -1 : 1);

export class JobSchedules {
  readonly #deps: JobScheduleDeps;
  /** The newest change of a schedule in this process. */
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(deps: JobScheduleDeps) {
    this.#deps = deps;
  }

  async set(scheduleId: string, options: ScheduleOptions): Promise<StoredSchedule> {
    const { cron, timeZone, type, payload = null, ...rest } = options;
    const { types, settings, runtime } = this.#deps;
    assertScheduleId(scheduleId);
    const retries = rest.retries ?? settings.retries;
    const entry = types.get(type);
    const template = await jobTemplate(entry, payload, { ...rest, retries });
    assertMayChoose(template, entry, knownQueues(this.#deps));
    assertSmall(template.payload, template.caller);
    const spec = { cron, ...(timeZone !== undefined && { timeZone }) };
    await this.#deps.countStart(template.caller);
    assertSlow(spec, template.caller, runtime.now());
    return this.#inTurn(async () => {
      const cadence = { ...spec, since: runtime.now() };
      const named = await sealed({ ...template, scheduleId, cadence }, this.#deps);
      const { scheduleId: _scheduleId, ...job } = named;
      return this.#write({ id: scheduleId, ...spec, job }, seenUser(rest));
    });
  }

  async list(as?: JobAs): Promise<readonly StoredSchedule[]> {
    const user = seenUser(as);
    const all = await (await this.#deps.queue()).schedules();
    return user === undefined ? all : all.filter(({ job }) => job.caller.userId === user);
  }

  async remove(scheduleId: string, as?: JobAs): Promise<boolean> {
    return this.#inTurn(async () => {
      const isMine = (await this.list(as)).some(({ id }) => id === scheduleId);
      return isMine && (await this.#deps.queue()).removeSchedule(scheduleId);
    });
  }

  /** Runs one change after the other: what one has checked must hold until it has written. */
  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const turn = this.#lastChange.then(change);
    this.#lastChange = turn.catch(() => undefined);
    return turn;
  }

  /** Writes a schedule of a user. Throws PERMISSION_DENIED where it is another's, RATE_LIMITED for one too many. */
  async #write(schedule: JobSchedule, user: string | undefined): Promise<StoredSchedule> {
    const queue = await this.#deps.queue();
    if (user === undefined) return queue.setSchedule(schedule);
    const all = await queue.schedules();
    const present = all.find(({ id }) => id === schedule.id);
    assertNotForeign(present, user);
    const own = all.filter((each) => isOf(user, each));
    if (!present && own.length >= MAX_SCHEDULES) throw oneTooMany();
    const stored = await queue.setSchedule(schedule);
    if (!present) await this.#assertWithin(schedule.id, user);
    return stored;
  }

  /** Looks once more at a new schedule: another process may have written others at the same time. */
  async #assertWithin(scheduleId: string, user: string): Promise<void> {
    const queue = await this.#deps.queue();
    const all = await queue.schedules();
    const present = all.find(({ id }) => id === scheduleId);
    assertNotForeign(present, user);
    const own = all.filter((each) => isOf(user, each)).toSorted(byAge);
    if (!present || own.indexOf(present) < MAX_SCHEDULES) return;
    await queue.removeSchedule(scheduleId);
    throw oneTooMany();
  }
}

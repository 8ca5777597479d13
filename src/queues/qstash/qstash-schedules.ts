/**
 * Schedules at QStash, which posts the same body at each moment. The body carries the pattern under our seal;
 * for which moment a delivery is, we work out ourselves when it first comes. The job of that moment is then
 * published as any other: retried or postponed, it stays the job of its moment.
 */
import { ToolFailure } from '../../contract/errors.ts';
import type { JobSchedule, NewJob, StoredSchedule } from '../../contract/queue.ts';
import { sha256Hex } from '../../kit/data/canonical-json.ts';
import { lastCronMoment, nextCronMoment } from '../../kit/data/cron-moments.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { jobInBody } from './job-events.ts';
import { askQstash, type QstashApiDeps } from './qstash-api.ts';

/** QStash knows five fields only. */
const SHORTHANDS: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

/** A delivery may come a little before its moment by our clock. */
const EARLY_MS = 30_000;

/** QStash takes letters, digits, `-`, `_` and `.` only. */
const keyOf = (scheduleId: string): string => `toolcrib-${sha256Hex(scheduleId).slice(0, 40)}`;

const fiveFields = ({ cron, timeZone }: JobSchedule): string => {
  const pattern = cron.trim();
  const name = pattern.toLowerCase();
  const fields = Object.hasOwn(SHORTHANDS, name) ? (SHORTHANDS[name] ?? '') : pattern;
  if (fields.split(/\s+/).length !== 5) {
    throw new ToolFailure('VALIDATION_ERROR', 'QStash takes schedules of five fields only.', {
      suggestions: ['Leave out the seconds, or choose a queue on Redis.'],
    });
  }
  return timeZone === undefined ? fields : `CRON_TZ=${timeZone} ${fields}`;
};

/** Sets a schedule; one of the same id is replaced. */
export const putSchedule = async (
  schedule: JobSchedule,
  url: string,
  deps: QstashApiDeps & { now(): number },
): Promise<StoredSchedule> => {
  const now = deps.now();
  const nextAt = nextCronMoment(schedule, now);
  const headers = {
    'content-type': 'application/json',
    'upstash-cron': fiveFields(schedule),
    'upstash-method': 'POST',
    'upstash-retries': String(schedule.job.retries),
    'upstash-schedule-id': keyOf(schedule.id),
  };
  const { id } = schedule;
  const body: NewJob = { ...schedule.job, id, scheduleId: id, runAt: 0, createdAt: now };
  const request = { path: `schedules/${url}`, headers, body: JSON.stringify(body) };
  await askQstash({ method: 'POST', ...request }, deps);
  return { ...schedule, nextAt };
};

const bodyOf = ({ body, bodyBase64 }: Readonly<Record<string, unknown>>): unknown =>
  bodyBase64 ?? (typeof body === 'string' ? Buffer.from(body).toString('base64') : undefined);

const scheduleOf = (entry: unknown, now: number): readonly StoredSchedule[] => {
  if (!isRecord(entry)) return [];
  const made = jobInBody(bodyOf(entry));
  if (!made?.cadence || made.scheduleId === undefined) return [];
  const { id: _id, scheduleId: id, runAt: _runAt, createdAt: _createdAt, ...job } = made;
  const { since: _since, ...spec } = made.cadence;
  const { lastScheduleTime: lastAt } = entry;
  const last = typeof lastAt === 'number' && lastAt > 0 ? { lastAt } : {};
  return [{ id, ...spec, job, nextAt: nextCronMoment(spec, now), ...last }];
};

/** Lists the schedules that are ours. */
export const readSchedules = async (
  deps: QstashApiDeps & { now(): number },
): Promise<readonly StoredSchedule[]> => {
  const answer = await askQstash({ method: 'GET', path: 'schedules' }, deps);
  return Array.isArray(answer) ? answer.flatMap((entry) => scheduleOf(entry, deps.now())) : [];
};

export const deleteSchedule = async (scheduleId: string, deps: QstashApiDeps): Promise<boolean> => {
  const path = `schedules/${keyOf(scheduleId)}`;
  const present = await askQstash({ method: 'GET', path }, deps);
  if (present === undefined) return false;
  await askQstash({ method: 'DELETE', path }, deps);
  return true;
};

/**
 * Makes the job of the moment that a message has come for which QStash sends at each moment of a schedule;
 * nothing for the message of a job, also where a schedule made it.
 */
export const jobOfMoment = (posted: NewJob, now: number): NewJob | undefined => {
  const { id, scheduleId, cadence } = posted;
  if (id !== scheduleId || cadence === undefined) return undefined;
  const moment = lastCronMoment(cadence, now + EARLY_MS);
  // At once, also where our clock says that the moment is still to come: QStash has said that it is there.
  return { ...posted, id: `${scheduleId}@${moment}`, runAt: Math.min(moment, now), createdAt: now };
};

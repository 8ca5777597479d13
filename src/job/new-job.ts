/** Makes the record of a job from what a caller gives, and the text that its seal covers. */
import { ToolFailure } from '../contract/errors.ts';
import type { EnqueueOptions } from '../contract/job.ts';
import { type Job, type JobBackoff, MAX_RETRIES, type NewJob } from '../contract/queue.ts';
import { canonicalJson, sha256Hex } from '../kit/data/canonical-json.ts';
import { nextCronMoment } from '../kit/data/cron-moments.ts';
import { DAY_MS } from '../kit/data/durations.ts';
import { issuesText } from '../kit/text/issues-text.ts';
import { callerOf } from '../pipeline/new-call.ts';
import { compileSchema } from '../registry/schema/compile-schema.ts';
import { checkPayload } from './check-payload.ts';
import { assertQueueName, type JobType } from './job-types.ts';
import { assertMayAdd } from './may-add.ts';

const MAX_PRIORITY = 1_000;
const MAX_DELAY_MS = 366 * DAY_MS;
const MAX_KEY = 500;
const BACKOFF: JobBackoff = { initialMs: 1_000, factor: 2, maxMs: 60_000 };

/** What is the same for a job and for each job of a schedule. */
export type JobTemplate = Omit<
  NewJob,
  'id' | 'runAt' | 'createdAt' | 'scheduleId' | 'cadence' | 'seal'
>;

const assertRange = (value: number, what: string, max: number): void => {
  if (Number.isSafeInteger(value) && value >= 0 && value <= max) return;
  throw new ToolFailure('VALIDATION_ERROR', `${what} has to be a whole number from 0 to ${max}.`);
};

const assertBackoff = ({ initialMs, factor, maxMs }: JobBackoff): void => {
  assertRange(initialMs, 'backoff.initialMs', MAX_DELAY_MS);
  assertRange(maxMs, 'backoff.maxMs', MAX_DELAY_MS);
  if (Number.isFinite(factor) && factor >= 1 && factor <= 100) return;
  throw new ToolFailure('VALIDATION_ERROR', 'backoff.factor has to be a number from 1 to 100.');
};

/** Returns the payload as JSON and the schema of its type make it. Rejects with VALIDATION_ERROR. */
const parsePayload = async ({ type, input }: JobType, payload: unknown): Promise<unknown> => {
  const plain = checkPayload(payload);
  if (input === undefined) return plain;
  const schema = await compileSchema(typeof input === 'function' ? input() : input);
  const checked = schema.validate(plain);
  if (checked.ok) return checkPayload(checked.value);
  const { issues } = checked;
  const message = `The payload does not fit the type of job ${type}: ${issuesText(issues)}`;
  throw new ToolFailure('VALIDATION_ERROR', message, { issues });
};

/** Throws VALIDATION_ERROR for a key that is long, or empty: all jobs without a key of their own would be one. */
const assertKey = (key: string): void => {
  if (key !== '' && key.length <= MAX_KEY) return;
  throw new ToolFailure('VALIDATION_ERROR', `idempotencyKey has 1 to ${MAX_KEY} characters.`);
};

const MAX_TRACE_ID = 200;

/** Throws VALIDATION_ERROR for an id that is empty or long. */
const checkedTrace = (traceId: string): string => {
  if (traceId !== '' && traceId.length <= MAX_TRACE_ID) return traceId;
  throw new ToolFailure('VALIDATION_ERROR', `traceId has 1 to ${MAX_TRACE_ID} characters.`);
};

export const jobTemplate = async (
  type: JobType,
  payload: unknown,
  options: EnqueueOptions & { readonly retries: number },
): Promise<JobTemplate> => {
  const { retries, backoff = BACKOFF, priority = 0, idempotencyKey, dailyUsd } = options;
  const { queue = type.queue, delayMs: _delayMs, traceId, trace, ...as } = options;
  const caller = callerOf(as);
  assertMayAdd(type, caller);
  assertQueueName(queue, 'VALIDATION_ERROR');
  assertRange(retries, 'retries', MAX_RETRIES);
  assertRange(priority, 'priority', MAX_PRIORITY);
  assertBackoff(backoff);
  if (idempotencyKey !== undefined) assertKey(idempotencyKey);
  return {
    queue,
    type: type.type,
    payload: await parsePayload(type, payload),
    caller,
    priority,
    retries,
    backoff,
    ...(dailyUsd !== undefined && { dailyUsd }),
    ...(traceId !== undefined && { traceId: checkedTrace(traceId) }),
    ...(trace && { trace }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
};

/** Returns the moment of the first attempt. Throws VALIDATION_ERROR. */
export const runAtOf = (delayMs: number | undefined, now: number): number => {
  if (delayMs === undefined) return now;
  if (delayMs > MAX_DELAY_MS) {
    throw new ToolFailure('VALIDATION_ERROR', 'A job is delayed by 366 days at most.', {
      issues: [{ path: ['delayMs'], message: `is more than ${MAX_DELAY_MS}` }],
      suggestions: ['Choose a nearer moment, or add a schedule.'],
    });
  }
  assertRange(delayMs, 'delayMs', MAX_DELAY_MS);
  return now + delayMs;
};

/** The id of a job that has a key: its own for each user and type, so that nobody can take it first. */
export const keyedId = ({ caller, type, idempotencyKey }: JobTemplate): string =>
  `key-${sha256Hex(canonicalJson([caller.userId, type, idempotencyKey])).slice(0, 40)}`;

/**
 * What a job is sealed by: what it does, and on whose behalf. Those of a schedule share one seal, which
 * covers the moments for which there may be one; `isOfSchedule` checks that the job is for one of these.
 */
export const sealedText = (
  job: Omit<Job, 'state' | 'attempts' | 'runAt' | 'createdAt'>,
): string => {
  const { id, scheduleId, cadence, queue, type, payload, caller, dailyUsd, retries } = job;
  const { traceId, trace } = job;
  const name = scheduleId === undefined ? { id } : { scheduleId, cadence };
  return `toolcrib job 1\n${canonicalJson({ ...name, queue, type, payload, caller, dailyUsd, retries, traceId, trace })}`;
};

/** The moment that the id of a schedule's job names; `undefined` for any other id. */
const momentOf = ({ id, scheduleId }: Pick<NewJob, 'id' | 'scheduleId'>): number | undefined => {
  const prefix = `${scheduleId}@`;
  const digits = id.startsWith(prefix) ? id.slice(prefix.length) : '';
  return /^[1-9]\d{0,15}$/.test(digits) ? Number(digits) : undefined;
};

/** The clocks of the machine that made a job and of the one that runs it may differ by so much. */
const MAX_SKEW_MS = 60_000;

/**
 * Tells whether a job of a schedule is for one of its moments. Without this, whoever can write to the queue
 * could make any number of jobs with the one seal, each under a new id and so with new effects.
 */
export const isOfSchedule = (job: NewJob): boolean => {
  const { scheduleId, cadence } = job;
  if (scheduleId === undefined) return true;
  const moment = momentOf(job);
  if (cadence === undefined || moment === undefined || moment <= cadence.since) return false;
  return nextCronMoment(cadence, moment - 1) === moment;
};

/**
 * Returns how long a job of a schedule has to wait for its moment; 0 for any other. It is early when the
 * clock was set back since it was made, or when somebody else than the schedule has made it.
 */
export const earlyMs = (job: NewJob, now: number): number => {
  const moment = job.scheduleId === undefined ? undefined : momentOf(job);
  return moment === undefined || moment <= now + MAX_SKEW_MS ? 0 : moment - now;
};

/** Tells whether a job that has the id already does the same for the same user. */
export const isSameJob = (added: NewJob, stored: Job | undefined): boolean => {
  const [one, other] = [added, stored].map(
    (job) => job && canonicalJson([job.type, job.payload, job.caller.userId]),
  );
  return one === other;
};

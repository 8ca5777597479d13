/** What the arguments of `crib.jobs` have to be. */
import type { CallerAs } from '../../contract/call-options.ts';
import type {
  CribJobs,
  EnqueueOptions,
  JobTypeOptions,
  ScheduleOptions,
} from '../../contract/job.ts';
import { JOB_STATES, type JobFilter } from '../../contract/queue.ts';
import {
  type ArgumentCheck,
  amount,
  anything,
  atLeastOne,
  callback,
  fields,
  flag,
  moment,
  name,
  oneOf,
  optional,
  text,
  texts,
} from '../../kit/data/check-arguments.ts';
import type { MethodChecks } from './checked.ts';
import { callerAnd, callerOptions, type InsteadOf } from './member-checks.ts';

const jobState = oneOf(...JOB_STATES);

const jobFilter = fields({
  queue: optional(name),
  type: optional(name),
  state: optional(jobState),
  userId: optional(name),
  before: optional(moment),
  limit: optional(amount),
} satisfies Record<keyof JobFilter, ArgumentCheck>);

/** What a job takes besides its caller. */
const JOB_OPTIONS = {
  retries: optional(amount),
  backoff: optional(fields({ initialMs: amount, factor: moment, maxMs: amount })),
  priority: optional(amount),
  queue: optional(text),
};

/** What to do instead of giving an option that is about one call. */
const INSTEAD_OF: InsteadOf = {
  dryRun: ': enqueue does what it says; rehearse the call with crib.execute',
  timeoutMs: ': the type of job has one, see crib.jobs.register',
  signal: ': cancel the job with crib.jobs.cancel',
};

const enqueueOptions = callerAnd(
  {
    ...JOB_OPTIONS,
    delayMs: optional(amount),
    idempotencyKey: anything,
    traceId: anything,
    trace: anything,
  } satisfies Record<Exclude<keyof EnqueueOptions, keyof CallerAs>, ArgumentCheck>,
  INSTEAD_OF,
);

const scheduleOptions = callerAnd(
  {
    cron: text,
    timeZone: optional(text),
    type: text,
    payload: anything,
    ...JOB_OPTIONS,
  } satisfies Record<Exclude<keyof ScheduleOptions, keyof CallerAs>, ArgumentCheck>,
  {
    ...INSTEAD_OF,
    idempotencyKey: ': the id of the schedule is its key',
    traceId: ': each job of a schedule has its own',
    trace: ': each job of a schedule has its own',
  },
);

/** Checks only the names; the values are checked with the type itself. */
const typeOptions = fields({
  queue: optional(text),
  concurrency: anything,
  timeoutMs: anything,
  input: anything,
  openToAgents: optional(flag),
} satisfies Record<keyof JobTypeOptions, ArgumentCheck>);

const jobAs = optional(callerOptions);

export const JOB_CHECKS: MethodChecks<CribJobs> = {
  register: { type: text, handler: callback, options: optional(typeOptions) },
  enqueue: { type: text, payload: anything, options: optional(enqueueOptions) },
  get: { jobId: text, as: jobAs },
  list: { filter: optional(jobFilter), as: jobAs },
  cancel: { jobId: text, as: jobAs },
  requeue: { jobId: text, as: jobAs },
  remove: { jobId: text, as: jobAs },
  schedule: { scheduleId: text, options: scheduleOptions },
  schedules: { as: jobAs },
  unschedule: { scheduleId: text, as: jobAs },
  work: {
    options: optional(
      fields({
        queues: optional(texts),
        concurrency: optional(atLeastOne),
        onEnd: optional(callback),
      }),
    ),
  },
};

/** What the arguments of `crib.jobs` have to be. */
import type { CribJobs } from '../../contract/job.ts';
import type { JobFilter } from '../../contract/queue.ts';
import {
  type ArgumentCheck,
  amount,
  anything,
  atLeastOne,
  callback,
  fields,
  moment,
  name,
  object,
  oneOf,
  optional,
  text,
  texts,
} from '../../kit/data/check-arguments.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import type { MethodChecks } from './checked.ts';
import { callOptions } from './member-checks.ts';

const jobState = oneOf(...['waiting', 'delayed', 'active', 'completed', 'dead', 'cancelled']);

const jobFilter = fields({
  queue: optional(name),
  type: optional(name),
  state: optional(jobState),
  userId: optional(name),
  before: optional(moment),
  limit: optional(amount),
} satisfies Record<keyof JobFilter, ArgumentCheck>);

/** What a job takes besides its caller; the rest is as for a call. */
const enqueueOptions: ArgumentCheck = (value) => {
  if (!isRecord(value)) return 'has to be an object';
  const { retries, backoff, delayMs, priority, queue, ...as } = value;
  const problem = fields({
    retries: optional(amount),
    backoff: optional(fields({ initialMs: amount, factor: moment, maxMs: amount })),
    delayMs: optional(amount),
    priority: optional(amount),
    queue: optional(text),
  })({ retries, backoff, delayMs, priority, queue });
  return problem ?? callOptions(as);
};

const scheduleOptions: ArgumentCheck = (value) => {
  if (!isRecord(value)) return 'has to be an object';
  const { cron, timeZone, type, payload: _payload, ...options } = value;
  return (
    fields({ cron: text, timeZone: optional(text), type: text })({
      ...{ cron, type },
      ...(timeZone !== undefined && { timeZone }),
    }) ?? enqueueOptions(options)
  );
};

const jobAs = optional(callOptions);

export const JOB_CHECKS: MethodChecks<CribJobs> = {
  register: { type: text, handler: callback, options: optional(object) },
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

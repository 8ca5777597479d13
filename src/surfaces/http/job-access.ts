/**
 * Whose jobs a request may see and touch: its own, or all for an admin. A viewer reads all of them
 * without what they were given and what came out. A job of another user does not exist for the rest.
 */
import type { CallAs } from '../../contract/call-options.ts';
import { type Job, type JobFilter, type StoredSchedule, traceIdOf } from '../../contract/queue.ts';
import type { Page, PageQuery } from '../door/page-of.ts';
import { timePage } from '../door/time-page.ts';
import { callerOfIdentity, type Identity } from './auth/identity.ts';
import { notFound } from './error-reply.ts';
import type { HttpServices } from './http-services.ts';
import { withheldError } from './withheld-error.ts';

/** Makes the caller that the crib judges by; `undefined` for a viewer, who may read all jobs. */
export const jobReader = (identity: Identity, { crib }: HttpServices): CallAs | undefined =>
  identity.role === 'viewer' ? undefined : callerOfIdentity(identity, crib.tools);

/** Finds a job to be shown. Throws NOT_FOUND. */
export const visibleJob = async (
  id: string,
  services: HttpServices,
  identity: Identity,
): Promise<Job> => {
  const job = await services.crib.jobs.get(id, jobReader(identity, services));
  if (job) return job;
  throw notFound('The job');
};

/** Lists one page of the jobs that a reader may see. */
export const jobPage = (
  filter: JobFilter,
  query: PageQuery,
  { services, identity }: { readonly services: HttpServices; readonly identity: Identity },
): Promise<Page<Job>> => {
  const as = jobReader(identity, services);
  return timePage((page) => services.crib.jobs.list({ ...filter, ...page }, as), query);
};

const seesContent = (userId: string, identity: Identity): boolean =>
  identity.role === 'admin' || (identity.role !== 'viewer' && userId === identity.userId);

/** Leaves out what no reader needs: the seal of a job and the rights of its caller. */
export const plainJob = (job: Job) => {
  const { seal: _seal, dailyUsd: _usd, backoff: _backoff, cadence: _cadence, ...other } = job;
  const { trace, ...facts } = other;
  const { userId, agentId, sessionId } = job.caller;
  const traceId = trace && { traceId: traceIdOf(job) };
  return { ...facts, ...traceId, caller: { userId, agentId, sessionId } };
};

/** Shows a job to a reader. */
export const shownJob = (job: Job, identity: Identity) => {
  const { payload, progress, result, error, ...shown } = plainJob(job);
  if (!seesContent(job.caller.userId, identity)) {
    return { ...shown, ...(error && { error: withheldError(error) }), withheld: true as const };
  }
  return {
    ...shown,
    payload,
    ...(error && { error }),
    ...(progress !== undefined && { progress }),
    ...(result !== undefined && { result }),
  };
};

/** Leaves out the seal of a schedule and the rights of its caller. */
export const plainSchedule = (schedule: StoredSchedule) => {
  const { id, cron, timeZone, nextAt, lastAt, job } = schedule;
  const { userId, agentId, sessionId } = job.caller;
  return {
    id,
    cron,
    nextAt,
    queue: job.queue,
    type: job.type,
    ...(timeZone !== undefined && { timeZone }),
    ...(lastAt !== undefined && { lastAt }),
    caller: { userId, agentId, sessionId },
    payload: job.payload,
  };
};

/** Shows a schedule to a reader. */
export const shownSchedule = (schedule: StoredSchedule, identity: Identity) => {
  const { payload, ...shown } = plainSchedule(schedule);
  const isWhole = seesContent(shown.caller.userId, identity);
  return { ...shown, ...(isWhole ? { payload } : { withheld: true as const }) };
};

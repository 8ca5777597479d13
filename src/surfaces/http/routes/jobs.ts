/** Jobs: adding and managing them, their queues and schedules. */
import { z } from 'zod';
import type { CallAs } from '../../../contract/call-options.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { callerOfIdentity } from '../auth/identity.ts';
import { notFound } from '../error-reply.ts';
import { jobPage, jobReader, shownJob, shownSchedule, visibleJob } from '../job-access.ts';
import { inRequestSpan } from '../request-span.ts';
import { defineRoute, type Route } from '../route.ts';
import {
  countsSchema,
  jobBody,
  jobSchema,
  jobStateSchema,
  scheduleBody,
  scheduleSchema,
} from '../schemas/job.ts';
import { idParams, listOf, nameSchema, pageQuery } from '../schemas/lists.ts';
import { keyOf, traceOf } from './execute.ts';

const list = defineRoute({
  method: 'get',
  path: '/v1/jobs',
  role: 'member',
  tag: 'jobs',
  summary: 'Jobs, newest first; those of other users for admins and viewers alone',
  input: {
    query: z.strictObject({
      state: jobStateSchema.optional(),
      queue: nameSchema.optional(),
      type: nameSchema.optional(),
      user: nameSchema.optional(),
      ...pageQuery,
    }),
  },
  response: listOf(jobSchema),
  handle: async ({ services, identity, query }) => {
    const { state, queue, type, user } = query;
    const filter = {
      ...(state !== undefined && { state }),
      ...(queue !== undefined && { queue }),
      ...(type !== undefined && { type }),
      ...(user !== undefined && { userId: user }),
    };
    const page = await jobPage(filter, query, { services, identity });
    return { body: { ...page, items: page.items.map((job) => shownJob(job, identity)) } };
  },
});

const add = defineRoute({
  method: 'post',
  path: '/v1/jobs',
  role: 'agent',
  tag: 'jobs',
  summary: 'Add a job; the same Idempotency-Key again gives the job that is there',
  input: { body: jobBody },
  response: jobSchema,
  status: 201,
  handle: async ({ services, identity, body, request, requestId }) => {
    const { crib } = services;
    const { type, payload = null, agentId, sessionId, idempotencyKey, ...options } = body;
    const key = keyOf(request, idempotencyKey);
    const { telemetry } = services.deps.runtime;
    const run = async (as: Pick<CallAs, 'trace' | 'traceId'>) => {
      const job = await crib.addJob(type, payload, {
        ...options,
        ...callerOfIdentity(identity, crib.tools, { agentId, sessionId }),
        ...(key !== undefined && { idempotencyKey: key }),
        ...as,
      });
      return { status: 201, body: shownJob(job, identity) };
    };
    const as = traceOf(request, requestId, telemetry);
    return telemetry ? inRequestSpan(telemetry, '/v1/jobs', { as, run }) : run(as);
  },
});

const queues = defineRoute({
  method: 'get',
  path: '/v1/jobs/queues',
  role: 'viewer',
  tag: 'jobs',
  summary: 'How many jobs of each queue are in each state',
  response: z.object({ items: z.array(countsSchema) }),
  handle: async ({ services }) => {
    const counts = Object.entries(await services.crib.jobs.counts());
    return { body: { items: counts.map(([queue, states]) => ({ queue, ...states })) } };
  },
});

const schedules = defineRoute({
  method: 'get',
  path: '/v1/jobs/schedules',
  role: 'member',
  tag: 'jobs',
  summary: 'Schedules and when they make their next job',
  response: z.object({ items: z.array(scheduleSchema) }),
  handle: async ({ services, identity }) => {
    const all = await services.crib.jobs.schedules(jobReader(identity, services));
    return { body: { items: all.map((schedule) => shownSchedule(schedule, identity)) } };
  },
});

const setSchedule = defineRoute({
  method: 'post',
  path: '/v1/jobs/schedules/:id',
  role: 'agent',
  tag: 'jobs',
  summary: 'Add a schedule, or change the own one of this id',
  input: { params: idParams, body: scheduleBody },
  response: scheduleSchema,
  handle: async ({ services, identity, params, body }) => {
    const { jobs, tools } = services.crib;
    const { agentId, sessionId, ...options } = body;
    const caller = callerOfIdentity(identity, tools, { agentId, sessionId });
    const schedule = await jobs.schedule(params.id, { ...options, ...caller });
    return { body: shownSchedule(schedule, identity) };
  },
});

const removeSchedule = defineRoute({
  method: 'delete',
  path: '/v1/jobs/schedules/:id',
  role: 'agent',
  tag: 'jobs',
  summary: 'Remove a schedule; the jobs that it has made stay',
  input: { params: idParams },
  response: z.object({ removed: z.literal(true) }),
  handle: async ({ services, identity, params }) => {
    const as = callerOfIdentity(identity, services.crib.tools);
    if (await services.crib.jobs.unschedule(params.id, as)) return { body: { removed: true } };
    throw notFound('The schedule');
  },
});

const look = defineRoute({
  method: 'get',
  path: '/v1/jobs/:id',
  role: 'member',
  tag: 'jobs',
  summary: 'One job with its payload, progress, result or newest error',
  input: { params: idParams },
  response: jobSchema,
  handle: async ({ services, identity, params }) => ({
    body: shownJob(await visibleJob(params.id, services, identity), identity),
  }),
});

const unchanged = (hint: string): ToolFailure =>
  new ToolFailure('CONFLICT', hint, { suggestions: ['Look at the job again.'] });

/** The routes that change one job: what each does, and the states in which it cannot. */
const CHANGES = [
  ['post', '/v1/jobs/:id/cancel', 'cancel', 'Cancel a job that is not finished'],
  ['post', '/v1/jobs/:id/requeue', 'requeue', 'Put a dead or cancelled job back, from the start'],
  ['delete', '/v1/jobs/:id', 'remove', 'Remove a job that does not run'],
] as const;

const REFUSALS = {
  cancel: 'The job is finished.',
  requeue: 'The job is neither dead nor cancelled.',
  remove: 'A worker has the job at this moment.',
} as const;

const changes = CHANGES.map(([method, path, action, summary]) =>
  defineRoute({
    method,
    path,
    summary,
    role: 'agent',
    tag: 'jobs',
    input: { params: idParams },
    response: z.object({ done: z.literal(true) }),
    handle: async ({ services, identity, params }) => {
      const as = callerOfIdentity(identity, services.crib.tools);
      const job = await services.crib.jobs.get(params.id, as);
      if (!job) throw notFound('The job');
      if (await services.crib.jobs[action](job.id, as)) return { body: { done: true } };
      throw unchanged(REFUSALS[action]);
    },
  }),
);

export const JOB_ROUTES: readonly Route[] = [
  ...[list, add, queues, schedules, setSchedule, removeSchedule],
  ...[look, ...changes],
];

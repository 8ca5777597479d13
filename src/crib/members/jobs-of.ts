/** `crib.jobs`: work in the background, on behalf of the caller who added it. */
import type { CribHost } from '../../contract/crib-host.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { CribFlows } from '../../contract/flow.ts';
import type { FlowRun } from '../../contract/flow-store.ts';
import type {
  CribJobs,
  JobHandler,
  JobTypeOptions,
  JobWorkers,
  WorkJobsOptions,
} from '../../contract/job.ts';
import { countStart } from '../../governance/ledger/start-limits.ts';
import { type BackgroundTypeDeps, registerBackgroundTypes } from '../../job/background-types.ts';
import { registerBuiltinTypes } from '../../job/builtin-types.ts';
import type { JobService, JobSettings } from '../../job/job-service.ts';
import { JobTypes } from '../../job/job-types.ts';
import { isOfCancelledJob } from '../../job/workflow-runs.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import type { OpenedQueue } from '../queue/open-queue.ts';
import { tokenOf, tokenRefusal } from './caller-refusal.ts';
import type { FlowMemberDeps } from './flows/flows-of.ts';
import type { MemberDeps } from './member-deps.ts';

export interface JobMemberDeps
  extends Pick<FlowMemberDeps, keyof MemberDeps | 'tools' | 'nextId' | 'execute'> {
  readonly flows: Pick<CribFlows, 'start' | 'get' | 'steps' | 'cancel'>;
  readonly services: BackgroundTypeDeps['services'];
  readonly jobSettings: JobSettings;
  openQueue(): Promise<OpenedQueue>;
  /** Continues the runs of the project's flow files that are due, from now on. */
  continueFlows(): Promise<void>;
}

const openService = async (
  deps: JobMemberDeps,
  types: JobTypes,
  queue: () => Promise<OpenedQueue>,
): Promise<JobService> => {
  const { JobService } = await import('../../job/job-service.ts');
  const { runtime, tools, nextId, execute, jobSettings: settings } = deps;
  // Reused, because a crib that closes lets running jobs end but opens nothing any more.
  const { store, engine } = await deps.open();
  const { seals, late } = engine.shared;
  const { isPrivate } = await queue();
  return new JobService({
    types,
    runtime,
    tools,
    nextId,
    execute,
    settings,
    queue: async () => (await queue()).queue,
    countStart: (caller) =>
      countStart('jobs', caller, { counters: store.counters, runtime, limits: deps.starts }),
    memory: store.memory,
    replays: store.replays,
    late,
    approval: (id) => store.approvals.get(id),
    questions: () => store.approvals.list('waiting'),
    seal: async (text) => (isPrivate ? undefined : seals.seal(text)),
    redactError: (error) => engine.redactError(error),
    isOurs: async (text, seal) => isPrivate || seals.isOurs(text, seal),
    refusal: async (caller) => {
      const tokenId = tokenOf(caller);
      if (tokenId === undefined) return undefined;
      return tokenRefusal(tokenId, { tokens: store.tokens, now: runtime.now() });
    },
  });
};

export interface OpenedJobs {
  readonly members: CribJobs;
  readonly add: CribHost['addJob'];
  readonly deliver: CribHost['deliverJob'];
  /** Tells whether a run was started by a job that is cancelled. */
  isJobCancelled(run: FlowRun): Promise<boolean>;
  /** Lets running jobs end, then closes the queue; waiting jobs stay on record. */
  close(): Promise<void>;
}

/** Works on jobs and on the runs that they start: a job only looks whether its run is over. */
const startWork = async (
  service: JobService,
  options: WorkJobsOptions | undefined,
  { continueFlows, runtime }: JobMemberDeps,
): Promise<JobWorkers> => {
  const workers = await service.work(options);
  continueFlows().catch((error: unknown) => {
    runtime.log.warn('runs of flows are not continued', { cause: reasonOf(error) });
  });
  return workers;
};

/** Registers the types that ship. */
const shippedTypes = (deps: JobMemberDeps, queue: () => Promise<OpenedQueue>): JobTypes => {
  const { services, flows, runtime, tools } = deps;
  const types = new JobTypes();
  registerBuiltinTypes(types, flows);
  registerBackgroundTypes(types, {
    services,
    flows,
    runtime,
    tools,
    audit: async () => (await deps.open()).store.audit,
    memory: async () => (await deps.open()).store.memory,
    isCancelled: async (jobId) => (await (await queue()).queue.get(jobId))?.state === 'cancelled',
  });
  return types;
};

export const jobsOf = (deps: JobMemberDeps): OpenedJobs => {
  const types = shippedTypes(deps, () => queue());
  // Separate, so that closing does not open what was never used.
  let queueOpening: Promise<OpenedQueue> | undefined;
  let serviceOpening: Promise<JobService> | undefined;
  let isClosed = false;
  const queue = (): Promise<OpenedQueue> => {
    queueOpening ??= deps.openQueue().catch((error: unknown) => {
      queueOpening = undefined;
      throw error;
    });
    return queueOpening;
  };
  const service = (): Promise<JobService> => {
    serviceOpening ??= openService(deps, types, queue).catch((error: unknown) => {
      serviceOpening = undefined;
      throw error;
    });
    return serviceOpening;
  };
  return {
    members: {
      register: <P>(type: string, handler: JobHandler<P>, options?: JobTypeOptions<P>) =>
        types.register(type, handler as JobHandler, options as JobTypeOptions | undefined),
      enqueue: async (type, payload, options) => (await service()).enqueue(type, payload, options),
      get: async (jobId, as) => (await service()).get(jobId, as),
      list: async (filter, as) => (await service()).list(filter, as),
      counts: async () => (await queue()).queue.counts(),
      cancel: async (jobId, as) => (await service()).change('cancel', jobId, as),
      requeue: async (jobId, as) => (await service()).change('requeue', jobId, as),
      remove: async (jobId, as) => (await service()).change('remove', jobId, as),
      schedule: async (scheduleId, options) => (await service()).schedule(scheduleId, options),
      schedules: async (as) => (await service()).schedules(as),
      unschedule: async (scheduleId, as) => (await service()).unschedule(scheduleId, as),
      work: async (options) => startWork(await service(), options, deps),
    },
    add: async (type, payload, options) => (await service()).add(type, payload, options),
    deliver: async (job, attempts) => (await service()).deliver(job, attempts),
    isJobCancelled: (run) =>
      isOfCancelledJob(run, async () => {
        // A queue that is opened now would be closed by nobody. The next process goes on with the run.
        if (isClosed) throw new ToolFailure('STORE_UNAVAILABLE', 'The queue is closed.');
        return (await queue()).queue;
      }),
    close: async () => {
      isClosed = true;
      await (await serviceOpening?.catch(() => undefined))?.close();
      await (await queueOpening?.catch(() => undefined))?.queue.close();
    },
  };
};

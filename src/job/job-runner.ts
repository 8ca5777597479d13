/** Runs one attempt at a job: checks whose it is, claims it, and hands it to the handler of its type. */
import type { Caller } from '../contract/caller.ts';
import { type ToolError, ToolFailure, toolError } from '../contract/errors.ts';
import type { JobContext } from '../contract/job.ts';
import type { Job, JobEnd, JobRun } from '../contract/queue.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Tool } from '../contract/tool.ts';
import { MINUTE_MS } from '../kit/data/durations.ts';
import { checkPayload } from './check-payload.ts';
import { claimedAtEntry, type EntryClaimDeps } from './entry-claims.ts';
import { type JobCallDeps, JobCalls } from './job-calls.ts';
import { failedEnd, returnedEnd } from './job-end.ts';
import { inAttemptSpan } from './job-spans.ts';
import type { JobType, JobTypes } from './job-types.ts';
import { earlyMs, isOfSchedule, sealedText } from './new-job.ts';
import { TypeSlots } from './type-slots.ts';

export interface JobRunnerDeps extends JobCallDeps, EntryClaimDeps {
  readonly types: JobTypes;
  readonly runtime: Pick<Runtime, 'now' | 'after' | 'telemetry'>;
  isOurs(text: string, seal: string | undefined): Promise<boolean>;
  /** Says why the caller may call no more, such as one whose token was revoked since. */
  refusal(caller: Caller): Promise<ToolError | undefined>;
  /** Hides secrets in what a handler threw, before it is on record. */
  redactError(error: ToolError): ToolError;
}

const noHandler = ({ type }: Job, types: JobTypes): JobEnd => ({
  state: 'failed',
  error: toolError('NOT_FOUND', `This process has no handler for jobs of type ${type}.`, {
    suggestions: [
      types.needOf(type) ??
        'Register it in the process that works on this queue, then put the job back with requeue.',
    ],
  }),
  // Another process may have one.
  retryable: true,
});

const notOurs = (): JobEnd => ({
  state: 'failed',
  error: toolError('SECURITY_VIOLATION', 'The job does not carry the seal of this user.', {
    suggestions: ['Add it again as this user, or let its own user work on this queue.'],
  }),
  retryable: false,
});

const offSchedule = (): JobEnd => ({
  state: 'failed',
  error: toolError('SECURITY_VIOLATION', 'The job is for no moment of its schedule.', {
    suggestions: ['Set the schedule again as its user, and find out who added the job.'],
  }),
  retryable: false,
});

/** How long a job that is early waits at once: the clock may be put right before its moment. */
const MAX_WAIT_MS = MINUTE_MS;

const notYet = (earlyBy: number): JobEnd => ({
  state: 'postponed',
  retryAfterMs: Math.min(earlyBy, MAX_WAIT_MS),
  reason: 'The moment of its schedule has not come.',
});

/** How soon a job is looked at again that could not begin because the store was away. */
const AWAY_MS = 2_000;

/** Makes a job wait that only the store keeps from beginning: an outage must not use up its attempts. */
const beforeBeginning = (end: JobEnd): JobEnd => {
  if (end.state !== 'failed') return end;
  const { code, retryable, message: reason } = end.error;
  const isAway = code === 'STORE_UNAVAILABLE' && retryable;
  return isAway ? { state: 'postponed', retryAfterMs: AWAY_MS, reason } : end;
};

interface Deadline {
  readonly signal: AbortSignal;
  /** Rejects with TIMEOUT when the time is over. */
  readonly over: Promise<never> | undefined;
  cancel(): void;
}

/** Fires the signal when the time of an attempt is over, too. */
const deadlineOf = (
  { signal }: JobRun,
  timeoutMs: number | undefined,
  runtime: Pick<Runtime, 'after'>,
): Deadline => {
  if (timeoutMs === undefined) return { signal, over: undefined, cancel: () => undefined };
  const controller = new AbortController();
  const timeout = new ToolFailure('TIMEOUT', `The job took longer than ${timeoutMs} ms.`);
  const over = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(timeout));
  });
  over.catch(() => undefined);
  const timer = runtime.after(timeoutMs, () => controller.abort());
  return {
    signal: AbortSignal.any([signal, controller.signal]),
    over,
    cancel: () => timer.cancel(),
  };
};

export class JobRunner {
  readonly #deps: JobRunnerDeps;
  readonly #slots = new TypeSlots();

  constructor(deps: JobRunnerDeps) {
    this.#deps = deps;
  }

  /** Never rejects. `handsOutOnce`: the engine has claimed the job for this process already. */
  async run(job: Job, run: JobRun, handsOutOnce: boolean): Promise<JobEnd> {
    try {
      const type = this.#deps.types.find(job.type);
      if (!type) return noHandler(job, this.#deps.types);
      if (!(await this.#deps.isOurs(sealedText(job), job.seal))) return notOurs();
      if (!isOfSchedule(job)) return offSchedule();
      const early = earlyMs(job, this.#deps.runtime.now());
      if (early > 0) return notYet(early);
      const error = await this.#deps.refusal(job.caller);
      if (error) return { state: 'failed', error, retryable: false };
      const attempt = () => this.#traced(job, run, type);
      return handsOutOnce ? await attempt() : await claimedAtEntry(job, this.#deps, attempt);
    } catch (error) {
      // What the handler throws is caught where it runs.
      return beforeBeginning(this.#failed(error));
    }
  }

  #traced(job: Job, run: JobRun, type: JobType): Promise<JobEnd> {
    const { telemetry } = this.#deps.runtime;
    if (!telemetry) return this.#attempt(job, run, type);
    return inAttemptSpan(job, telemetry, (trace) => this.#attempt({ ...job, trace }, run, type));
  }

  async #attempt(job: Job, run: JobRun, type: JobType): Promise<JobEnd> {
    await this.#slots.take(type.type, type.concurrency);
    const deadline = deadlineOf(run, type.timeoutMs, this.#deps.runtime);
    try {
      // It was cancelled while it waited for its slot.
      if (run.signal.aborted) throw new ToolFailure('CANCELLED', 'The job was cancelled.');
      const context = this.#context(job, run, deadline.signal);
      const work = Promise.resolve(type.handler(job, context));
      return returnedEnd(await (deadline.over ? Promise.race([work, deadline.over]) : work));
    } catch (error) {
      return this.#failed(error);
    } finally {
      deadline.cancel();
      this.#slots.giveBack(type.type);
    }
  }

  #failed(thrown: unknown): JobEnd {
    const end = failedEnd(thrown);
    if (end.state !== 'failed') return end;
    return { ...end, error: this.#deps.redactError(end.error) };
  }

  #context(job: Job, run: JobRun, signal: AbortSignal): JobContext {
    const calls = new JobCalls(job, signal, this.#deps);
    return {
      signal,
      call: (tool: string | Tool, input: unknown) =>
        calls.call(typeof tool === 'string' ? tool : tool.name, input) as Promise<never>,
      progress: async (value) => run.progress(checkPayload(value, 'progress')),
    };
  }
}

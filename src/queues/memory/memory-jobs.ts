/** The table of jobs in memory: for a crib that keeps nothing. Jobs end with the process. */
import type { ToolError } from '../../contract/errors.ts';
import type {
  Job,
  JobCounts,
  JobFilter,
  JobState,
  NewJob,
  StoredSchedule,
} from '../../contract/queue.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { DueSchedules } from '../due-schedules.ts';
import {
  type Claimed,
  type ClaimRequest,
  DEFAULT_LIMIT,
  type JobChange,
  type JobClaim,
  type JobTable,
  NO_JOBS,
} from '../job-table.ts';
import { jobText } from '../job-text.ts';
import { Heap } from './heap.ts';

interface StoredJob {
  readonly row: number;
  readonly id: string;
  readonly queue: string;
  readonly type: string;
  readonly userId: string;
  readonly priority: number;
  readonly createdAt: number;
  /** As JSON, so that nobody who reads a job can change it. */
  readonly record: string;
  state: JobState;
  runAt: number;
  attempts: number;
  failures: number;
  epoch: number;
  startedAt: number | undefined;
  finishedAt: number | undefined;
  progress: string | undefined;
  result: string | undefined;
  error: ToolError | undefined;
}

/** The jobs of one queue. A heap may hold a job that is in another state by now; it is skipped. */
interface QueueLine {
  readonly waiting: Heap<StoredJob>;
  readonly delayed: Heap<StoredJob>;
  /** When the newest jobs began, oldest first; kept only where the rate is limited. */
  starts: number[];
}

const newLine = (): QueueLine => ({
  waiting: new Heap((one, other) =>
    one.priority === other.priority ? one.row < other.row : one.priority < other.priority,
  ),
  delayed: new Heap((one, other) => one.runAt < other.runAt),
  starts: [],
});

const jobOf = (stored: StoredJob): Job => {
  const { state, runAt, attempts, startedAt, finishedAt, progress, result, error } = stored;
  return {
    ...(JSON.parse(stored.record) as NewJob),
    state,
    runAt,
    attempts,
    ...(progress !== undefined && { progress: JSON.parse(progress) as unknown }),
    ...(startedAt !== undefined && { startedAt }),
    ...(finishedAt !== undefined && { finishedAt }),
    ...(result !== undefined && { result: JSON.parse(result) as unknown }),
    ...(error !== undefined && { error }),
  };
};

const fits = (job: StoredJob, filter: JobFilter): boolean =>
  (filter.queue === undefined || job.queue === filter.queue) &&
  (filter.type === undefined || job.type === filter.type) &&
  (filter.state === undefined || job.state === filter.state) &&
  (filter.userId === undefined || job.userId === filter.userId) &&
  (filter.before === undefined || job.createdAt < filter.before);

export class MemoryJobs implements JobTable {
  readonly #runtime: Pick<Runtime, 'now'>;
  readonly #due: DueSchedules;
  readonly #jobs = new Map<string, StoredJob>();
  readonly #lines = new Map<string, QueueLine>();
  readonly #schedules = new Map<string, StoredSchedule>();
  #lastRow = 0;

  constructor(runtime: Pick<Runtime, 'now' | 'log'>) {
    this.#runtime = runtime;
    this.#due = new DueSchedules(runtime.log);
  }

  async add(jobs: readonly NewJob[]): Promise<readonly boolean[]> {
    const records = jobs.map(jobText);
    return jobs.map((job, index) => this.#insert(job, records[index] ?? ''));
  }

  async get(jobId: string): Promise<Job | undefined> {
    const stored = this.#jobs.get(jobId);
    return stored && jobOf(stored);
  }

  async list(filter: JobFilter): Promise<readonly Job[]> {
    return [...this.#jobs.values()]
      .filter((job) => fits(job, filter))
      .sort((one, other) => other.createdAt - one.createdAt || other.row - one.row)
      .slice(0, filter.limit ?? DEFAULT_LIMIT)
      .map(jobOf);
  }

  async counts(): Promise<Readonly<Record<string, JobCounts>>> {
    const counts = new Map<string, Record<JobState, number>>();
    for (const { queue, state } of this.#jobs.values()) {
      const line = counts.get(queue) ?? { ...NO_JOBS };
      line[state] += 1;
      counts.set(queue, line);
    }
    return Object.fromEntries(counts);
  }

  async cancel(jobId: string, now: number): Promise<boolean> {
    const job = this.#jobs.get(jobId);
    if (!job || !['waiting', 'delayed', 'active'].includes(job.state)) return false;
    job.state = 'cancelled';
    job.finishedAt = now;
    return true;
  }

  async requeue(jobId: string, now: number): Promise<boolean> {
    const job = this.#jobs.get(jobId);
    if (!job || !['dead', 'cancelled'].includes(job.state)) return false;
    Object.assign(job, { attempts: 0, failures: 0, finishedAt: undefined, error: undefined });
    this.#put(job, now);
    return true;
  }

  async remove(jobId: string): Promise<boolean> {
    const job = this.#jobs.get(jobId);
    if (!job || job.state === 'active') return false;
    // A heap may still hold it.
    job.state = 'cancelled';
    return this.#jobs.delete(jobId);
  }

  async expire(before: number): Promise<number> {
    const old = [...this.#jobs.values()].filter(
      ({ state, finishedAt = Number.POSITIVE_INFINITY }) =>
        (state === 'completed' || state === 'cancelled') && finishedAt < before,
    );
    for (const { id } of old) this.#jobs.delete(id);
    return old.length;
  }

  async claim(request: ClaimRequest): Promise<Claimed> {
    const now = request.now();
    const line = this.#line(request.queue);
    for (let job = line.delayed.first; job && job.runAt <= now; job = line.delayed.first) {
      line.delayed.pop();
      if (job.state === 'delayed' && job.runAt <= now) this.#put(job, job.runAt);
    }
    const { limit, freeAt } = this.#allowed(line, request, now);
    const jobs: StoredJob[] = [];
    while (jobs.length < limit) {
      const job = line.waiting.pop();
      if (!job) break;
      if (job.state !== 'waiting') continue;
      job.state = 'active';
      job.epoch += 1;
      job.attempts += 1;
      job.startedAt = now;
      jobs.push(job);
    }
    if (request.rate) for (const _ of jobs) line.starts.push(now);
    const moments = [line.delayed.first?.runAt, freeAt].filter((each) => each !== undefined);
    const claimed = jobs.map((job) => ({
      claim: { id: job.id, row: job.row, epoch: job.epoch },
      job: jobOf(job),
      failures: job.failures,
      isLastChance: false,
    }));
    return moments.length === 0
      ? { jobs: claimed }
      : { jobs: claimed, nextAt: Math.min(...moments) };
  }

  async end(claim: JobClaim, change: JobChange): Promise<boolean> {
    const result =
      change.state === 'completed' && change.result !== undefined
        ? jobText(change.result)
        : undefined;
    const job = this.#held(claim);
    if (!job) return false;
    if (change.state === 'waiting') {
      job.attempts -= 1;
      if (change.runAt === undefined) this.#put(job, job.runAt);
      else this.#delay(job, change.runAt);
      return true;
    }
    if (change.state === 'completed') {
      Object.assign(job, { result, error: undefined });
    } else {
      job.failures += 1;
      job.error = change.error;
    }
    if (change.state === 'delayed') this.#delay(job, change.runAt);
    else Object.assign(job, { state: change.state, finishedAt: change.finishedAt });
    return true;
  }

  async progress(claim: JobClaim, value: unknown): Promise<void> {
    const text = jobText(value ?? null);
    const job = this.#held(claim);
    if (job) job.progress = text;
  }

  async lost(claims: readonly JobClaim[]): Promise<readonly JobClaim[]> {
    return claims.filter((claim) => !this.#held(claim));
  }

  /** Does nothing: all jobs end with the process. */
  async recover(): Promise<void> {}

  async putSchedule(schedule: StoredSchedule): Promise<void> {
    this.#schedules.set(schedule.id, JSON.parse(jobText(schedule)) as StoredSchedule);
  }

  async schedules(): Promise<readonly StoredSchedule[]> {
    return [...this.#schedules.values()];
  }

  async removeSchedule(scheduleId: string): Promise<boolean> {
    return this.#schedules.delete(scheduleId);
  }

  async makeScheduled(now: number): Promise<number | undefined> {
    let next: number | undefined;
    for (const schedule of this.#schedules.values()) {
      const step = schedule.nextAt <= now ? this.#due.step(schedule, now) : undefined;
      const { nextAt } = step?.advanced ?? schedule;
      // One that is due and has no next moment is passed over.
      if (nextAt > now) next = Math.min(next ?? Number.POSITIVE_INFINITY, nextAt);
      if (!step) continue;
      this.#insert(step.job, jobText(step.job));
      this.#schedules.set(schedule.id, step.advanced);
    }
    return next;
  }

  hasForeignWrites(): boolean {
    return false;
  }

  #insert(job: NewJob, record: string): boolean {
    if (this.#jobs.has(job.id)) return false;
    this.#lastRow += 1;
    const { id, queue, type, priority, createdAt, runAt } = job;
    const stored: StoredJob = {
      row: this.#lastRow,
      id,
      queue,
      type,
      userId: job.caller.userId,
      priority,
      createdAt,
      record,
      state: 'delayed',
      runAt,
      attempts: 0,
      failures: 0,
      epoch: 0,
      startedAt: undefined,
      finishedAt: undefined,
      progress: undefined,
      result: undefined,
      error: undefined,
    };
    this.#jobs.set(id, stored);
    if (runAt > this.#runtime.now()) this.#line(queue).delayed.push(stored);
    else this.#put(stored, runAt);
    return true;
  }

  #delay(job: StoredJob, runAt: number): void {
    job.state = 'delayed';
    job.runAt = runAt;
    this.#line(job.queue).delayed.push(job);
  }

  #put(job: StoredJob, runAt: number): void {
    job.state = 'waiting';
    job.runAt = runAt;
    this.#line(job.queue).waiting.push(job);
  }

  #line(queue: string): QueueLine {
    const line = this.#lines.get(queue) ?? newLine();
    this.#lines.set(queue, line);
    return line;
  }

  #allowed(
    line: QueueLine,
    { rate, limit }: ClaimRequest,
    now: number,
  ): { readonly limit: number; readonly freeAt?: number } {
    if (!rate) return { limit: limit() };
    // Those to come are of a clock that was set back since; they would count until it is there again.
    line.starts = line.starts.filter((at) => at > now - rate.perMs && at <= now);
    const left = Math.max(0, rate.max - line.starts.length);
    const asked = limit();
    if (asked <= left) return { limit: asked };
    return { limit: left, freeAt: (line.starts[0] ?? now) + rate.perMs + 1 };
  }

  #held({ id, row, epoch }: JobClaim): StoredJob | undefined {
    const job = this.#jobs.get(id);
    return job?.row === row && job.epoch === epoch && job.state === 'active' ? job : undefined;
  }
}

/**
 * Adds jobs that are added at the same time in one transaction. Thirty thousand transactions at once
 * would wait for each other until their time is over, although Redis is well.
 */
import type { NewJob } from '../../contract/queue.ts';

type AddJobs = (jobs: readonly NewJob[]) => Promise<readonly boolean[]>;

interface WaitingAdd {
  readonly jobs: readonly NewJob[];
  resolve(isNew: readonly boolean[]): void;
  reject(error: unknown): void;
}

/** Jobs in one transaction; a single request may have more. */
const MAX_JOBS = 256;
const MAX_TRANSACTIONS = 4;

export class GroupedAdds {
  readonly #addJobs: AddJobs;
  #waiting: WaitingAdd[] = [];
  #running = 0;

  constructor(addJobs: AddJobs) {
    this.#addJobs = addJobs;
  }

  /** Says for each job whether it is new. Rejects when its transaction fails; then none is added. */
  add(jobs: readonly NewJob[]): Promise<readonly boolean[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ jobs, resolve, reject });
      if (this.#running < MAX_TRANSACTIONS) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running += 1;
    try {
      // Not before those who add in the same tick have done so.
      await Promise.resolve();
      for (let group = this.#take(); group.length > 0; group = this.#take()) {
        await this.#addGroup(group);
      }
    } finally {
      this.#running -= 1;
    }
  }

  #take(): readonly WaitingAdd[] {
    let jobs = 0;
    const isLast = (add: WaitingAdd): boolean => {
      jobs += add.jobs.length;
      return jobs >= MAX_JOBS;
    };
    const last = this.#waiting.findIndex(isLast);
    return this.#waiting.splice(0, last < 0 ? this.#waiting.length : last + 1);
  }

  async #addGroup(group: readonly WaitingAdd[]): Promise<void> {
    try {
      const isNew = await this.#addJobs(group.flatMap(({ jobs }) => jobs));
      let from = 0;
      for (const { jobs, resolve } of group) {
        resolve(isNew.slice(from, from + jobs.length));
        from += jobs.length;
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}

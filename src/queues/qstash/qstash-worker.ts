/** Runs the jobs of one queue that QStash posts to this process. */
import { toolError } from '../../contract/errors.ts';
import type { Job, JobEnd, QueueWorker, WorkOptions } from '../../contract/queue.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { thrownTrace } from '../../kit/data/reason-of.ts';

const GRACE_MS = 10_000;

export class QstashWorker implements QueueWorker {
  readonly #options: WorkOptions;
  readonly #runtime: Runtime;
  readonly #running = new Set<Promise<JobEnd>>();
  readonly #stopping = new AbortController();

  constructor(options: WorkOptions, runtime: Runtime) {
    this.#options = options;
    this.#runtime = runtime;
  }

  /** Runs the handler. Never rejects. */
  async run(job: Job): Promise<JobEnd> {
    const running = this.#attempt(job);
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
  }

  /** Waits for what runs, then fires the signals. */
  async close(graceMs = GRACE_MS): Promise<void> {
    if (this.#running.size === 0) return;
    await new Promise<void>((done) => {
      const timer = this.#runtime.after(graceMs, () => {
        this.#stopping.abort();
        done();
      });
      void Promise.allSettled(this.#running).then(() => {
        timer.cancel();
        done();
      });
    });
  }

  /** What the handler throws by mistake fails the attempt, so that QStash tries again. */
  async #attempt(job: Job): Promise<JobEnd> {
    const { queue, run } = this.#options;
    try {
      const { signal } = this.#stopping;
      return await run(job, { signal, progress: async () => undefined });
    } catch (error) {
      this.#runtime.log.error(`A handler of the queue ${queue} threw.`, {
        cause: thrownTrace(error),
      });
      return { state: 'failed', error: toolError('INTERNAL'), retryable: true };
    }
  }
}

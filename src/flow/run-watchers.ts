/** Those in this process who wait for the end of a run. */
import { ToolFailure } from '../contract/errors.ts';
import { FINISHED, type FlowRun, type Flows } from '../contract/flow-store.ts';
import { inParallel } from '../kit/data/bounded-work.ts';

export const noRun = (runId: string): ToolFailure =>
  new ToolFailure('NOT_FOUND', `There is no run ${runId}.`);

export const unwatchable = (runId: string): ToolFailure =>
  new ToolFailure('STORE_UNAVAILABLE', 'This crib is closed.', {
    suggestions: [`The run ${runId} stays on record: a crib that registers its flow continues it.`],
  });

/** For how many runs the store is asked at a time: one after the other they would take seconds. */
const READ_AT_ONCE = 64;

interface Watcher {
  resolve(run: FlowRun): void;
  reject(error: unknown): void;
}

export class RunWatchers {
  readonly #byRun = new Map<string, Watcher[]>();

  get size(): number {
    return this.#byRun.size;
  }

  runs(): readonly string[] {
    return [...this.#byRun.keys()];
  }

  wait(runId: string): Promise<FlowRun> {
    return new Promise((resolve, reject) => {
      const watchers = this.#byRun.get(runId) ?? [];
      watchers.push({ resolve, reject });
      this.#byRun.set(runId, watchers);
    });
  }

  /** Resolves those who wait for this run, once it is finished or a person has to decide. */
  settle(run: FlowRun): void {
    if (!FINISHED.has(run.status) && run.status !== 'blocked') return;
    for (const { resolve } of this.#taken(run.id)) resolve(run);
  }

  /** Reads the runs that are waited for and not worked on here, and tells of those that are over. */
  async refresh(flows: Pick<Flows, 'get'>, isActive: (runId: string) => boolean): Promise<void> {
    const elsewhere = this.runs().filter((runId) => !isActive(runId));
    await inParallel(elsewhere, READ_AT_ONCE, async (runId) => {
      const run = await flows.get(runId);
      if (run) this.settle(run);
      else this.fail(runId, noRun(runId));
    });
  }

  /** Rejects those who wait for a run whose end this process will not see. */
  fail(runId: string, error: unknown): void {
    for (const { reject } of this.#taken(runId)) reject(error);
  }

  #taken(runId: string): readonly Watcher[] {
    const watchers = this.#byRun.get(runId) ?? [];
    this.#byRun.delete(runId);
    return watchers;
  }
}

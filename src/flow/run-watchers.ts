/** Those in this process who wait for the end of a run. */
import { FINISHED, type FlowRun } from '../contract/flow-store.ts';

export class RunWatchers {
  readonly #byRun = new Map<string, ((run: FlowRun) => void)[]>();

  get size(): number {
    return this.#byRun.size;
  }

  runs(): readonly string[] {
    return [...this.#byRun.keys()];
  }

  wait(runId: string): Promise<FlowRun> {
    return new Promise((resolve) => {
      this.#byRun.set(runId, [...(this.#byRun.get(runId) ?? []), resolve]);
    });
  }

  /** Resolves those who wait for this run, once it is finished or a person has to decide. */
  settle(run: FlowRun): void {
    if (!FINISHED.has(run.status) && run.status !== 'blocked') return;
    const waiting = this.#byRun.get(run.id) ?? [];
    this.#byRun.delete(run.id);
    for (const resolve of waiting) resolve(run);
  }
}

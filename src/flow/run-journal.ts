/**
 * Writes what one turn makes of its run. Steps that end close together are written in one transaction,
 * and a new run with its first ones. Whoever is about to change something outside waits for `flush`,
 * so that nothing that led to an effect is missing from the record.
 */
import { ToolFailure } from '../contract/errors.ts';
import type { FlowRun, Flows, JournalStep, RunChange } from '../contract/flow-store.ts';
import { type FlowSeals, sealedStep } from './run-seals.ts';

export interface RunJournalDeps {
  readonly flows: Pick<Flows, 'create' | 'record' | 'release'>;
  readonly run: FlowRun;
  readonly seals: FlowSeals;
  /** The run is not in the store yet. */
  readonly isNew: boolean;
}

/** Steps are written when so many have ended, even if others still end. */
const MAX_UNWRITTEN = 256;

const takenId = (runId: string): ToolFailure =>
  new ToolFailure('CONFLICT', `The id ${runId} belongs to another run.`);

const withoutUndefined = (run: FlowRun): FlowRun =>
  Object.fromEntries(
    Object.entries(run).filter(([, value]) => value !== undefined),
  ) as unknown as FlowRun;

export class RunJournal {
  readonly #deps: RunJournalDeps;
  #unwritten: JournalStep[] = [];
  /** The run is in the store, or the write that puts it there has begun. */
  #isStored: boolean;
  #writes: Promise<void> = Promise.resolve();
  #isWatched = false;
  #isBusy = false;
  #isOver = false;
  #onFailure: (cause: unknown) => void = () => undefined;
  /** Resolves when the run is in the store. Rejects when it could not be written. */
  readonly stored: Promise<void>;
  #markStored: (written: Promise<void>) => void = () => undefined;

  constructor(deps: RunJournalDeps) {
    this.#deps = deps;
    this.#isStored = !deps.isNew;
    this.stored = deps.isNew
      ? new Promise((resolve) => {
          this.#markStored = resolve;
        })
      : this.#writes;
    this.stored.catch(() => undefined);
  }

  /** Calls back when a write failed: what comes later would not be written either. */
  whenFailed(listener: (cause: unknown) => void): void {
    this.#onFailure = listener;
  }

  /** Takes a step to write; later ones of the same key replace it. */
  add(step: JournalStep): void {
    if (this.#isOver) return;
    const { run, seals } = this.#deps;
    this.#unwritten.push(sealedStep(run.id, step, seals));
    this.touch();
    if (this.#unwritten.length >= MAX_UNWRITTEN) void this.flush().catch(() => undefined);
  }

  /** Notes that the turn goes on: it writes once a turn of the event loop passes without. */
  touch(): void {
    this.#isBusy = true;
    if (this.#isWatched) return;
    this.#isWatched = true;
    setImmediate(this.#look);
  }

  /** Resolves when the run and the steps that were taken until now are on record. */
  flush(): Promise<void> {
    if (this.#unwritten.length > 0 || !this.#isStored) {
      const steps = this.#unwritten;
      this.#unwritten = [];
      const isFirst = !this.#isStored;
      this.#isStored = true;
      this.#writes = this.#writes.then(() => this.#write(steps, isFirst));
      this.#writes.catch((cause: unknown) => this.#onFailure(cause));
      if (isFirst) this.#markStored(this.#writes);
    }
    return this.#writes;
  }

  /** Changes the run and gives it up, together with the steps that are not written yet. */
  async release(change: RunChange, seenEvent?: number): Promise<FlowRun> {
    this.#isOver = true;
    const { flows, run } = this.#deps;
    const steps = this.#unwritten;
    this.#unwritten = [];
    if (!this.#isStored) {
      this.#isStored = true;
      const released = withoutUndefined({ ...run, ...change } as FlowRun);
      const created = flows.create(released, { steps, isReleased: true });
      this.#writes = created.then((isNew) => {
        if (!isNew) throw takenId(run.id);
      });
      this.#markStored(this.#writes);
      await this.#writes;
      return released;
    }
    await this.#writes;
    return flows.release(run, change, {
      ...(steps.length > 0 && { steps }),
      ...(seenEvent !== undefined && { seenEvent }),
    });
  }

  /** Writes nothing any more. */
  stop(): void {
    this.#isOver = true;
  }

  readonly #look = (): void => {
    this.#isWatched = false;
    if (this.#isOver) return;
    if (!this.#isBusy) {
      void this.flush().catch(() => undefined);
      return;
    }
    this.#isBusy = false;
    this.#isWatched = true;
    setImmediate(this.#look);
  };

  async #write(steps: readonly JournalStep[], isFirst: boolean): Promise<void> {
    const { flows, run } = this.#deps;
    if (!isFirst) await flows.record(run, steps);
    else if (!(await flows.create(run, { steps }))) throw takenId(run.id);
  }
}

/**
 * Writes what one turn makes of its run. Steps that end close together are written in one transaction,
 * and a new run with its first ones. Whoever is about to change something outside waits for `flush`,
 * so that nothing that led to an effect is missing from the record.
 */
import { ToolFailure } from '../contract/errors.ts';
import type { FlowRun, Flows, JournalStep, RunChange } from '../contract/flow-store.ts';
import type { Runtime, Timer } from '../contract/runtime.ts';
import type { RunRecords } from '../pipeline/record/run-records.ts';
import { type FlowSeals, sealedStep } from './run-seals.ts';
import { plainValue } from './turn.ts';

export interface RunJournalDeps {
  readonly flows: Pick<Flows, 'create' | 'record' | 'release'>;
  readonly run: FlowRun;
  readonly seals: FlowSeals;
  /** The run is not in the store yet. */
  readonly isNew: boolean;
  readonly runtime: Pick<Runtime, 'after'>;
  /** Records of reading calls, which are written with the steps; absent where each is written at once. */
  readonly records?: RunRecords | undefined;
}

/** Steps are written when so many have ended. */
const MAX_UNWRITTEN = 256;

/** Steps are written when none has ended for so long; a run that is over sooner is one write. */
const PAUSE_MS = 10;

/** While steps go on ending, they are written after so many pauses: 50 ms. */
const MAX_PAUSES = 5;

const takenId = (runId: string): ToolFailure =>
  new ToolFailure('CONFLICT', `The id ${runId} belongs to another run.`);

const withoutUndefined = (run: Readonly<Record<string, unknown>>): FlowRun => {
  const fields: Record<string, unknown> = {};
  for (const key of Object.keys(run)) if (run[key] !== undefined) fields[key] = run[key];
  return fields as unknown as FlowRun;
};

export class RunJournal {
  readonly #deps: RunJournalDeps;
  #unwritten: JournalStep[] = [];
  /** Steps whose write is under way, or waits for the one before. */
  readonly #inWriting = new Set<readonly JournalStep[]>();
  /** The run is in the store, or the write that puts it there has begun. */
  #isStored: boolean;
  #writes: Promise<void> = Promise.resolve();
  #timer: Timer | undefined;
  /** How many pauses the oldest step that is not written has waited. */
  #pauses = 0;
  /** A step has ended during this pause. */
  #hasEnded = false;
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
    this.#hasEnded = true;
    if (this.#unwritten.length >= MAX_UNWRITTEN) this.#writeNow();
    else this.writeSoon();
  }

  /** Returns copies of the steps that were taken and are not on record yet. */
  pending(): readonly JournalStep[] {
    const steps = [...[...this.#inWriting].flat(), ...this.#unwritten];
    return steps.map((step) => plainValue(step) as JournalStep);
  }

  /** Writes soon what is not on record, the run and its steps: at the latest after 50 ms. */
  writeSoon(): void {
    if (this.#timer) return;
    this.#pauses = 0;
    this.#pause();
  }

  /** Resolves when the run and the steps that were taken until now are on record. */
  flush(): Promise<void> {
    this.#cancelTimer();
    if (this.#unwritten.length > 0 || !this.#isStored) {
      const steps = this.#takeUnwritten();
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
    this.#cancelTimer();
    const { flows, run } = this.#deps;
    const steps = this.#takeUnwritten();
    if (!this.#isStored) {
      this.#isStored = true;
      const released = withoutUndefined({ ...run, ...change });
      const records = this.#deps.records?.end();
      const created = flows.create(released, { steps, isReleased: true });
      this.#writes = Promise.all([created, records]).then(([isNew]) => {
        if (!isNew) throw takenId(run.id);
        this.#inWriting.clear();
      });
      this.#markStored(this.#writes);
      await this.#writes;
      return released;
    }
    await this.#writes;
    const records = this.#deps.records?.end();
    const released = flows.release(run, change, {
      ...(steps.length > 0 && { steps }),
      ...(seenEvent !== undefined && { seenEvent }),
    });
    const [after] = await Promise.all([released, records]);
    this.#inWriting.clear();
    return after;
  }

  /** Writes nothing any more. */
  stop(): void {
    this.#isOver = true;
    this.#cancelTimer();
    // A write that fails is repeated later.
    this.#deps.records?.end()?.catch(() => undefined);
  }

  #pause(): void {
    this.#hasEnded = false;
    this.#timer = this.#deps.runtime.after(PAUSE_MS, this.#afterPause);
  }

  /** Looks after what is ready now: in a busy process nothing could end before a pause was over. */
  readonly #afterPause = (): void => {
    setImmediate(this.#look);
  };

  /** Waits once more while steps go on ending: 64 runs at once are then written once each. */
  readonly #look = (): void => {
    // Written meanwhile, or over.
    if (!this.#timer) return;
    this.#pauses += 1;
    if (this.#hasEnded && this.#pauses < MAX_PAUSES) this.#pause();
    else this.#writeNow();
  };

  readonly #writeNow = (): void => {
    // Whoever waits for the run is told of a failure.
    this.flush().catch(() => undefined);
  };

  #cancelTimer(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Takes the steps to write. They stay `pending`: whoever looks in between must find them. */
  #takeUnwritten(): readonly JournalStep[] {
    const steps = this.#unwritten;
    this.#unwritten = [];
    if (steps.length > 0) this.#inWriting.add(steps);
    return steps;
  }

  async #write(steps: readonly JournalStep[], isFirst: boolean): Promise<void> {
    const { flows, run } = this.#deps;
    // In one tick, so that the store can write both in one transaction.
    const records = this.#deps.records?.flush();
    const stored = isFirst ? flows.create(run, { steps }) : flows.record(run, steps);
    const [isNew] = await Promise.all([stored, records]);
    if (isNew === false) throw takenId(run.id);
    this.#inWriting.delete(steps);
  }
}

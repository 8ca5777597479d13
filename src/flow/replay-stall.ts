/**
 * Tells slow code from changed code in a replay. What changed code makes instead of a step on record
 * shows at once; that it makes nothing at all shows only in time.
 */
import type { JournalStep } from '../contract/flow-store.ts';
import type { Runtime } from '../contract/runtime.ts';
import { MINUTE_MS } from '../kit/data/durations.ts';

/** How often a replay looks whether the code has made the next step on record. */
const STALL_LOOK_MS = 10_000;

/**
 * After so many looks in which the code made no step at all, it counts as changed: 5 minutes. Looks are
 * counted, and not time, so that a process that was frozen or busy has not used it up.
 */
const MAX_STALLED_LOOKS = 30;

/** How many such looks a branch has that goes on after the code has ended: at least 10 seconds. */
const MAX_LOOKS_AFTER_END = 1;

export interface ReplayStallDeps {
  readonly runtime: Pick<Runtime, 'after' | 'log'>;
  /** How many steps the code has made. */
  stepsMade(): number;
  /** The code has made this step, or the turn is over. */
  isSettled(step: JournalStep): boolean;
  /** The code has ended; only branches that it did not wait for can still make steps. */
  isCodeOver(): boolean;
  continueRun(): void;
  /** The code has made no step for so many minutes. */
  block(step: JournalStep, minutes: number): void;
}

interface Look {
  readonly steps: number;
  readonly isCodeOver: boolean;
  /** Looks in which nothing has changed. */
  readonly looks: number;
}

export class ReplayStall {
  readonly #deps: ReplayStallDeps;
  #isWatched = false;

  constructor(deps: ReplayStallDeps) {
    this.#deps = deps;
  }

  /** Watches for a step on record that the code has not made; one is watched for at a time. */
  watch(step: JournalStep): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    const { stepsMade, isCodeOver } = this.#deps;
    this.#lookLater(step, { steps: stepsMade(), isCodeOver: isCodeOver(), looks: 0 });
  }

  #lookLater(step: JournalStep, before: Look): void {
    const timer = this.#deps.runtime.after(STALL_LOOK_MS, () => this.#look(step, before));
    timer.keepAlive(false);
  }

  #look(step: JournalStep, before: Look): void {
    const { runtime, stepsMade, isSettled, continueRun, block } = this.#deps;
    if (isSettled(step)) {
      this.#isWatched = false;
      // It was slow; the next step on record may be one that the code does not make.
      continueRun();
      return;
    }
    const steps = stepsMade();
    const isCodeOver = this.#deps.isCodeOver();
    // Looks from before the end of the code take nothing from the time after it.
    const isSame = steps === before.steps && isCodeOver === before.isCodeOver;
    const looks = isSame ? before.looks + 1 : 0;
    if (looks >= (isCodeOver ? MAX_LOOKS_AFTER_END : MAX_STALLED_LOOKS)) {
      block(step, (looks * STALL_LOOK_MS) / MINUTE_MS);
      return;
    }
    if (looks === 1) {
      const { key, kind, name } = step;
      const fields = { key, kind, name };
      runtime.log.warn('The code of a flow has not made the next step on record.', fields);
    }
    this.#lookLater(step, { steps, isCodeOver, looks });
  }
}

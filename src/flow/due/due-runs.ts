/**
 * One look at the store: takes over the runs that are due, wakes those whose answer is there, and forgets old
 * ones.
 */
import type { Flows } from '../../contract/flow-store.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { HOUR_MS } from '../../kit/data/durations.ts';
import { KEPT_MS } from '../run-record.ts';
import type { RunTurns } from '../run-turns.ts';
import type { RunWatchers } from '../run-watchers.ts';
import type { RunDeps } from '../step-deps.ts';
import { isAnswered, wakeAnswered } from './answered-waits.ts';
import type { RunScheduler } from './run-scheduler.ts';

export interface DueRunsDeps extends Pick<RunDeps, 'registry' | 'approval'> {
  readonly runtime: Pick<Runtime, 'now'>;
  flows(): Promise<Flows>;
  readonly turns: RunTurns;
  readonly watchers: RunWatchers;
  readonly scheduler: Pick<RunScheduler, 'after'>;
  /** Continues only the runs that somebody in this process waits for, and what they have started. */
  readonly onlyAwaited: boolean;
}

const CLAIMED_AT_ONCE = 64;
const EXPIRE_EVERY_MS = HOUR_MS;

/** How often the store is asked for answers that came in other processes, and for runs that ended there. */
const ANSWERS_EVERY_MS = 1_000;

const isEvent = (waitsFor: string): boolean => waitsFor.startsWith('event:');

export class DueRuns {
  readonly #deps: DueRunsDeps;
  #isClosed = false;
  #expiredAt = Number.NEGATIVE_INFINITY;
  #answersAt = Number.NEGATIVE_INFINITY;

  constructor(deps: DueRunsDeps) {
    this.#deps = deps;
  }

  /** Has the next look ask for answers, also when the last one did so a moment ago. */
  expectAnswer(): void {
    this.#answersAt = Number.NEGATIVE_INFINITY;
  }

  /** Takes over no run any more. */
  stop(): void {
    this.#isClosed = true;
  }

  async look(): Promise<void> {
    const { registry, approval, turns, watchers, scheduler } = this.#deps;
    const flows = await this.#deps.flows();
    const flowKeys = registry.keys();
    const now = this.#deps.runtime.now();
    const waits = { flows, approval };
    await turns.giveUpUnreleased();
    await turns.recheckDue(now, async (waitsFor) =>
      isEvent(waitsFor) ? true : isAnswered(waitsFor, waits),
    );
    if (this.#isClosed) return;
    const within = this.#deps.onlyAwaited && { within: new Set(watchers.runs()) };
    const asked = { now, flows: flowKeys, ...within };
    const due = await flows.claim({ ...asked, limit: CLAIMED_AT_ONCE });
    for (const run of due) turns.continueRun(run);
    // More may be due than were claimed.
    if (due.length === CLAIMED_AT_ONCE) scheduler.after(0);
    // After the claim: there may be thousands of waits to look at, and what is due must not be late.
    if (Math.abs(now - this.#answersAt) >= ANSWERS_EVERY_MS) {
      this.#answersAt = now;
      await turns.dropCancelled();
      if ((await wakeAnswered(asked, waits)) > 0) scheduler.after(0);
      await watchers.refresh(flows, (runId) => turns.isHeld(runId));
    }
    if (Math.abs(now - this.#expiredAt) < EXPIRE_EVERY_MS) return;
    this.#expiredAt = now;
    await flows.expire(now - KEPT_MS);
  }
}

/**
 * Applies `audit.retentionDays`. Once a day one process on the store prunes what is too old, after
 * its first call or while it goes on. No call waits for it, and what is left at the end is done by
 * the next process.
 */
import type { Events } from '../../contract/events.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Store } from '../../contract/store.ts';
import { DAY_MS, HOUR_MS } from '../../kit/data/durations.ts';
import { unguessableId } from '../ids.ts';
import type { OldRowsOptions, OldRowsPruned } from './prune-old-rows.ts';

/** Between two steps; calls that came meanwhile have their turn. */
const PAUSE_MS = 50;

/** Where processes on one store record who pruned last, and when. No tool reaches this space. */
const SPACE = '["audit-retention"]';
const KEY = 'last';

export interface RetentionDeps {
  readonly store: Pick<Store, 'audit' | 'memory'>;
  readonly events: Pick<Events, 'on'>;
  readonly runtime: Pick<Runtime, 'now' | 'after' | 'log'>;
  readonly keepMs: number;
  prune(request: Pick<OldRowsOptions, 'at' | 'before' | 'shouldContinue'>): Promise<OldRowsPruned>;
}

interface Mark {
  readonly at: number;
  readonly by: string;
}

/** Tells whether a mark is of today. One from the future was set by a wrong clock. */
const isFresh = (mark: unknown, now: number): boolean => {
  const { at } = (mark ?? {}) as Partial<Mark>;
  return typeof at === 'number' && at <= now && now - at < DAY_MS;
};

export class Retention {
  readonly #deps: RetentionDeps;
  readonly #me = unguessableId('retention');
  #isStopped = false;
  #running: Promise<void> | undefined = undefined;
  /** Cancels what waits: the first call, the next hour, the pause between two steps. */
  readonly #waiting = new Set<() => void>();

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
  }

  /** Starts to look by itself. */
  start(): void {
    const leave = this.#deps.events.on('call.measured', () => {
      leave();
      this.#waiting.delete(leave);
      this.#look();
    });
    this.#waiting.add(leave);
    this.#lookHourly();
  }

  /** Resolves when nothing is under way any more: at most one step is waited for. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const takeBack of this.#waiting) takeBack();
    await this.#running;
  }

  #lookHourly(): void {
    this.#after(HOUR_MS, (isOver) => {
      if (!isOver) return;
      this.#look();
      this.#lookHourly();
    });
  }

  /** Calls back with true when the time is over, with false when it is not waited for any more. */
  #after(ms: number, callback: (isOver: boolean) => void): void {
    const end = (isOver: boolean): void => {
      this.#waiting.delete(takeBack);
      timer.cancel();
      callback(isOver);
    };
    const takeBack = (): void => end(false);
    const timer = this.#deps.runtime.after(ms, () => end(true));
    timer.keepAlive(false);
    this.#waiting.add(takeBack);
  }

  #look(): void {
    const { log } = this.#deps.runtime;
    this.#running ??= this.#forgetOld()
      .catch((error: unknown) => {
        log.warn('Old rows of the record could not be forgotten.', { error: String(error) });
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  async #forgetOld(): Promise<void> {
    const { runtime, store, keepMs, prune } = this.#deps;
    const at = runtime.now();
    const before = at - keepMs;
    if (!(await this.#isDue(at, before)) || !(await this.#claim(at))) return;
    const { isDone, ...went } = await prune({ at, before, shouldContinue: this.#shouldContinue });
    if (went.rows > 0) runtime.log.info('Old rows of the record were forgotten.', { ...went });
    if (!isDone) await store.memory.delete(SPACE, KEY);
  }

  /** Reads three rows at most: most of the time there is nothing to do. */
  async #isDue(at: number, before: number): Promise<boolean> {
    const { audit, memory } = this.#deps.store;
    if (isFresh(await memory.read(SPACE, KEY, at), at)) return false;
    const first = ((await audit.anchor())?.seq ?? 0) + 1;
    const [oldest] = await audit.query({ seq: first, limit: 1 });
    return oldest !== undefined && oldest.at < before;
  }

  /** Claims the day; true for one process. */
  async #claim(now: number): Promise<boolean> {
    const mine: Mark = { at: now, by: this.#me };
    const mark = await this.#deps.store.memory.update({ space: SPACE, key: KEY, now }, (last) =>
      isFresh(last, now) ? last : mine,
    );
    return (mark as Mark).by === this.#me;
  }

  readonly #shouldContinue = (): Promise<boolean> =>
    new Promise((resolve) => {
      if (this.#isStopped) resolve(false);
      else this.#after(PAUSE_MS, resolve);
    });
}

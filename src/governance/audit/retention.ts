/**
 * Keeps the trail as long as it was asked to be kept. Once a day somebody forgets what is too old:
 * whoever has made the first call of a process, or looks again while the process goes on. No call
 * waits for it, and at the end it is left where it stands for the next one.
 */
import type { Events } from '../../contract/events.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Store } from '../../contract/store.ts';
import { HOUR_MS } from '../../kit/data/durations.ts';
import { unguessableId } from '../ids.ts';
import type { OldRowsOptions, OldRowsPruned } from './prune-old-rows.ts';

const DAY_MS = 24 * HOUR_MS;
/** Between two steps; calls that came meanwhile have their turn. */
const PAUSE_MS = 50;

/** Where the processes on one store note who did it last, and when. No tool reaches this space. */
const SPACE = '["audit-retention"]';
const KEY = 'last';

export interface RetentionDeps {
  readonly store: Pick<Store, 'audit' | 'memory'>;
  readonly events: Pick<Events, 'on'>;
  readonly runtime: Pick<Runtime, 'now' | 'after' | 'log'>;
  readonly keepMs: number;
  prune(request: Pick<OldRowsOptions, 'at' | 'before' | 'goOn'>): Promise<OldRowsPruned>;
}

interface Mark {
  readonly at: number;
  readonly by: string;
}

/** A mark from the future was set by a clock that was wrong. */
const isFresh = (mark: unknown, now: number): boolean => {
  const { at } = (mark ?? {}) as Partial<Mark>;
  return typeof at === 'number' && at <= now && now - at < DAY_MS;
};

export class Retention {
  readonly #deps: RetentionDeps;
  readonly #me = unguessableId('retention');
  #isStopped = false;
  #running: Promise<void> | undefined = undefined;
  /** Takes back what waits: the first call, the next hour, the pause between two steps. */
  readonly #waiting = new Set<() => void>();

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
  }

  /** From now on it looks by itself. */
  start(): void {
    const leave = this.#deps.events.on('call.finished', () => {
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
    const { isDone, ...went } = await prune({ at, before, goOn: this.#goOn });
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

  /** True for one process a day. */
  async #claim(now: number): Promise<boolean> {
    const mine: Mark = { at: now, by: this.#me };
    const kept = await this.#deps.store.memory.update({ space: SPACE, key: KEY, now }, (mark) =>
      isFresh(mark, now) ? mark : mine,
    );
    return (kept as Mark).by === this.#me;
  }

  readonly #goOn = (): Promise<boolean> =>
    new Promise((resolve) => {
      if (this.#isStopped) resolve(false);
      else this.#after(PAUSE_MS, resolve);
    });
}

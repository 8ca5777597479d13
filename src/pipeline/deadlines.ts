/**
 * Timeouts at a fraction of the price of one timer each: calls with the same limit expire in the
 * order they came, so one timer for the oldest of each limit is enough.
 */
import type { Runtime, Timer } from '../contract/runtime.ts';

export interface Deadline {
  /** Calls it off. Safe to call twice. */
  cancel(): void;
}

class Entry implements Deadline {
  readonly expiresAt: number;
  readonly callback: () => void;
  older: Entry | undefined;
  newer: Entry | undefined = undefined;
  readonly #line: Line;
  #over = false;

  constructor(line: Line, expiresAt: number, callback: () => void) {
    this.#line = line;
    this.expiresAt = expiresAt;
    this.callback = callback;
    this.older = line.newest;
  }

  cancel(): void {
    if (this.#over) return;
    this.#over = true;
    this.#line.remove(this);
  }
}

/** The deadlines of one limit, a list from the oldest to the newest. */
class Line {
  newest: Entry | undefined = undefined;
  #oldest: Entry | undefined = undefined;
  #timer: Timer | undefined = undefined;
  #held = false;
  readonly #ms: number;
  readonly #runtime: Runtime;

  constructor(ms: number, runtime: Runtime) {
    this.#ms = ms;
    this.#runtime = runtime;
  }

  add(callback: () => void): Deadline {
    const entry = new Entry(this, this.#runtime.elapsed() + this.#ms, callback);
    if (this.newest) this.newest.newer = entry;
    else this.#oldest = entry;
    this.newest = entry;
    if (!this.#timer) this.#wait(this.#ms);
    else if (!this.#held) this.#hold(true);
    return entry;
  }

  remove({ older, newer }: Entry): void {
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.newest = older;
    // The timer stays for the next call, but must not hold an idle process.
    if (!this.#oldest) this.#hold(false);
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #hold(on: boolean): void {
    this.#held = on;
    this.#timer?.keepAlive(on);
  }

  #wait(ms: number): void {
    this.#held = true;
    this.#timer = this.#runtime.after(ms, () => this.#expire());
  }

  #expire(): void {
    this.#timer = undefined;
    const now = this.#runtime.elapsed();
    let oldest = this.#oldest;
    while (oldest && oldest.expiresAt <= now) {
      oldest.cancel();
      oldest.callback();
      oldest = this.#oldest;
    }
    if (oldest && !this.#timer) this.#wait(Math.max(1, oldest.expiresAt - now));
  }
}

export class Deadlines {
  readonly #lines = new Map<number, Line>();
  readonly #runtime: Runtime;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Calls back after `ms` unless cancelled before. */
  after(ms: number, callback: () => void): Deadline {
    let line = this.#lines.get(ms);
    if (!line) {
      line = new Line(ms, this.#runtime);
      this.#lines.set(ms, line);
    }
    return line.add(callback);
  }

  close(): void {
    for (const line of this.#lines.values()) line.close();
    this.#lines.clear();
  }
}

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
  callback: (() => void) | undefined;
  readonly #line: Line;

  constructor(line: Line, expiresAt: number, callback: () => void) {
    this.#line = line;
    this.expiresAt = expiresAt;
    this.callback = callback;
  }

  cancel(): void {
    if (!this.callback) return;
    this.callback = undefined;
    this.#line.left();
  }
}

/** The deadlines of one limit, oldest first. */
class Line {
  readonly #ms: number;
  readonly #runtime: Runtime;
  #entries: Entry[] = [];
  #head = 0;
  #live = 0;
  #timer: Timer | undefined = undefined;

  constructor(ms: number, runtime: Runtime) {
    this.#ms = ms;
    this.#runtime = runtime;
  }

  add(callback: () => void): Deadline {
    const entry = new Entry(this, this.#runtime.elapsed() + this.#ms, callback);
    this.#entries.push(entry);
    this.#live++;
    if (!this.#timer) this.#wait(this.#ms);
    else if (this.#live === 1) this.#timer.keepAlive(true);
    return entry;
  }

  left(): void {
    this.#live--;
    // The timer stays for the next call, but must not hold an idle process.
    if (this.#live === 0) this.#timer?.keepAlive(false);
    this.#trim();
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Forgets finished entries at the front; the array itself is cut only now and then. */
  #trim(): void {
    const entries = this.#entries;
    while (this.#head < entries.length && !entries[this.#head]?.callback) this.#head++;
    if (this.#head === entries.length) {
      entries.length = 0;
      this.#head = 0;
    } else if (this.#head > 1024) {
      this.#entries = entries.slice(this.#head);
      this.#head = 0;
    }
  }

  #wait(ms: number): void {
    this.#timer = this.#runtime.after(ms, () => this.#expire());
  }

  #expire(): void {
    this.#timer = undefined;
    const now = this.#runtime.elapsed();
    let oldest = this.#entries[this.#head];
    while (oldest && oldest.expiresAt <= now) {
      const { callback } = oldest;
      oldest.cancel();
      callback?.();
      oldest = this.#entries[this.#head];
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

/**
 * The last events, numbered, so that a client that reconnects soon misses none, and the keys of the
 * last events, so that none is sent twice. An id names the run of the server too, because the numbers
 * of an earlier run mean nothing in this one.
 */
import type { EventName } from '../../../contract/events.ts';

export interface StreamedEvent {
  readonly name: EventName;
  readonly userId: string | undefined;
  /** Encoded once for all clients. */
  readonly bytes: Uint8Array;
}

/** `missed` when some of these events are gone. */
export interface Since {
  readonly missed: boolean;
  readonly events: readonly StreamedEvent[];
}

export class EventRing {
  readonly #run: string;
  readonly #max: number;
  #events: StreamedEvent[] = [];
  /** The number of the first event kept. */
  #first = 1;

  constructor(run: string, max: number) {
    this.#run = run;
    this.#max = max;
  }

  /** The number of the event that comes next. */
  get next(): number {
    return this.#first + this.#events.length;
  }

  get nextId(): string {
    return this.#idOf(this.next);
  }

  get lastId(): string {
    return this.#idOf(this.next - 1);
  }

  push(event: StreamedEvent): void {
    this.#events.push(event);
    if (this.#events.length <= this.#max * 2) return;
    this.#first += this.#events.length - this.#max;
    this.#events = this.#events.slice(-this.#max);
  }

  /** Drops all events and leaves a gap in their numbers, so that clients before it know that they missed some. */
  clear(): void {
    this.#first = this.next + 1;
    this.#events = [];
  }

  /** Returns the number of the event after this id; `undefined` for an id of another run. */
  after(lastId: string): number | undefined {
    const [, run, number] = /^([\w-]{1,64})\.(\d{1,15})$/.exec(lastId) ?? [];
    const next = Number(number) + 1;
    return run === this.#run && next <= this.next ? next : undefined;
  }

  /** Returns the events from a number on, up to a limit. */
  from(number: number, limit: number): Since {
    const at = number - this.#first;
    if (at < 0) return { missed: true, events: [] };
    return { missed: false, events: this.#events.slice(at, at + limit) };
  }

  #idOf(number: number): string {
    return `${this.#run}.${number}`;
  }
}

const KEPT_MS = 10_000;
const MAX_KEYS = 100_000;

/** Remembers keys for 10 to 20 seconds, and for less time where there are too many. */
export class RecentKeys {
  readonly #now: () => number;
  #turnedAt: number;
  #young = new Set<string>();
  #old = new Set<string>();

  constructor(now: () => number) {
    this.#now = now;
    this.#turnedAt = now();
  }

  has(key: string): boolean {
    return this.#young.has(key) || this.#old.has(key);
  }

  add(key: string): void {
    const now = this.#now();
    const age = now - this.#turnedAt;
    // Also when the clock was set back.
    if (age >= KEPT_MS || age < 0 || this.#young.size >= MAX_KEYS) {
      this.#old = this.#young;
      this.#young = new Set();
      this.#turnedAt = now;
    }
    this.#young.add(key);
  }
}

/**
 * The last events, numbered, so that a client that was away for a moment misses none. An id names
 * the run of the server too: numbers of an earlier run mean nothing in this one.
 */
import type { EventName } from '../../../contract/events.ts';

export interface ToldEvent {
  readonly name: EventName;
  readonly userId: string | undefined;
  /** Ready to be sent: made once for all clients. */
  readonly bytes: Uint8Array;
}

/** `missed` when some of what came since is gone. */
export interface Since {
  readonly missed: boolean;
  readonly events: readonly ToldEvent[];
}

export class EventRing {
  readonly #run: string;
  readonly #most: number;
  #events: ToldEvent[] = [];
  /** The number of the first event kept. */
  #first = 1;

  constructor(run: string, most: number) {
    this.#run = run;
    this.#most = most;
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

  push(event: ToldEvent): void {
    this.#events.push(event);
    if (this.#events.length <= this.#most * 2) return;
    this.#first += this.#events.length - this.#most;
    this.#events = this.#events.slice(-this.#most);
  }

  /** Forgets all events, and leaves a gap in their numbers: whoever resumes from before it has missed some. */
  forget(): void {
    this.#first = this.next + 1;
    this.#events = [];
  }

  /** The number of the first event after the one of this id; `undefined` for an id of another run. */
  after(lastId: string): number | undefined {
    const [, run, number] = /^([\w-]{1,64})\.(\d{1,15})$/.exec(lastId) ?? [];
    const next = Number(number) + 1;
    return run === this.#run && next <= this.next ? next : undefined;
  }

  /** The events from that number on, this many at most. */
  from(number: number, limit: number): Since {
    const at = number - this.#first;
    if (at < 0) return { missed: true, events: [] };
    return { missed: false, events: this.#events.slice(at, at + limit) };
  }

  #idOf(number: number): string {
    return `${this.#run}.${number}`;
  }
}

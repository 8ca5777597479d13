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

/** `missed` when some of what came since is gone, or the id is not one of ours. */
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

  get nextId(): string {
    return this.#idOf(this.#first + this.#events.length);
  }

  get lastId(): string {
    return this.#idOf(this.#first + this.#events.length - 1);
  }

  push(event: ToldEvent): void {
    this.#events.push(event);
    if (this.#events.length <= this.#most * 2) return;
    this.#first += this.#events.length - this.#most;
    this.#events = this.#events.slice(-this.#most);
  }

  since(lastId: string): Since {
    const [, run, number] = /^([\w-]{1,64})\.(\d{1,15})$/.exec(lastId) ?? [];
    const next = Number(number) + 1;
    const end = this.#first + this.#events.length;
    if (run !== this.#run || !(next <= end)) return { missed: true, events: [] };
    if (next < this.#first) return { missed: true, events: [] };
    return { missed: false, events: this.#events.slice(next - this.#first) };
  }

  #idOf(number: number): string {
    return `${this.#run}.${number}`;
  }
}

/**
 * One client of the event stream. Events that it has not received yet wait in the ring that all
 * clients share, so that a thousand slow clients cost no more than their positions in it.
 */
import type { EventName } from '../../../contract/events.ts';
import { EventStream } from '../../door/event-stream.ts';
import type { EventRing, StreamedEvent } from './event-ring.ts';
import { type EventViewer, maySee } from './event-summaries.ts';

export interface EventClientOptions {
  readonly ring: EventRing;
  readonly viewer: EventViewer;
  /** All that the viewer may see when absent. */
  readonly types: ReadonlySet<EventName> | undefined;
  /** The id of the last event that it received; empty for a new client. */
  readonly lastId: string;
  /** How long the client waits before it reconnects. */
  readonly retryMs: number;
  onOver(client: EventClient): void;
}

/** Bytes that may wait in a connection before nothing more is written to it. */
export const MAX_CLIENT_BACKLOG = 16 * 1024;
/** Events that are read from the ring in one step. */
const STEP = 64;

const encode = (text: string): Uint8Array => Buffer.from(text);
const RESET = encode('event: stream.reset\ndata: {}\n\n');

export class EventClient {
  readonly stream: EventStream;
  readonly #options: EventClientOptions;
  /** The number of the first event that it was not sent. */
  #next: number;
  #isGreeted = false;
  /** When the client stopped receiving. */
  #stalledAt: number | undefined = undefined;

  constructor(options: EventClientOptions) {
    this.#options = options;
    this.stream = new EventStream({
      onOver: () => options.onOver(this),
      onDrain: () => this.#drained(),
    });
    const { ring, lastId } = options;
    const next = lastId === '' ? ring.next : ring.after(lastId);
    if (next === undefined) this.stream.write(RESET);
    this.#next = next ?? ring.next;
    this.catchUp();
  }

  /** Sends missed events as far as the client receives them; tells it to reload where some are gone. */
  catchUp(): void {
    const { ring } = this.#options;
    while (this.stream.backlog <= MAX_CLIENT_BACKLOG) {
      if (this.#next === ring.next) {
        this.#greet();
        return;
      }
      const { missed, events } = ring.from(this.#next, STEP);
      if (missed) this.stream.write(RESET);
      this.#next = missed ? ring.next : this.#next + events.length;
      const chunks = events.filter((event) => this.#wants(event)).map(({ bytes }) => bytes);
      if (chunks.length > 0)
        this.stream.write(chunks.length > 1 ? Buffer.concat(chunks) : (chunks[0] ?? RESET));
    }
  }

  /** Sends a comment to a client that keeps up, and disconnects one that has stalled for too long. */
  beat(comment: Uint8Array, now: number, maxStallMs: number): void {
    if (this.stream.backlog <= MAX_CLIENT_BACKLOG) {
      this.#stalledAt = undefined;
      this.stream.write(comment);
      return;
    }
    this.#stalledAt ??= now;
    if (now - this.#stalledAt >= maxStallMs) this.stream.cut();
  }

  #drained(): void {
    this.#stalledAt = undefined;
    this.catchUp();
  }

  #greet(): void {
    if (this.#isGreeted) return;
    this.#isGreeted = true;
    const { ring, retryMs } = this.#options;
    this.stream.write(encode(`retry: ${retryMs}\nid: ${ring.lastId}\n\n`));
  }

  #wants(event: StreamedEvent): boolean {
    const { viewer, types } = this.#options;
    return (types?.has(event.name) ?? true) && maySee(viewer, event);
  }
}

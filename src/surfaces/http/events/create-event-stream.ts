/**
 * What happens in the crib, as server-sent events. Each event is put into words once for all
 * clients; without clients nobody listens to the crib, and calls pay nothing.
 */
import { ToolFailure } from '../../../contract/errors.ts';
import type { EventName, Events } from '../../../contract/events.ts';
import type { Runtime, Timer } from '../../../contract/runtime.ts';
import type { Hold } from '../held-streams.ts';
import { EventClient } from './event-client.ts';
import { EventRing, type ToldEvent } from './event-ring.ts';
import { type EventViewer, isToldEvent, summarizeEvent, TOLD_EVENTS } from './event-summaries.ts';

export interface EventStreamOptions {
  readonly runtime: Pick<Runtime, 'now' | 'after'>;
  /** Names this run of the server, in letters and digits: ids of another run resume nothing. */
  readonly run: string;
  readonly heartbeatMs?: number;
  /** How many events are kept for clients that come back. */
  readonly keep?: number;
  readonly maxClients?: number;
  /** Told when the first client comes, and some time after the last one left. */
  onWatched?(isWatched: boolean): void;
}

export interface EventStream {
  /**
   * Ends when `hold` says that its viewer may no longer read. Throws VALIDATION_ERROR for types that
   * do not exist, RATE_LIMITED when the house is full.
   */
  open(request: Request, viewer: EventViewer, hold: Hold): Response;
  readonly clients: number;
  /** Ends all streams. */
  close(): void;
}

const HEARTBEAT_MS = 15_000;
const KEEP = 1000;
const MOST_CLIENTS = 2000;
/** Events are gathered this long after the last client left, should it come back. */
const LINGER_MS = 120_000;
const RETRY_MS = 2000;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
};

const wantedTypes = (request: Request): ReadonlySet<EventName> | undefined => {
  const names = new URL(request.url).searchParams
    .getAll('types')
    .flatMap((list) => list.split(','));
  const wanted = names.filter((name) => name !== '');
  if (wanted.length === 0) return undefined;
  if (wanted.every(isToldEvent)) return new Set(wanted);
  throw new ToolFailure('VALIDATION_ERROR', 'There is no such type of event.', {
    suggestions: [`Types are: ${TOLD_EVENTS.join(', ')}.`],
  });
};

const joined = (parts: readonly Uint8Array[]): Uint8Array => Buffer.concat(parts);

class Stream implements EventStream {
  readonly #events: Events;
  readonly #options: EventStreamOptions;
  readonly #ring: EventRing;
  readonly #clients = new Set<EventClient>();
  readonly #encoder = new TextEncoder();
  readonly #beat: Uint8Array;
  #stops: readonly (() => void)[] = [];
  #pulse: Timer | undefined = undefined;
  #linger: Timer | undefined = undefined;

  constructor(events: Events, options: EventStreamOptions) {
    this.#events = events;
    this.#options = options;
    this.#ring = new EventRing(options.run, options.keep ?? KEEP);
    this.#beat = this.#encoder.encode(':\n\n');
  }

  get clients(): number {
    return this.#clients.size;
  }

  open(request: Request, viewer: EventViewer, hold: Hold): Response {
    const types = wantedTypes(request);
    if (this.#clients.size >= (this.#options.maxClients ?? MOST_CLIENTS)) {
      throw new ToolFailure('RATE_LIMITED', 'Too many clients watch the events.', {
        retryAfterMs: LINGER_MS,
      });
    }
    this.#listen();
    const onGone = (gone: EventClient): void => {
      release();
      this.#gone(gone);
    };
    const client = new EventClient({ viewer, types, onGone });
    const release = hold(() => client.close());
    this.#clients.add(client);
    client.send(this.#welcome(client, request.headers.get('last-event-id') ?? ''));
    return new Response(client.body, { headers: HEADERS });
  }

  close(): void {
    for (const client of [...this.#clients]) client.close();
    this.#rest();
  }

  /** Where the client stands, and what it missed; told to load anew where that is not known. */
  #welcome(client: EventClient, lastId: string): Uint8Array {
    const hello = this.#encoder.encode(`retry: ${RETRY_MS}\nid: ${this.#ring.lastId}\n\n`);
    if (lastId === '') return hello;
    const { missed, events } = this.#ring.since(lastId);
    const first = missed ? this.#encoder.encode('event: stream.reset\ndata: {}\n\n') : undefined;
    const since = events.filter((event) => client.wants(event)).map(({ bytes }) => bytes);
    return joined([...(first ? [first] : []), ...since, hello]);
  }

  #listen(): void {
    this.#linger?.cancel();
    this.#linger = undefined;
    this.#pulse ??= this.#later(this.#options.heartbeatMs ?? HEARTBEAT_MS, () => this.#heartbeat());
    if (this.#stops.length > 0) return;
    this.#options.onWatched?.(true);
    this.#stops = TOLD_EVENTS.map((name) =>
      this.#events.on(name, (payload) => this.#tell(name, payload as never)),
    );
  }

  #tell(name: EventName, payload: never): void {
    const summary = summarizeEvent(name, payload);
    if (!summary) return;
    const data = JSON.stringify({ at: this.#options.runtime.now(), ...summary.data });
    const text = `id: ${this.#ring.nextId}\nevent: ${name}\ndata: ${data}\n\n`;
    const { userId } = summary;
    const event: ToldEvent = { name, userId, bytes: this.#encoder.encode(text) };
    this.#ring.push(event);
    for (const client of this.#clients) if (client.wants(event)) client.send(event.bytes);
  }

  #heartbeat(): void {
    this.#pulse = undefined;
    if (this.#clients.size === 0) return;
    this.#pulse = this.#later(this.#options.heartbeatMs ?? HEARTBEAT_MS, () => this.#heartbeat());
    for (const client of this.#clients) client.send(this.#beat);
  }

  #gone(client: EventClient): void {
    this.#clients.delete(client);
    if (this.#clients.size > 0 || this.#stops.length === 0) return;
    this.#linger ??= this.#later(LINGER_MS, () => this.#rest());
  }

  #rest(): void {
    if (this.#stops.length > 0) this.#options.onWatched?.(false);
    for (const stop of this.#stops) stop();
    this.#stops = [];
    this.#pulse?.cancel();
    this.#linger?.cancel();
    this.#pulse = undefined;
    this.#linger = undefined;
  }

  #later(ms: number, callback: () => void): Timer {
    const timer = this.#options.runtime.after(ms, callback);
    timer.keepAlive(false);
    return timer;
  }
}

export const createEventStream = (events: Events, options: EventStreamOptions): EventStream =>
  new Stream(events, options);

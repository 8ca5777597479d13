/**
 * What happens in the crib, as server-sent events. Each event is put into words once for all
 * clients; without clients nobody listens to the crib, and calls pay nothing.
 */
import { ToolFailure } from '../../../contract/errors.ts';
import type { EventName, Events } from '../../../contract/events.ts';
import type { Runtime, Timer } from '../../../contract/runtime.ts';
import { EVENTS_TYPE, type StreamAnswer } from '../../door/answer.ts';
import { EventStream } from '../../door/event-stream.ts';
import type { HttpRequest } from '../../door/http-request.ts';
import { EventRing, type ToldEvent } from './event-ring.ts';
import {
  type EventViewer,
  isToldEvent,
  maySee,
  summarizeEvent,
  TOLD_EVENTS,
} from './event-summaries.ts';

export interface EventBroadcastOptions {
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

export interface EventBroadcast {
  /**
   * Opens a stream for one client. Throws VALIDATION_ERROR for types that do not exist, RATE_LIMITED
   * when there are too many clients.
   */
  open(request: HttpRequest, viewer: EventViewer): StreamAnswer;
  readonly clients: number;
  /** Ends all streams. */
  close(): void;
}

const HEARTBEAT_MS = 15_000;
const KEEP = 1000;
const MAX_CLIENTS = 2000;
/** Chunks are shared by all clients; what waits for one costs little more than its place in line. */
const MAX_CLIENT_BACKLOG = 512 * 1024;
/** Events are gathered this long after the last client left, should it come back. */
const LINGER_MS = 120_000;
const RETRY_MS = 2000;

const HEADERS = Object.freeze({
  'content-type': `${EVENTS_TYPE}; charset=utf-8`,
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
});

interface Client {
  readonly viewer: EventViewer;
  /** All that the viewer may see when absent. */
  readonly types: ReadonlySet<EventName> | undefined;
  readonly stream: EventStream;
}

const wants = ({ viewer, types }: Client, event: ToldEvent): boolean =>
  (types?.has(event.name) ?? true) && maySee(viewer, event);

const wantedTypes = ({ query }: HttpRequest): ReadonlySet<EventName> | undefined => {
  const names = new URLSearchParams(query).getAll('types').flatMap((list) => list.split(','));
  const wanted = names.filter((name) => name !== '');
  if (wanted.length === 0) return undefined;
  if (wanted.every(isToldEvent)) return new Set(wanted);
  throw new ToolFailure('VALIDATION_ERROR', 'There is no such type of event.', {
    suggestions: [`Types are: ${TOLD_EVENTS.join(', ')}.`],
  });
};

const joined = (parts: readonly Uint8Array[]): Uint8Array => Buffer.concat(parts);

class Broadcast implements EventBroadcast {
  readonly #events: Events;
  readonly #options: EventBroadcastOptions;
  readonly #ring: EventRing;
  readonly #clients = new Set<Client>();
  readonly #encoder = new TextEncoder();
  readonly #beat: Uint8Array;
  #stops: readonly (() => void)[] = [];
  #pulse: Timer | undefined = undefined;
  #linger: Timer | undefined = undefined;

  constructor(events: Events, options: EventBroadcastOptions) {
    this.#events = events;
    this.#options = options;
    this.#ring = new EventRing(options.run, options.keep ?? KEEP);
    this.#beat = this.#encoder.encode(':\n\n');
  }

  get clients(): number {
    return this.#clients.size;
  }

  open(request: HttpRequest, viewer: EventViewer): StreamAnswer {
    const types = wantedTypes(request);
    if (this.#clients.size >= (this.#options.maxClients ?? MAX_CLIENTS)) {
      throw new ToolFailure('RATE_LIMITED', 'Too many clients watch the events.', {
        retryAfterMs: LINGER_MS,
      });
    }
    this.#listen();
    const stream = new EventStream({
      maxBacklog: MAX_CLIENT_BACKLOG,
      onOver: () => this.#gone(client),
    });
    const client: Client = { viewer, types, stream };
    this.#clients.add(client);
    stream.write(this.#welcome(client, request.header('last-event-id') ?? ''));
    return { status: 200, headers: HEADERS, stream };
  }

  close(): void {
    for (const { stream } of [...this.#clients]) stream.end();
    this.#rest();
  }

  /** Where the client stands, and what it missed; told to load anew where that is not known. */
  #welcome(client: Client, lastId: string): Uint8Array {
    const hello = this.#encoder.encode(`retry: ${RETRY_MS}\nid: ${this.#ring.lastId}\n\n`);
    if (lastId === '') return hello;
    const { missed, events } = this.#ring.since(lastId);
    const first = missed ? this.#encoder.encode('event: stream.reset\ndata: {}\n\n') : undefined;
    const since = events.filter((event) => wants(client, event)).map(({ bytes }) => bytes);
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
    for (const client of this.#clients) if (wants(client, event)) client.stream.write(event.bytes);
  }

  #heartbeat(): void {
    this.#pulse = undefined;
    if (this.#clients.size === 0) return;
    this.#pulse = this.#later(this.#options.heartbeatMs ?? HEARTBEAT_MS, () => this.#heartbeat());
    for (const { stream } of this.#clients) stream.write(this.#beat);
  }

  #gone(client: Client): void {
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

export const createEventBroadcast = (
  events: Events,
  options: EventBroadcastOptions,
): EventBroadcast => new Broadcast(events, options);

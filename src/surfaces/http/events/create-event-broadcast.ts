/**
 * Sends what happens in the crib as server-sent events. Each event is encoded once for all clients.
 * Without clients the crib is not listened to, so that calls cost nothing.
 */
import { ToolFailure } from '../../../contract/errors.ts';
import type { EventName, Events } from '../../../contract/events.ts';
import type { Runtime, Timer } from '../../../contract/runtime.ts';
import { EVENTS_TYPE, type StreamAnswer } from '../../door/answer.ts';
import type { HttpRequest } from '../../door/http-request.ts';
import { EventClient } from './event-client.ts';
import { EventRing, RecentKeys } from './event-ring.ts';
import {
  type EventSummary,
  type EventViewer,
  isStreamedEvent,
  STREAMED_EVENTS,
  sourceOf,
  summarizeEvent,
} from './event-summaries.ts';

export interface EventBroadcastOptions {
  readonly runtime: Pick<Runtime, 'now' | 'elapsed' | 'after'>;
  /** Names this run of the server, in letters and digits: ids of another run resume nothing. */
  readonly run: string;
  readonly heartbeatMs?: number;
  /** How many events are kept for clients that reconnect. */
  readonly keep?: number;
  readonly maxClients?: number;
  /** Called when the first client connects, and some time after the last one left. */
  onWatched?(isWatched: boolean): void;
}

export interface EventBroadcast {
  /**
   * Opens a stream for one client. Throws VALIDATION_ERROR for types that do not exist, RATE_LIMITED
   * when there are too many clients.
   */
  open(request: HttpRequest, viewer: EventViewer): StreamAnswer;
  /**
   * Sends the clients an event of another process. An event that this process has sent, or will
   * send, is sent once.
   */
  relay(name: EventName, summary: EventSummary): void;
  /** Tells the clients to reload: more happened than is sent one by one. */
  reset(): void;
  readonly clients: number;
  /** Ends all streams. */
  close(): void;
}

const HEARTBEAT_MS = 15_000;
const KEEP = 1000;
const MAX_CLIENTS = 2000;
/** A client that has received nothing for so long does not read and is disconnected. */
const MAX_STALL_MS = 60_000;
/** Events are collected for so long after the last client left, in case it reconnects. */
const LINGER_MS = 120_000;
const RETRY_MS = 2000;
/** Sending to all clients takes no more than a fifth of the time of the process. */
const PAUSE_FACTOR = 4;
const MIN_SLOW_MS = 2;

const HEADERS = Object.freeze({
  'content-type': `${EVENTS_TYPE}; charset=utf-8`,
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
});

/** Events that another process on the same store can cause as well. */
const SHARED: ReadonlySet<EventName> = new Set([
  'call.started',
  'call.finished',
  'approval.requested',
  'approval.decided',
  'permission.granted',
  'permission.revoked',
]);

/** Makes the key of an event that several processes may report; empty for other events. */
const keyOf = (name: EventName, { data }: EventSummary): string => {
  const id = data.executionId ?? data.approvalId ?? data.grantId;
  return SHARED.has(name) ? `${name} ${String(id)}` : '';
};

const requestedTypes = ({ query }: HttpRequest): ReadonlySet<EventName> | undefined => {
  const names = new URLSearchParams(query).getAll('types').flatMap((list) => list.split(','));
  const types = names.filter((name) => name !== '');
  if (types.length === 0) return undefined;
  if (types.every(isStreamedEvent)) return new Set(types);
  throw new ToolFailure('VALIDATION_ERROR', 'There is no such type of event.', {
    suggestions: [`Types are: ${STREAMED_EVENTS.join(', ')}.`],
  });
};

class Broadcast implements EventBroadcast {
  readonly #events: Events;
  readonly #options: EventBroadcastOptions;
  readonly #ring: EventRing;
  readonly #clients = new Set<EventClient>();
  /** The keys of events that this process sent, and of relayed ones, in the last seconds. */
  readonly #own: RecentKeys;
  readonly #relayed: RecentKeys;
  readonly #encoder = new TextEncoder();
  readonly #beat: Uint8Array;
  #stops: readonly (() => void)[] = [];
  #pulse: Timer | undefined = undefined;
  #linger: Timer | undefined = undefined;
  /** Runs while the clients get time to receive what was sent. */
  #pause: Timer | undefined = undefined;
  /** An event waits for the end of the pause. */
  #isUnsent = false;

  constructor(events: Events, options: EventBroadcastOptions) {
    this.#events = events;
    this.#options = options;
    this.#ring = new EventRing(options.run, options.keep ?? KEEP);
    this.#own = new RecentKeys(options.runtime.now);
    this.#relayed = new RecentKeys(options.runtime.now);
    this.#beat = this.#encoder.encode(':\n\n');
  }

  get clients(): number {
    return this.#clients.size;
  }

  open(request: HttpRequest, viewer: EventViewer): StreamAnswer {
    const types = requestedTypes(request);
    if (this.#clients.size >= (this.#options.maxClients ?? MAX_CLIENTS)) {
      throw new ToolFailure('RATE_LIMITED', 'Too many clients watch the events.', {
        retryAfterMs: LINGER_MS,
      });
    }
    this.#listen();
    const client = new EventClient({
      ring: this.#ring,
      viewer,
      types,
      lastId: request.header('last-event-id') ?? '',
      retryMs: RETRY_MS,
      onOver: (over) => this.#remove(over),
    });
    this.#clients.add(client);
    const { stream } = client;
    return { status: 200, headers: HEADERS, stream };
  }

  close(): void {
    for (const { stream } of [...this.#clients]) stream.end();
    this.#stopListening();
  }

  relay(name: EventName, summary: EventSummary): void {
    const key = keyOf(name, summary);
    if (this.#stops.length === 0 || this.#own.has(key) || this.#relayed.has(key)) return;
    this.#relayed.add(key);
    this.#send(name, summary);
  }

  reset(): void {
    this.#ring.clear();
    this.#flush();
  }

  #listen(): void {
    this.#linger?.cancel();
    this.#linger = undefined;
    this.#pulse ??= this.#later(this.#options.heartbeatMs ?? HEARTBEAT_MS, () => this.#heartbeat());
    if (this.#stops.length > 0) return;
    this.#options.onWatched?.(true);
    this.#stops = STREAMED_EVENTS.map((name) =>
      this.#events.on(sourceOf(name), (payload) => this.#publish(name, payload as never)),
    );
  }

  #publish(name: EventName, payload: never): void {
    const summary = summarizeEvent(name, payload);
    if (!summary) return;
    const key = keyOf(name, summary);
    if (key !== '' && this.#relayed.has(key)) return;
    if (key !== '') this.#own.add(key);
    this.#send(name, summary);
  }

  #send(name: EventName, { data, userId }: EventSummary): void {
    const text = JSON.stringify({ at: this.#options.runtime.now(), ...data });
    const bytes = this.#encoder.encode(
      `id: ${this.#ring.nextId}\nevent: ${name}\ndata: ${text}\n\n`,
    );
    this.#ring.push({ name, userId, bytes });
    this.#flush();
  }

  /** Sends at once, unless many clients make that slow: then events are collected. */
  #flush(): void {
    this.#isUnsent = this.#pause !== undefined;
    if (this.#isUnsent) return;
    const { elapsed } = this.#options.runtime;
    const before = elapsed();
    for (const client of this.#clients) client.catchUp();
    const tookMs = elapsed() - before;
    if (tookMs < MIN_SLOW_MS) return;
    this.#pause = this.#later(tookMs * PAUSE_FACTOR, () => {
      this.#pause = undefined;
      if (this.#isUnsent) this.#flush();
    });
  }

  #heartbeat(): void {
    this.#pulse = undefined;
    if (this.#clients.size === 0) return;
    this.#pulse = this.#later(this.#options.heartbeatMs ?? HEARTBEAT_MS, () => this.#heartbeat());
    const now = this.#options.runtime.now();
    for (const client of this.#clients) client.beat(this.#beat, now, MAX_STALL_MS);
  }

  #remove(client: EventClient): void {
    this.#clients.delete(client);
    if (this.#clients.size > 0 || this.#stops.length === 0) return;
    this.#linger ??= this.#later(LINGER_MS, () => this.#stopListening());
  }

  #stopListening(): void {
    if (this.#stops.length > 0) this.#options.onWatched?.(false);
    for (const stop of this.#stops) stop();
    this.#stops = [];
    this.#pulse?.cancel();
    this.#linger?.cancel();
    this.#pause?.cancel();
    this.#pause = undefined;
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

/**
 * The stream of events from the server: one connection for all pages, reopened by itself after a loss and
 * resumed from the last event seen. Events only say that something changed; pages then ask again.
 */
import { createEventParser, type ServerEvent } from './parse-events.ts';

export type ConnectionState = 'connecting' | 'open' | 'lost';

export interface LiveEvent {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface LiveEvents {
  state(): ConnectionState;
  /** Called on every change of the state; returns how to stop. */
  onState(listener: () => void): () => void;
  /** Names that end in `.*` stand for all that begin so. `connection.reopened` follows every loss. */
  on(names: readonly string[], listener: (event: LiveEvent) => void): () => void;
  close(): void;
}

export interface LiveEventsDeps {
  readonly fetch: typeof fetch;
  /** Waits; resolves early when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Called when the session is over: the connection is not opened again. */
  onSignedOut(): void;
}

const FIRST_PAUSE = 500;
const MAX_PAUSE = 15_000;

const fits = (name: string, pattern: string): boolean =>
  pattern.endsWith('.*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

const dataOf = (event: ServerEvent): LiveEvent['data'] => {
  try {
    const value: unknown = JSON.parse(event.data);
    return typeof value === 'object' && value !== null ? (value as LiveEvent['data']) : {};
  } catch {
    return {};
  }
};

interface EventSink {
  lastId: string;
  onOpen(): void;
  onEvent(event: ServerEvent): void;
}

/** Reads until the stream ends; rejects when it cannot be opened or breaks. */
const readEvents = async (
  sink: EventSink,
  deps: LiveEventsDeps,
  signal: AbortSignal,
): Promise<void> => {
  const resume = sink.lastId === '' ? {} : { 'last-event-id': sink.lastId };
  const answer = await deps.fetch('/v1/events', {
    credentials: 'same-origin',
    headers: { accept: 'text/event-stream', ...resume },
    signal,
  });
  if (answer.status === 401) deps.onSignedOut();
  if (!answer.ok || !answer.body) throw new Error('The event stream was refused.');
  sink.onOpen();
  const parser = createEventParser(sink.lastId);
  const decoder = new TextDecoder();
  const reader = answer.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = parser.feed(decoder.decode(value, { stream: true }));
    sink.lastId = parser.lastId();
    for (const event of events) sink.onEvent(event);
  }
};

/** Starts to listen at once and goes on until `close`. */
export const openLiveEvents = (deps: LiveEventsDeps): LiveEvents => {
  const stop = new AbortController();
  const watchers = new Set<() => void>();
  const listeners = new Set<{ names: readonly string[]; tell: (event: LiveEvent) => void }>();
  let state: ConnectionState = 'connecting';
  let wasLost = false;
  let pause = FIRST_PAUSE;
  const become = (next: ConnectionState): void => {
    if (state === next) return;
    state = next;
    for (const watcher of watchers) watcher();
  };
  const tell = (event: LiveEvent): void => {
    for (const { names, tell } of [...listeners]) {
      if (names.some((pattern) => fits(event.name, pattern))) tell(event);
    }
  };
  const sink: EventSink = {
    lastId: '',
    onOpen: () => {
      pause = FIRST_PAUSE;
      become('open');
      if (wasLost) tell({ name: 'connection.reopened', data: {} });
      wasLost = false;
    },
    onEvent: (event) => tell({ name: event.name, data: dataOf(event) }),
  };
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await readEvents(sink, deps, stop.signal).catch(() => undefined);
      if (stop.signal.aborted) return;
      wasLost = true;
      become('lost');
      await deps.wait(pause, stop.signal);
      pause = Math.min(pause * 2, MAX_PAUSE);
    }
  };
  void run();
  return {
    state: () => state,
    onState: (watcher) => {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    on: (names, listener) => {
      const entry = { names, tell: listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    close: () => stop.abort(),
  };
};

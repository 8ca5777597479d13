/** Server-sent events to one client. Events that are written before it is connected are queued. */
import type { Runtime, Timer } from '../../contract/runtime.ts';

export type EventChunk = string | Uint8Array;

/** Where the events go. */
export interface EventSink {
  write(chunk: EventChunk): void;
  end(): void;
  /** Estimates the number of bytes that the client has not received yet. */
  backlog(): number;
  /** Closes the connection at once; unsent data is lost. */
  cut(): void;
}

export interface StreamOptions {
  /** Sends a comment every 15 seconds when given, because proxies cut silent connections. */
  readonly runtime?: Pick<Runtime, 'after'>;
  /** Bytes that may wait for the client before it is cut off. */
  readonly maxBacklog?: number;
  /** Called when the client has received everything, and once when it is connected. */
  onDrain?(): void;
  /** Called once, when the stream is over for whatever reason. */
  onOver?(): void;
}

const KEEP_ALIVE_MS = 15_000;
/** A client that stops reading must not fill the memory. A single message may be larger. */
export const MAX_BACKLOG = 8 * 1024 * 1024;

export class EventStream {
  readonly #options: StreamOptions;
  #sink: EventSink | undefined = undefined;
  #queue: EventChunk[] = [];
  #isOver = false;
  #timer: Timer | undefined = undefined;
  #release: (() => void) | undefined = undefined;

  constructor(options: StreamOptions = {}) {
    this.#options = options;
  }

  /** True when nothing is queued for the client. */
  get isSilent(): boolean {
    return this.#queue.length === 0 && !this.#isOver;
  }

  /** The approximate number of bytes that wait for the client. */
  get backlog(): number {
    if (this.#sink) return this.#sink.backlog();
    return this.#queue.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  /** Notes that the client has received everything. */
  drained(): void {
    if (!this.#isOver) this.#options.onDrain?.();
  }

  /** Ends the stream at once; unsent data is lost. */
  cut(): void {
    const sink = this.#sink;
    this.leave();
    sink?.cut();
  }

  /** Sends text or bytes in the format of server-sent events; nothing once the stream is over. */
  write(chunk: EventChunk): void {
    if (this.#isOver) return;
    const sink = this.#sink;
    if (!sink) {
      this.#queue.push(chunk);
    } else if (sink.backlog() > (this.#options.maxBacklog ?? MAX_BACKLOG)) {
      this.cut();
    } else sink.write(chunk);
  }

  /** Connects the client and sends what was queued. */
  open(sink: EventSink): void {
    for (const chunk of this.#queue) sink.write(chunk);
    this.#queue = [];
    if (this.#isOver) {
      sink.end();
      return;
    }
    this.#sink = sink;
    this.#keepAlive();
    this.drained();
  }

  /** Calls `hold` with how to end the stream; what it returns is called when the stream is over. */
  holdBy(hold: (end: () => void) => () => void): void {
    if (this.#isOver) return;
    this.#release = hold(() => this.end());
  }

  end(): void {
    const sink = this.#sink;
    if (this.#stop()) sink?.end();
  }

  /** Notes that the client has gone. */
  leave(): void {
    if (this.#stop()) this.#queue = [];
  }

  /** Returns false when it was over already. */
  #stop(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#sink = undefined;
    this.#timer?.cancel();
    this.#release?.();
    this.#options.onOver?.();
    return true;
  }

  #keepAlive(): void {
    this.#timer = this.#options.runtime?.after(KEEP_ALIVE_MS, () => {
      this.write(': keepalive\n\n');
      if (!this.#isOver) this.#keepAlive();
    });
    this.#timer?.keepAlive(false);
  }
}

/** Server-sent events to one client. What is said before it listens waits for it; who left hears nothing. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Runtime, Timer } from '../../../contract/runtime.ts';

/** Where the events go. */
export interface EventSink {
  write(text: string): void;
  end(): void;
  /** Bytes, about, that the client has not taken yet. */
  backlog(): number;
  /** Ends it at once: what is under way is lost. */
  cut(): void;
}

/** Programs in between cut connections that are silent for longer. */
const KEEP_ALIVE_MS = 15_000;
/** A client that stops reading must not fill our memory. One message may be as large as it likes. */
export const MOST_BACKLOG = 8 * 1024 * 1024;

export class EventStream {
  readonly #runtime: Runtime;
  readonly #left: () => void;
  #sink: EventSink | undefined = undefined;
  #waiting = '';
  #isOver = false;
  #timer: Timer | undefined = undefined;

  /** `left` is called once, when the client goes before the end. */
  constructor(runtime: Runtime, left: () => void = () => undefined) {
    this.#runtime = runtime;
    this.#left = left;
  }

  /** Nothing waits for the client to listen. */
  get isSilent(): boolean {
    return this.#waiting === '' && !this.#isOver;
  }

  send(message: JSONRPCMessage): void {
    this.#write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  /** The client listens from now on. */
  open(sink: EventSink): void {
    if (this.#waiting !== '') sink.write(this.#waiting);
    this.#waiting = '';
    if (this.#isOver) {
      sink.end();
      return;
    }
    this.#sink = sink;
    this.#keepAlive();
  }

  end(): void {
    const sink = this.#sink;
    if (this.#stop()) sink?.end();
  }

  /** The client has gone. */
  leave(): void {
    if (!this.#stop()) return;
    this.#waiting = '';
    this.#left();
  }

  #write(text: string): void {
    if (this.#isOver) return;
    const sink = this.#sink;
    if (!sink) {
      this.#waiting += text;
    } else if (sink.backlog() > MOST_BACKLOG) {
      this.leave();
      sink.cut();
    } else sink.write(text);
  }

  /** False when it was over already. */
  #stop(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#sink = undefined;
    this.#timer?.cancel();
    return true;
  }

  #keepAlive(): void {
    this.#timer = this.#runtime.after(KEEP_ALIVE_MS, () => {
      this.#write(': keepalive\n\n');
      if (!this.#isOver) this.#keepAlive();
    });
    this.#timer.keepAlive(false);
  }
}

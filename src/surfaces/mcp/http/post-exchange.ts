/**
 * One POST and its answer, whose form is decided late: one JSON text when only responses are sent,
 * events as soon as another message has to go first or the client has waited for 5 seconds.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Runtime, Timer } from '../../../contract/runtime.ts';
import type { Answer, HeaderRecord } from '../../door/answer.ts';
import { EventStream } from '../../door/event-stream.ts';

/** After so long the answer becomes a stream, so that proxies see that the connection lives. */
export const PATIENCE_MS = 5_000;

export interface PostOptions {
  readonly runtime: Runtime;
  readonly jsonHeaders: HeaderRecord;
  readonly eventHeaders: HeaderRecord;
}

export interface Posted {
  /** How many requests are to be answered. */
  readonly requests: number;
  /** A batch is answered by a list. */
  readonly isBatch: boolean;
}

/** Writes a message in the format of server-sent events. */
export const eventOf = (message: JSONRPCMessage): string =>
  `event: message\ndata: ${JSON.stringify(message)}\n\n`;

export class PostExchange {
  readonly answered: Promise<Answer>;
  readonly #options: PostOptions;
  readonly #isBatch: boolean;
  readonly #responses: JSONRPCMessage[] = [];
  readonly #timer: Timer;
  #missing: number;
  #answer: (answer: Answer) => void = () => undefined;
  #stream: EventStream | undefined = undefined;

  constructor({ requests, isBatch }: Posted, options: PostOptions) {
    this.#options = options;
    this.#isBatch = isBatch;
    this.#missing = requests;
    this.answered = new Promise((resolve) => {
      this.#answer = resolve;
    });
    this.#timer = options.runtime.after(PATIENCE_MS, () => this.#events());
    this.#timer.keepAlive(false);
  }

  /** Sends a response; the last one ends the exchange. */
  respond(message: JSONRPCMessage): void {
    this.#missing -= 1;
    if (this.#stream) this.#stream.write(eventOf(message));
    else this.#responses.push(message);
    if (this.#missing > 0) return;
    if (this.#stream) this.#stream.end();
    else this.#json();
  }

  /** Sends a message before the response. */
  send(message: JSONRPCMessage): void {
    this.#events().write(eventOf(message));
  }

  /** Notes that a request was cancelled and gets no response. */
  skip(): void {
    this.#missing -= 1;
    if (this.#missing <= 0) this.end();
  }

  /** Ends the exchange without the missing responses. */
  end(): void {
    this.#events().end();
  }

  #json(): void {
    this.#timer.cancel();
    const body = JSON.stringify(this.#isBatch ? this.#responses : this.#responses[0]);
    this.#answer({ status: 200, headers: this.#options.jsonHeaders, body });
  }

  #events(): EventStream {
    if (this.#stream) return this.#stream;
    this.#timer.cancel();
    const stream = new EventStream({ runtime: this.#options.runtime });
    this.#stream = stream;
    for (const response of this.#responses) stream.write(eventOf(response));
    this.#answer({ status: 200, headers: this.#options.eventHeaders, stream });
    return stream;
  }
}

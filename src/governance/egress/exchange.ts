/**
 * One request and its answer on a connection. Pieces of the body are handed out as they are asked for,
 * and the connection is paused while no piece is requested.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Agent, Dispatcher } from 'undici';
import type { BodySource } from '../../kit/http/pulled-response.ts';
import { networkFailure } from './network-failure.ts';

export interface AnswerHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
}

export interface Answer extends AnswerHead {
  readonly body: Exchange;
}

/** How many bytes wait for a reader before the other side has to. */
const MAX_WAITING_BYTES = 64 * 1024;

const BROKEN_OFF = new Error('The request was broken off.');

interface Settle<T> {
  resolve(value: T): void;
  reject(reason: unknown): void;
}

const headersOf = (received: IncomingHttpHeaders): Headers => {
  const headers = new Headers();
  for (const [name, value = ''] of Object.entries(received)) {
    if (typeof value === 'string') headers.append(name, value);
    else for (const one of value) headers.append(name, one);
  }
  return headers;
};

export class Exchange implements Dispatcher.DispatchHandler, BodySource {
  readonly #signal: AbortSignal;
  readonly #head: Settle<AnswerHead>;
  readonly #pieces: Buffer[] = [];
  #waitingBytes = 0;
  #reader: Settle<Uint8Array | undefined> | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #failure: { readonly reason: unknown } | undefined;
  #hasEnded = false;

  constructor(signal: AbortSignal, head: Settle<AnswerHead>) {
    this.#signal = signal;
    this.#head = head;
    signal.addEventListener('abort', this.#abort);
  }

  /** True when all has arrived, or nothing more will. */
  get isOver(): boolean {
    return this.#hasEnded || this.#failure !== undefined;
  }

  next(): Promise<Uint8Array | undefined> {
    const piece = this.#pieces.shift();
    if (piece) {
      this.#waitingBytes -= piece.byteLength;
      if (this.#waitingBytes === 0) this.#controller?.resume();
      return Promise.resolve(piece);
    }
    if (this.#hasEnded) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      if (this.#failure) reject(this.#failure.reason);
      else this.#reader = { resolve, reject };
    });
  }

  cancel(): void {
    this.#fail(BROKEN_OFF);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The call ended while the connection was being made.
    if (this.#failure) controller.abort(BROKEN_OFF);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    ...[headers, statusText = '']: [headers: IncomingHttpHeaders, statusText?: string]
  ): void {
    // Before the answer there may be others that only inform.
    if (status < 200) return;
    this.#head.resolve({ status, statusText, headers: headersOf(headers) });
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    const reader = this.#reader;
    if (reader) {
      this.#reader = undefined;
      reader.resolve(piece);
      return;
    }
    this.#pieces.push(piece);
    this.#waitingBytes += piece.byteLength;
    if (this.#waitingBytes >= MAX_WAITING_BYTES) controller.pause();
  }

  onResponseEnd(): void {
    this.#hasEnded = true;
    this.#signal.removeEventListener('abort', this.#abort);
    this.#reader?.resolve(undefined);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(networkFailure(error));
  }

  readonly #abort = (): void => this.#fail(this.#signal.reason);

  /** Ends the exchange with the first failure: drops what has arrived and closes the connection. */
  #fail(reason: unknown): void {
    if (this.isOver) return;
    this.#failure = { reason };
    this.#signal.removeEventListener('abort', this.#abort);
    this.#pieces.length = 0;
    this.#controller?.abort(BROKEN_OFF);
    this.#head.reject(reason);
    this.#reader?.reject(reason);
  }
}

/** Sends a request. Resolves when the head of the answer is there; fails with a coded failure. */
export const exchange = (
  agent: Agent,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const body: Exchange = new Exchange(signal, {
      resolve: (head) => resolve({ ...head, body }),
      reject,
    });
    agent.dispatch(request, body);
  });

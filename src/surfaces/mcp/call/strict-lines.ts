/**
 * The streams before and behind the library's stdio transport, which parses with `JSON.parse`.
 * Lines that two readers could understand differently are answered with an error and do not reach
 * it. Batches, which the library does not know, reach it message by message.
 */
import { Transform, type TransformCallback, type Writable } from 'node:stream';
import { isRecord } from '../../../kit/data/is-record.ts';
import type { JsonFlaw } from '../../../kit/text/json-scan.ts';
import { findJsonFlaw } from '../../../kit/text/strict-json.ts';
import { parseError } from '../protocol-error.ts';

const NEWLINE = 0x0a;
const BATCH = /^\s*\[/;
const MAX_BATCH = 100;
/** The limit of the library, which would close the connection without an error. */
const MAX_LINE_BYTES = 10 * 1024 * 1024;

/** Returns the id to answer: null for a batch, nothing for a notification or a response. */
const idToAnswer = (line: string): string | number | null | undefined => {
  const message = Object(JSON.parse(line)) as { readonly id?: unknown; readonly method?: unknown };
  if (Array.isArray(message)) return null;
  const { id, method } = message;
  const isId = typeof id === 'string' || Number.isSafeInteger(id);
  return isId && typeof method === 'string' ? (id as string | number) : undefined;
};

interface RpcError {
  readonly code: number;
  readonly message: string;
}

const KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);

const invalidRequest = (message: string): RpcError => ({
  code: -32600,
  message: `Invalid Request: ${message}`,
});

interface MessageFault {
  /** Null when the message has none that can be answered. */
  readonly id: unknown;
  readonly error: RpcError;
}

/** Says what is wrong with the parts of a request: the library drops such a one without an answer. */
const requestFault = (message: Readonly<Record<string, unknown>>): RpcError | undefined => {
  const { jsonrpc, method, params } = message;
  if (jsonrpc !== '2.0') return invalidRequest('jsonrpc has to be "2.0"');
  if (typeof method !== 'string') return invalidRequest('method has to be text');
  const foreign = Object.keys(message).find((key) => !KEYS.has(key));
  if (foreign !== undefined) return invalidRequest('it has a key that no request has');
  const meta = isRecord(params) ? params._meta : undefined;
  if (params !== undefined && !isRecord(params)) {
    return { code: -32602, message: 'Invalid params: params has to be an object' };
  }
  if (meta !== undefined && !isRecord(meta)) {
    return { code: -32602, message: 'Invalid params: params._meta has to be an object' };
  }
  return undefined;
};

const isResponse = (message: object): boolean => 'result' in message || 'error' in message;

/**
 * Judges a message by its shape: the library drops one that is not sound, and its client would wait
 * for an answer that never comes. Returns what to answer it with, and nothing for one that is sound
 * or gets no answer: a notification, and what looks like a response.
 */
const messageFault = (line: string): MessageFault | undefined => {
  const message: unknown = JSON.parse(line);
  if (!isRecord(message)) return { id: null, error: invalidRequest('a message is an object') };
  const { id } = message;
  if (isResponse(message) && message.method === undefined) return undefined;
  if (id === undefined && typeof message.method === 'string') return undefined;
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) {
    return { id: null, error: invalidRequest('id has to be text or a whole number') };
  }
  const error = requestFault(message);
  return error && { id, error };
};

export class StrictLines extends Transform {
  readonly #refuse: (line: string) => void;
  #pieces: Buffer[] = [];
  #size = 0;
  /** The line was refused for its length: the rest of it is dropped. */
  #isSkipping = false;

  /** Makes the filter. `refuse` gets the line to answer with, its newline included. */
  constructor(refuse: (line: string) => void) {
    super();
    this.#refuse = refuse;
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      this.#take(chunk.subarray(from, end + 1));
      from = end + 1;
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from));
    done();
  }

  override _flush(done: TransformCallback): void {
    this.push(this.#takeLine());
    done();
  }

  #hold(piece: Buffer): void {
    if (this.#isSkipping) return;
    this.#pieces.push(piece);
    this.#size += piece.length;
    if (this.#size <= MAX_LINE_BYTES) return;
    this.#isSkipping = true;
    this.#takeLine();
    this.#reply(
      null,
      invalidRequest(`a line has at most ${MAX_LINE_BYTES} bytes; this one was dropped`),
    );
  }

  #takeLine(): Buffer {
    const whole = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#size = 0;
    return whole ?? Buffer.alloc(0);
  }

  #take(end: Buffer): void {
    this.#hold(end);
    const isOver = this.#isSkipping;
    this.#isSkipping = false;
    const bytes = this.#takeLine();
    if (isOver) return;
    const line = bytes.toString('utf8');
    const flaw = findJsonFlaw(line);
    // The library drops lines that are no JSON, as the protocol says.
    if (flaw !== undefined && flaw.kind !== 'syntax') this.#answer(line, flaw);
    else if (flaw === undefined && BATCH.test(line)) this.#takeBatch(line);
    else this.#pass(bytes, flaw === undefined ? messageFault(line) : undefined);
  }

  #pass(bytes: Buffer | string, fault: MessageFault | undefined): void {
    if (fault) this.#reply(fault.id, fault.error);
    else this.push(bytes);
  }

  #reply(id: unknown, error: RpcError): void {
    this.#refuse(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
  }

  /** Answers a batch (protocol 2025-03-26) message by message. */
  #takeBatch(line: string): void {
    const messages = JSON.parse(line) as readonly unknown[];
    if (messages.length === 0 || messages.length > MAX_BATCH) {
      this.#reply(null, invalidRequest(`a batch holds 1 to ${MAX_BATCH} messages`));
      return;
    }
    for (const message of messages) {
      const line = JSON.stringify(message);
      this.#pass(`${line}\n`, messageFault(line));
    }
  }

  #answer(line: string, flaw: JsonFlaw): void {
    let id: string | number | null | undefined = null;
    try {
      id = idToAnswer(line);
    } catch {
      // The rest of the line is no JSON, so its id is not known.
    }
    if (id === undefined) return;
    this.#reply(id, parseError(flaw));
  }
}

/**
 * Makes all writes of one turn of the event loop leave together: replies that are ready at the same
 * time need one system call. Changes and returns the same stream.
 */
export const gatherWrites = <T extends Writable>(stream: T): T => {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  const gathered = (...args: unknown[]): boolean => {
    if (stream.writableCorked === 0) {
      stream.cork();
      process.nextTick(() => stream.uncork());
    }
    return write(...args);
  };
  stream.write = gathered as T['write'];
  return stream;
};

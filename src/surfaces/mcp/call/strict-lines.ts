/**
 * The streams before and behind the library's stdio transport, which parses with `JSON.parse`.
 * Lines that two readers could understand differently are answered with an error and do not reach
 * it. Batches, which the library does not know, reach it message by message.
 */
import { Transform, type TransformCallback, type Writable } from 'node:stream';
import type { JsonFlaw } from '../../../kit/text/json-scan.ts';
import { findJsonFlaw } from '../../../kit/text/strict-json.ts';
import { parseError } from '../protocol-error.ts';
import { invalidRequest, type MessageFault, messageFault, type RpcError } from './message-fault.ts';

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

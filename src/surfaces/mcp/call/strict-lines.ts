/**
 * Stands before the library's stdio transport, which parses with `JSON.parse`: lines that two readers
 * could understand differently are answered with an error and do not reach it. Batches, which the
 * library does not know, reach it message by message.
 */
import { Transform, type TransformCallback } from 'node:stream';
import type { JsonFlaw } from '../../../kit/text/json-scan.ts';
import { findJsonFlaw } from '../../../kit/text/strict-json.ts';
import { parseError } from '../rpc-refusal.ts';

const NEWLINE = 0x0a;
const BATCH = /^\s*\[/;
const MAX_BATCH = 100;
/** A longer line is handed on unread: the library ends the connection over its size. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** The id to answer, null for a batch, undefined when nobody waits: a notification or a response. */
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

  /** `refuse` gets the line to answer with, its newline included. */
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
    if (from < chunk.length) this.#keep(chunk.subarray(from));
    done();
  }

  override _flush(done: TransformCallback): void {
    this.push(this.#gathered());
    done();
  }

  #keep(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#size += piece.length;
    if (this.#size > MAX_LINE_BYTES) this.push(this.#gathered());
  }

  #gathered(): Buffer {
    const whole = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#size = 0;
    return whole ?? Buffer.alloc(0);
  }

  #take(end: Buffer): void {
    this.#pieces.push(end);
    const bytes = this.#gathered();
    const line = bytes.toString('utf8');
    const flaw = findJsonFlaw(line);
    // What is no JSON at all is dropped by the library, as the protocol has it.
    if (flaw !== undefined && flaw.kind !== 'syntax') this.#answer(line, flaw);
    else if (flaw === undefined && BATCH.test(line)) this.#takeBatch(line);
    else this.push(bytes);
  }

  /** Protocol 2025-03-26: a batch is answered like its messages, one by one. */
  #takeBatch(line: string): void {
    const messages = JSON.parse(line) as readonly unknown[];
    if (messages.length === 0 || messages.length > MAX_BATCH) {
      const message = `Invalid Request: a batch holds 1 to ${MAX_BATCH} messages`;
      this.#refuse(
        `${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message } })}\n`,
      );
      return;
    }
    for (const message of messages) this.push(`${JSON.stringify(message)}\n`);
  }

  #answer(line: string, flaw: JsonFlaw): void {
    let id: string | number | null | undefined = null;
    try {
      id = idToAnswer(line);
    } catch {
      // No JSON behind the flaw: nobody can be told by id.
    }
    if (id === undefined) return;
    this.#refuse(`${JSON.stringify({ jsonrpc: '2.0', id, error: parseError(flaw) })}\n`);
  }
}

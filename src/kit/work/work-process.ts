/**
 * The process that works on callers' data, both sides of it: its program, and one request to it. A
 * message is a length of four bytes and what `v8.serialize` made: for long texts that is many times
 * faster than JSON.
 */
import { deserialize, serialize } from 'node:v8';
import type { ErrorCode, ErrorExtras } from '../../contract/errors.ts';
import { startParentWatch } from './parent-watch.ts';
import type { PooledProcess } from './process-pool.ts';

/**
 * Gives the program as text, so that it starts the same way from sources, from the package and out of
 * a bundle. It reads a message, loads the work module that it names, and answers with a message.
 */
export const workProgram = (): string => `
'use strict';
const { readSync, writeSync } = require('node:fs');
const { deserialize, serialize } = require('node:v8');
${startParentWatch()};
const read = (size) => {
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size; ) {
    const count = readSync(0, bytes, at, size - at, null);
    if (count === 0) process.exit(0);
    at += count;
  }
  return bytes;
};
const write = (bytes) => {
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
};
const answerTo = async ({ file, input }) => {
  try {
    const { prepare } = await import(file);
    const work = await prepare(input);
    return { value: await work() };
  } catch (error) {
    if (error?.name === 'ToolFailure') {
      return { failure: { code: error.code, message: error.message, extras: error.extras } };
    }
    if (error?.name === 'RangeError') return { deep: true };
    return { broken: String(error?.stack ?? error) };
  }
};
(async () => {
  for (;;) {
    const answer = serialize(await answerTo(deserialize(read(read(4).readUInt32LE(0)))));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(answer.length, 0);
    write(length);
    write(answer);
  }
})();
`;

const MAX_ANSWER_BYTES = 128 * 1024 * 1024;
const HEADER_BYTES = 4;

export type WorkAnswer =
  | { readonly value: unknown }
  | {
      readonly failure: {
        readonly code: ErrorCode;
        readonly message: string;
        readonly extras: ErrorExtras;
      };
    }
  | { readonly deep: true }
  /** An error that no work should end with. */
  | { readonly broken: string };

/** Collects pieces to a whole message. Throws for one that is longer than allowed. */
const createReader = (): ((piece: Buffer) => Buffer | undefined) => {
  const pieces: Buffer[] = [];
  let size = 0;
  return (piece) => {
    pieces.push(piece);
    size += piece.length;
    if (size < HEADER_BYTES) return undefined;
    if (pieces[0] && pieces[0].length < HEADER_BYTES)
      pieces.splice(0, pieces.length, Buffer.concat(pieces));
    const length = pieces[0]?.readUInt32LE(0) ?? 0;
    if (length > MAX_ANSWER_BYTES) throw new RangeError('The answer is too long.');
    return size < HEADER_BYTES + length ? undefined : Buffer.concat(pieces).subarray(HEADER_BYTES);
  };
};

const send = (child: PooledProcess, message: unknown): void => {
  const bytes = serialize(message);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(bytes.length, 0);
  child.stdin.write(header);
  child.stdin.write(bytes);
};

/**
 * Sends one message and resolves with the answer. Resolves with `undefined` when the process ended,
 * wrote too much, or the signal came first: the caller has to end it then.
 */
export const askWork = (
  child: PooledProcess,
  message: unknown,
  stop: AbortSignal,
): Promise<WorkAnswer | undefined> =>
  new Promise((resolve) => {
    const read = createReader();
    const finish = (answer?: WorkAnswer): void => {
      child.stdout.off('data', onData);
      child.off('close', onEnd);
      stop.removeEventListener('abort', onEnd);
      resolve(answer);
    };
    const onEnd = (): void => finish();
    const onData = (piece: Buffer): void => {
      try {
        const whole = read(piece);
        if (whole) finish(deserialize(whole) as WorkAnswer);
      } catch {
        finish();
      }
    };
    child.stdout.on('data', onData);
    child.once('close', onEnd);
    stop.addEventListener('abort', onEnd, { once: true });
    if (stop.aborted) onEnd();
    else send(child, message);
  });

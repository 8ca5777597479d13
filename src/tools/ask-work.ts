/** Sends one message to a process of `workProgram` and hears its answer. */
import { deserialize, serialize } from 'node:v8';
import type { ErrorCode, ErrorExtras } from '../contract/errors.ts';
import type { CompilerProcess } from './compiler-processes.ts';

const MAX_ANSWER_BYTES = 128 * 1024 * 1024;
const HEAD = 4;

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

/** Returns whole messages; throws for one that is longer than allowed. */
const createReader = (): ((piece: Buffer) => Buffer | undefined) => {
  const pieces: Buffer[] = [];
  let size = 0;
  return (piece) => {
    pieces.push(piece);
    size += piece.length;
    if (size < HEAD) return undefined;
    if (pieces[0] && pieces[0].length < HEAD)
      pieces.splice(0, pieces.length, Buffer.concat(pieces));
    const length = pieces[0]?.readUInt32LE(0) ?? 0;
    if (length > MAX_ANSWER_BYTES) throw new RangeError('The answer is too long.');
    return size < HEAD + length ? undefined : Buffer.concat(pieces).subarray(HEAD);
  };
};

const send = (child: CompilerProcess, message: unknown): void => {
  const bytes = serialize(message);
  const head = Buffer.alloc(HEAD);
  head.writeUInt32LE(bytes.length, 0);
  child.stdin.write(head);
  child.stdin.write(bytes);
};

/** `undefined` when the process ended, said too much, or the signal came first: it has to be ended then. */
export const askWork = (
  child: CompilerProcess,
  message: unknown,
  stop: AbortSignal,
): Promise<WorkAnswer | undefined> =>
  new Promise((resolve) => {
    const read = createReader();
    const finish = (answer?: WorkAnswer): void => {
      child.stdout.off('data', hear);
      child.off('close', gone);
      stop.removeEventListener('abort', gone);
      resolve(answer);
    };
    const gone = (): void => finish();
    const hear = (piece: Buffer): void => {
      try {
        const whole = read(piece);
        if (whole) finish(deserialize(whole) as WorkAnswer);
      } catch {
        finish();
      }
    };
    child.stdout.on('data', hear);
    child.once('close', gone);
    stop.addEventListener('abort', gone, { once: true });
    if (stop.aborted) gone();
    else send(child, message);
  });

/** Makes single calls on a connection. Messages are bytes here; an abort reaches the server. */
import type { Client, ClientReadableStream, ClientUnaryCall, Metadata } from '@grpc/grpc-js';

export interface CallRequest {
  readonly path: string;
  readonly message: Buffer;
  readonly metadata: Metadata;
  /** When the call ends without an answer, in milliseconds. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

const same = (bytes: Buffer): Buffer => bytes;

/** Cancels the call when the signal aborts; the result takes that back. */
const followSignal = (signal: AbortSignal, call: { cancel(): void }): (() => void) => {
  const cancel = (): void => call.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  return () => signal.removeEventListener('abort', cancel);
};

/** Rejects with the status of the server. */
export const callUnary = (client: Client, request: CallRequest): Promise<Buffer> => {
  const { path, message, metadata, deadline, signal } = request;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    let forget = (): void => undefined;
    const call: ClientUnaryCall = client.makeUnaryRequest(
      path,
      same,
      same,
      message,
      metadata,
      { deadline },
      (error: Error | null, answer?: Buffer) => {
        forget();
        if (error) reject(error);
        else resolve(answer ?? Buffer.alloc(0));
      },
    );
    forget = followSignal(signal, call);
  });
};

/**
 * Hands over the messages of a stream one by one, until `take` returns false; the rest is
 * cancelled. Rejects with the status of the server.
 */
export const callStream = async (
  client: Client,
  request: CallRequest,
  take: (message: Buffer) => boolean,
): Promise<void> => {
  const { path, message, metadata, deadline, signal } = request;
  signal.throwIfAborted();
  const stream: ClientReadableStream<Buffer> = client.makeServerStreamRequest(
    path,
    same,
    same,
    message,
    metadata,
    { deadline },
  );
  // The loop tells of errors; one that comes after it must not end the process.
  stream.on('error', () => undefined);
  const forget = followSignal(signal, stream);
  try {
    for await (const bytes of stream) if (!take(bytes as Buffer)) return;
  } finally {
    forget();
    stream.cancel();
  }
};

/**
 * Sends tool calls over a pipe past the SDK: one line out, and its answer and progress picked from the
 * output of the server. The SDK uses the same connection for everything else and never sees these messages.
 * Saves 0.1 ms of processor time a call (0.27 ms in place of 0.38, measured with an echo server).
 */
import type { Timer } from '../../../contract/runtime.ts';
import type { TraceContext } from '../../../contract/telemetry.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The SDK counts its own requests from 0 and never reaches this; it fits 32 bits, which some servers need. */
const FIRST_ID = 1_000_000_000;

export interface DirectPipe {
  /** Calls back when the line is written or failed. Throws when there is no connection. */
  write(line: string, onWritten: (error: Error | null | undefined) => void): void;
  /** Starts a timer that never fires, to keep the process alive while a call waits. */
  hold(): Timer;
}

export interface CallParams {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

export interface CallWatch {
  readonly signal: AbortSignal;
  /** The call that questions of the server are linked to. */
  readonly call?: { readonly key: string };
  /** Sent in `_meta`, so that the spans of the server belong to the trace of the call. */
  readonly trace?: TraceContext | undefined;
  onProgress(progress: number, total: number | undefined, message: string | undefined): void;
}

interface Waiting {
  readonly watch: CallWatch;
  readonly stop: () => void;
  /** Takes the response. Must not throw. */
  answer(response: Fields): void;
  reject(error: unknown): void;
}

/** Makes an error with a code, like those of the SDK. */
const failure = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code });

/** Reads a progress token, which some servers return as text; -1 for one that is not ours. */
const tokenOf = ({ progressToken: token }: Fields): number =>
  typeof token === 'number' || typeof token === 'string' ? Number(token) || -1 : -1;

const isOptional = (value: unknown, type: 'number' | 'string'): boolean =>
  value === undefined || (type === 'number' ? Number.isFinite(value) : typeof value === type);

const isProgress = ({ progress, total, message }: Fields): boolean =>
  Number.isFinite(progress) && isOptional(total, 'number') && isOptional(message, 'string');

export class DirectCalls {
  /** Added to `_meta` of every message: fields without braces, each with a comma behind it. */
  meta = '';
  readonly #pipe: DirectPipe;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = FIRST_ID;
  #hold: Timer | undefined = undefined;

  constructor(pipe: DirectPipe) {
    this.#pipe = pipe;
  }

  /**
   * Resolves with what `read` returns for the response; `read` runs before the next message is handled.
   * Rejects with the codes of the SDK when the call is cancelled or the connection ends.
   */
  call<T>(
    params: CallParams,
    watch: CallWatch,
    read: (response: Fields) => T | Promise<T>,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const { signal } = watch;
      if (signal.aborted) throw failure('REQUEST_TIMEOUT', String(signal.reason));
      const id = this.#nextId++;
      this.#pipe.write(this.#lineOf(id, params, watch), (error) => {
        if (error) this.#take(id)?.reject(error);
      });
      const stop = (): void => this.#cancel(id);
      signal.addEventListener('abort', stop, { once: true });
      const answer = (response: Fields): void => {
        try {
          resolve(read(response));
        } catch (error) {
          reject(error);
        }
      };
      this.#add(id, { watch, stop, answer, reject });
    });
  }

  /** Handles the response to a direct call; false for any other message. */
  takeResponse(message: Fields): boolean {
    if (message.method !== undefined) return false;
    const waiting = this.#take(Number(message.id));
    waiting?.answer(message);
    return waiting !== undefined;
  }

  /** Handles progress of a direct call, also of one that has ended; false for any other message. */
  takeProgress({ method, id, params }: Fields): boolean {
    if (method !== 'notifications/progress' || id !== undefined) return false;
    const step = (params ?? {}) as Fields;
    const token = tokenOf(step);
    if (token < FIRST_ID) return false;
    const waiting = this.#waiting.get(token);
    if (waiting && isProgress(step)) reportProgress(waiting.watch, step);
    return true;
  }

  /** Rejects all calls: the connection is closed. */
  close(): void {
    for (const id of [...this.#waiting.keys()]) {
      this.#take(id)?.reject(failure('CONNECTION_CLOSED', 'Connection closed'));
    }
    this.#hold?.cancel();
    this.#hold = undefined;
  }

  #lineOf(id: number, params: CallParams, { trace }: CallWatch): string {
    const fields = JSON.stringify(params).slice(0, -1);
    const traced = trace ? `${JSON.stringify(trace).slice(1, -1)},` : '';
    const meta = `{${this.meta}${traced}"progressToken":${id}}`;
    return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${fields},"_meta":${meta}}}\n`;
  }

  #cancel(id: number): void {
    const waiting = this.#take(id);
    if (!waiting) return;
    const reason = String(waiting.watch.signal.reason);
    const meta = this.meta === '' ? '' : `,"_meta":{${this.meta.slice(0, -1)}}`;
    const params = `{"requestId":${id},"reason":${JSON.stringify(reason)}${meta}}`;
    const line = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":${params}}\n`;
    try {
      this.#pipe.write(line, () => undefined);
    } catch {
      // The server has ended.
    }
    waiting.reject(failure('REQUEST_TIMEOUT', reason));
  }

  #add(id: number, waiting: Waiting): void {
    this.#waiting.set(id, waiting);
    // The pipes of a child do not keep the process alive; a waiting call must.
    if (!this.#hold) this.#hold = this.#pipe.hold();
    else if (this.#waiting.size === 1) this.#hold.keepAlive(true);
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    if (!waiting) return undefined;
    this.#waiting.delete(id);
    waiting.watch.signal.removeEventListener('abort', waiting.stop);
    if (this.#waiting.size === 0) this.#hold?.keepAlive(false);
    return waiting;
  }
}

/** Reports progress; an error of the listener must not stop the reading of lines. */
const reportProgress = (watch: CallWatch, { progress, total, message }: Fields): void => {
  try {
    watch.onProgress(
      progress as number,
      total as number | undefined,
      message as string | undefined,
    );
  } catch {
    // The SDK drops such an error as well.
  }
};

/**
 * The short way of a tool call over a pipe: one line out, its answer and its progress picked from what
 * the server writes. The SDK has the same connection for everything else and never sees these messages.
 * Saves 0.1 ms of processor time a call (0.27 ms in place of 0.38, measured with an echo server).
 */
import type { Timer } from '../../../contract/runtime.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The SDK counts its own requests from 0 and does not get here; a server may keep ids in 32 bits. */
const FIRST_ID = 1_000_000_000;

export interface DirectPipe {
  /** `told` hears whether the line could be written. Throws when there is no connection. */
  write(line: string, told: (error: Error | null | undefined) => void): void;
  /** A timer that never fires, to hold the process while somebody waits. */
  hold(): Timer;
}

export interface CallParams {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

export interface CallWatch {
  readonly signal: AbortSignal;
  onProgress(progress: number, total: number | undefined, message: string | undefined): void;
}

interface Waiting {
  readonly watch: CallWatch;
  readonly stop: () => void;
  /** Must not throw. */
  answer(response: Fields): void;
  reject(error: unknown): void;
}

/** Told apart by its code, like the errors of the SDK. */
const failure = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code });

/** Some servers give a number back as text; -1 where it can be none of ours. */
const tokenOf = ({ progressToken: token }: Fields): number =>
  typeof token === 'number' || typeof token === 'string' ? Number(token) || -1 : -1;

const isOptional = (value: unknown, type: 'number' | 'string'): boolean =>
  value === undefined || (type === 'number' ? Number.isFinite(value) : typeof value === type);

const isProgress = ({ progress, total, message }: Fields): boolean =>
  Number.isFinite(progress) && isOptional(total, 'number') && isOptional(message, 'string');

export class DirectCalls {
  /** Goes with every message as a part of `_meta`: fields without braces, a comma behind each. */
  meta = '';
  readonly #pipe: DirectPipe;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = FIRST_ID;
  #hold: Timer | undefined = undefined;

  constructor(pipe: DirectPipe) {
    this.#pipe = pipe;
  }

  /**
   * What `read` makes of the response, which it gets while nothing else can happen to the connection.
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
      this.#pipe.write(this.#lineOf(id, params), (error) => {
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

  /** True for the response to a call of this directCalls: the server was asked for it. */
  takeResponse(message: Fields): boolean {
    if (message.method !== undefined) return false;
    const waiting = this.#take(Number(message.id));
    waiting?.answer(message);
    return waiting !== undefined;
  }

  /** True for progress of a call of this directCalls, also of one that is over. */
  takeProgress({ method, id, params }: Fields): boolean {
    if (method !== 'notifications/progress' || id !== undefined) return false;
    const step = (params ?? {}) as Fields;
    const token = tokenOf(step);
    if (token < FIRST_ID) return false;
    const waiting = this.#waiting.get(token);
    if (waiting && isProgress(step)) tell(waiting.watch, step);
    return true;
  }

  /** The connection is gone; so is everybody's answer. */
  close(): void {
    for (const id of [...this.#waiting.keys()]) {
      this.#take(id)?.reject(failure('CONNECTION_CLOSED', 'Connection closed'));
    }
    this.#hold?.cancel();
    this.#hold = undefined;
  }

  #lineOf(id: number, params: CallParams): string {
    const asked = JSON.stringify(params).slice(0, -1);
    const meta = `{${this.meta}"progressToken":${id}}`;
    return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${asked},"_meta":${meta}}}\n`;
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
      // Whoever is gone need not be told.
    }
    waiting.reject(failure('REQUEST_TIMEOUT', reason));
  }

  #add(id: number, waiting: Waiting): void {
    this.#waiting.set(id, waiting);
    // The pipes of a child hold no process, but somebody who waits for an answer does.
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

/** What a listener does with it must not keep the next line from being read. */
const tell = (watch: CallWatch, { progress, total, message }: Fields): void => {
  try {
    watch.onProgress(
      progress as number,
      total as number | undefined,
      message as string | undefined,
    );
  } catch {
    // As with the SDK, which takes it for an error of the connection that nobody listens to.
  }
};

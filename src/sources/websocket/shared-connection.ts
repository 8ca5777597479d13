/**
 * The connection that all calls of a source share. It is made with the first call, made again after
 * growing pauses when it was lost, and closed when nobody used it for a while. Replies find their calls
 * by an id that nobody can guess; a reply to a call that has ended, or to none, is dropped.
 */
import { randomUUID } from 'node:crypto';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime, Timer } from '../../contract/runtime.ts';
import { FloodMeter } from './flood-meter.ts';
import { type Path, valueAt } from './message-template.ts';
import type { ConnectionEvents, OpenConnection } from './open-connection.ts';

export interface SharedDeps {
  readonly runtime: Runtime;
  readonly maxMessageBytes: number;
  readonly idleMs: number;
  readonly replyPath: Path;
}

/** What one call brings along. */
export interface SharedCall {
  readonly signal: AbortSignal;
  /** The call may be repeated although it may have arrived. */
  readonly isRepeatable: boolean;
  /** Writes the message with the id of the call. */
  text(id: string): string;
  /** Makes the connection, with what the call may reach and use. */
  connect(events: ConnectionEvents): Promise<OpenConnection>;
}

interface Waiting {
  readonly isRepeatable: boolean;
  resolve(reply: unknown): void;
  reject(reason: unknown): void;
}

const MAX_WAITING = 1000;
const MAX_UNSENT_BYTES = 16_000_000;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

const lost = (isRepeatable: boolean): ToolFailure =>
  new ToolFailure('NETWORK', 'The connection was lost before the reply came.', {
    retryable: isRepeatable,
    ...(!isRepeatable && {
      suggestions: ['Find out whether the request had an effect before you send it again.'],
    }),
  });

const unreachable = (): ToolFailure =>
  new ToolFailure('NETWORK', 'The connection to the service could not be made.');

const isCancelled = (error: unknown): boolean =>
  error instanceof ToolFailure && error.code === 'CANCELLED';

/** Settles like a promise, or rejects as soon as the signal aborts. */
const unlessAborted = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', stop));
};

export class SharedConnection {
  readonly #deps: SharedDeps;
  readonly #waiting = new Map<string, Waiting>();
  #opening: Promise<OpenConnection> | undefined = undefined;
  #current: OpenConnection | undefined = undefined;
  #idle: Timer | undefined = undefined;
  #failures = 0;
  #failure: ToolFailure = unreachable();
  #notBefore = 0;
  #isClosed = false;

  constructor(deps: SharedDeps) {
    this.#deps = deps;
  }

  get isOpen(): boolean {
    return this.#current !== undefined;
  }

  /** Rejects with NETWORK; retryable where nothing was sent, or where the call may be repeated. */
  async request(call: SharedCall): Promise<unknown> {
    if (this.#waiting.size >= MAX_WAITING) {
      throw new ToolFailure('RATE_LIMITED', 'Too many calls wait for a reply of the service.');
    }
    const connection = await unlessAborted(this.#openFor(call), call.signal);
    return this.#send(connection, call);
  }

  /** Ends the connection, and with it the calls that wait. */
  close(): void {
    this.#isClosed = true;
    this.drop();
  }

  /** Ends the connection; the next call makes another one. */
  drop(): void {
    this.#idle?.cancel();
    this.#current?.close();
  }

  /** Opens the connection for a call. If that call is cancelled meanwhile, another one opens it. */
  async #openFor(call: SharedCall): Promise<OpenConnection> {
    try {
      return await this.#open(call);
    } catch (error) {
      if (!isCancelled(error) || call.signal.aborted) throw error;
      return this.#open(call);
    }
  }

  #open(call: SharedCall): Promise<OpenConnection> {
    if (this.#isClosed)
      return Promise.reject(new ToolFailure('CANCELLED', 'The source is closed.'));
    if (this.#current) return Promise.resolve(this.#current);
    this.#opening ??= this.#connect(call).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #connect(call: SharedCall): Promise<OpenConnection> {
    const { runtime, maxMessageBytes } = this.#deps;
    this.#assertRested();
    const flood = new FloodMeter(runtime, maxMessageBytes);
    let made: OpenConnection | undefined;
    let hasEnded = false;
    const events: ConnectionEvents = {
      onMessage: (value, bytes) => this.#answer(value) || !this.#isFlooded(flood, bytes),
      onEnd: () => {
        hasEnded = true;
        if (made && this.#current === made) this.#ended();
      },
    };
    try {
      made = await call.connect(events);
    } catch (error) {
      if (!isCancelled(error)) this.#pause(error);
      throw error;
    }
    if (hasEnded || this.#isClosed) {
      made.cut();
      throw lost(true);
    }
    this.#current = made;
    this.#rest();
    return made;
  }

  #isFlooded(flood: FloodMeter, bytes: number): boolean {
    if (!flood.isFlooded(bytes)) return false;
    this.#deps.runtime.log.warn('A service was cut off: it sent too much that nobody asked for');
    return true;
  }

  #send(connection: OpenConnection, call: SharedCall): Promise<unknown> {
    call.signal.throwIfAborted();
    const id = randomUUID();
    const text = call.text(id);
    if (Buffer.byteLength(text) > this.#deps.maxMessageBytes) {
      throw new ToolFailure('VALIDATION_ERROR', 'The message to the service is too large.');
    }
    if (this.#current !== connection || connection.waiting > MAX_UNSENT_BYTES) throw lost(true);
    const reply = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, isRepeatable: call.isRepeatable });
    });
    this.#idle?.cancel();
    connection.send(text);
    return unlessAborted(reply, call.signal).finally(() => {
      this.#waiting.delete(id);
      this.#rest();
    });
  }

  /** Gives a reply to its call; false when it belongs to none. */
  #answer(value: unknown): boolean {
    const id = valueAt(value, this.#deps.replyPath);
    const waiting = typeof id === 'string' ? this.#waiting.get(id) : undefined;
    if (!waiting) return false;
    this.#waiting.delete(id as string);
    // It works: the next loss starts with a short pause again.
    this.#failures = 0;
    waiting.resolve(value);
    return true;
  }

  #ended(): void {
    this.#current = undefined;
    this.#idle?.cancel();
    if (this.#waiting.size > 0) this.#pause(lost(true));
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject, isRepeatable } of all) reject(lost(isRepeatable));
  }

  /** Repeats the last failure while the pause after it lasts: nothing is sent. */
  #assertRested(): void {
    const wait = this.#notBefore - this.#deps.runtime.elapsed();
    if (wait <= 0) return;
    const { code, message, extras } = this.#failure;
    throw new ToolFailure(code, message, { ...extras, retryAfterMs: Math.ceil(wait) });
  }

  #pause(error: unknown): void {
    const { runtime } = this.#deps;
    this.#failure = error instanceof ToolFailure ? error : unreachable();
    const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures += 1;
    // Half of it is random, so that clients that lost their server together do not come back together.
    this.#notBefore = runtime.elapsed() + pause / 2 + (pause / 2) * runtime.random();
  }

  #rest(): void {
    this.#idle?.cancel();
    if (this.#waiting.size > 0 || !this.#current) return;
    this.#idle = this.#deps.runtime.after(this.#deps.idleMs, () => this.drop());
    this.#idle.keepAlive(false);
  }
}

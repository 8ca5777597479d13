/** One open connection to a service, logged in: sends texts, hands on what arrives, and tells its end once. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime, Timer } from '../../contract/runtime.ts';
import { openPinnedWebSocket, type PinnedWebSocket } from '../../kit/http/pinned-web-socket.ts';
import { parseJson } from '../../kit/http/read-reply.ts';
import { type Path, valueAt } from './message-template.ts';

export interface LoginStep {
  readonly text: string;
  /** Without it the login counts as accepted once it is sent. */
  readonly accepted?: { readonly path: Path; readonly value: unknown };
}

export interface ConnectionTarget {
  readonly url: string;
  readonly address: string;
  readonly protocols: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly maxMessageBytes: number;
  readonly heartbeatMs: number;
  readonly login?: LoginStep;
}

export interface ConnectionEvents {
  /** Takes a message; `value` is `undefined` for what is no JSON. Returns false to cut the connection. */
  onMessage(value: unknown, bytes: number): boolean;
  /** Called once, also when the other side closes in order. */
  onEnd(): void;
}

export interface OpenConnection {
  send(text: string): void;
  /** Bytes that are not on their way yet. */
  readonly waiting: number;
  close(): void;
  cut(): void;
}

const MAX_OPEN_MS = 15_000;
const MAX_LOGIN_MS = 15_000;
/** How long the other side may take to answer a close. */
const MAX_CLOSE_MS = 2000;
const PONG = 'undici:websocket:pong';

const unreachable = (): ToolFailure =>
  new ToolFailure('NETWORK', 'The connection to the service could not be made.', {
    suggestions: ['Check its address, and that it accepts the headers and protocols.'],
  });

const notLoggedIn = (): ToolFailure =>
  new ToolFailure('AUTH_MISSING', 'The service did not accept the login.', {
    suggestions: ['Check the secrets that the setting `login` names.'],
  });

class Connection implements OpenConnection {
  readonly #pinned: PinnedWebSocket;
  readonly #events: ConnectionEvents;
  readonly #runtime: Runtime;
  #isAlive = true;
  #hasEnded = false;
  #beat: Timer | undefined = undefined;
  /** Takes the messages until the login is over. */
  #beforeLogin: ((value: unknown) => void) | undefined = undefined;

  constructor(pinned: PinnedWebSocket, events: ConnectionEvents, runtime: Runtime) {
    this.#pinned = pinned;
    this.#events = events;
    this.#runtime = runtime;
    pinned.socket.addEventListener('message', ({ data }) => this.#take(data));
    pinned.socket.addEventListener('close', () => this.#end());
    pinned.socket.addEventListener('error', () => this.cut());
    subscribe(PONG, this.#onPong);
  }

  get waiting(): number {
    return this.#pinned.socket.bufferedAmount;
  }

  opened(): Promise<void> {
    const { socket } = this.#pinned;
    return this.#within(MAX_OPEN_MS, unreachable, (resolve, reject) => {
      socket.addEventListener('open', () => resolve());
      socket.addEventListener('close', () => reject(unreachable()));
      socket.addEventListener('error', () => reject(unreachable()));
    });
  }

  /** Rejects with AUTH_MISSING when the service closes, says something else, or says nothing. */
  loggedIn({ text, accepted }: LoginStep): Promise<void> {
    this.send(text);
    if (!accepted) return Promise.resolve();
    return this.#within(MAX_LOGIN_MS, notLoggedIn, (resolve, reject) => {
      this.#pinned.socket.addEventListener('close', () => reject(notLoggedIn()));
      this.#beforeLogin = (value) => {
        const answer = valueAt(value, accepted.path);
        if (answer === undefined) return;
        this.#beforeLogin = undefined;
        if (answer === accepted.value) resolve();
        else reject(notLoggedIn());
      };
    });
  }

  /** Waits for a step of the opening, for as long as it may take. */
  #within(
    ms: number,
    failure: () => ToolFailure,
    step: (resolve: () => void, reject: (reason: ToolFailure) => void) => void,
  ): Promise<void> {
    let limit: Timer | undefined;
    return new Promise<void>((resolve, reject) => {
      limit = this.#runtime.after(ms, () => reject(failure()));
      step(resolve, reject);
    }).finally(() => limit?.cancel());
  }

  send(text: string): void {
    this.#pinned.socket.send(text);
  }

  /** Asks again and again whether the other side is there; cuts when it did not answer in between. */
  beatEvery(ms: number): void {
    this.#beat = this.#runtime.after(ms, () => {
      if (!this.#isAlive) {
        this.cut();
        return;
      }
      this.#isAlive = false;
      this.#pinned.ping();
      this.beatEvery(ms);
    });
    this.#beat.keepAlive(false);
  }

  close(): void {
    this.#pinned.socket.close();
    this.#runtime.after(MAX_CLOSE_MS, () => this.#pinned.cut()).keepAlive(false);
    this.#end();
  }

  cut(): void {
    this.#pinned.cut();
    this.#end();
  }

  readonly #onPong = (message: unknown): void => {
    if (valueAt(message, ['websocket']) === this.#pinned.socket) this.#isAlive = true;
  };

  #take(data: unknown): void {
    if (this.#hasEnded) return;
    this.#isAlive = true;
    const isText = typeof data === 'string';
    const text = isText ? data : Buffer.from(data as ArrayBuffer).toString('utf8');
    const value = parseJson(text)?.value;
    this.#beforeLogin?.(value);
    if (!this.#events.onMessage(value, text.length)) this.cut();
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#beat?.cancel();
    unsubscribe(PONG, this.#onPong);
    this.#events.onEnd();
  }
}

/** Rejects with NETWORK, or with AUTH_MISSING when the login was not accepted. */
export const openConnection = async (
  target: ConnectionTarget,
  events: ConnectionEvents,
  runtime: Runtime,
): Promise<OpenConnection> => {
  const connection = new Connection(await openPinnedWebSocket(target), events, runtime);
  try {
    await connection.opened();
    if (target.login) await connection.loggedIn(target.login);
  } catch (error) {
    connection.cut();
    throw error;
  }
  connection.beatEvery(target.heartbeatMs);
  return connection;
};

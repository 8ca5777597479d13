/**
 * Opens the connections of one process to Redis. A connection that is lost is made again by itself;
 * a command that needs it fails within seconds, and the work on jobs waits for it.
 */
import type { Redis, RedisOptions } from 'ioredis';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { parseUrl } from '../../kit/http/parse-url.ts';
import { failureWords, redisFailure } from './redis-failure.ts';
import { defineScripts } from './redis-scripts.ts';

/** How long a command waits for a connection that is not there. */
const READY_MS = 3_000;
const COMMAND_MS = 10_000;
const MAX_RETRY_MS = 2_000;

export interface ConnectionDeps {
  readonly Redis: typeof import('ioredis').Redis;
  readonly runtime: Runtime;
}

const invalidAddress = (): ToolFailure =>
  new ToolFailure('CONFIG_INVALID', 'The address of the queue is no Redis address.', {
    suggestions: ['Write redis://user:<password>@host:port/0, or rediss:// for TLS.'],
  });

/** Returns host and port of an address. Throws CONFIG_INVALID for anything that is no Redis address. */
export const placeOfAddress = (address: string): string => {
  const url = parseUrl(address);
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || url.hostname === '') {
    throw invalidAddress();
  }
  return `${url.hostname}:${url.port || '6379'}`;
};

type ClientOptions = Omit<RedisOptions, 'replyMapping'>;

const SHARED: ClientOptions = {
  lazyConnect: true,
  protocol: 2,
  connectTimeout: 5_000,
  connectionName: 'toolcrib',
  retryStrategy: (times) => Math.min(50 * times, MAX_RETRY_MS),
};

/** Answers a command at once when there is no connection, and after a while when there is no answer. */
const FOR_COMMANDS: ClientOptions = {
  ...SHARED,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  commandTimeout: COMMAND_MS,
};

/** Waits for Redis as long as it takes; BullMQ asks for this. */
const FOR_WORKERS: ClientOptions = { ...SHARED, maxRetriesPerRequest: null };

/** Logs the begin and the end of an outage, and not each attempt in between. */
const watch = (client: Redis, runtime: Runtime, place: string): { last(): unknown } => {
  let last: unknown;
  let isDown = false;
  const fail = (words: string): void => {
    if (!isDown) runtime.log.warn(`Redis at ${place} ${words}.`);
    isDown = true;
  };
  client.on('error', (error: unknown) => {
    last = error;
    fail(failureWords(error));
  });
  client.on('reconnecting', () => fail('has closed the connection'));
  client.on('ready', () => {
    last = undefined;
    if (isDown) runtime.log.info(`Redis at ${place} is back.`);
    isDown = false;
  });
  return { last: () => last };
};

const isRefusal = (error: unknown): boolean => !/cannot be reached/.test(failureWords(error));

const connect = (client: Redis): void => {
  if (client.status === 'wait' || client.status === 'end') client.connect().catch(() => undefined);
};

export class RedisConnections {
  /** Host and port, for messages. */
  readonly place: string;
  /** For commands of callers, which must not hang. */
  readonly client: Redis;
  readonly #address: string;
  readonly #deps: ConnectionDeps;
  readonly #opened: Redis[] = [];
  readonly #lastError: () => unknown;
  #workers: Redis | undefined;
  /** One wait for all that ask. */
  #becoming: Promise<void> | undefined;
  #isClosed = false;

  constructor(address: string, deps: ConnectionDeps) {
    this.place = placeOfAddress(address);
    this.#address = address;
    this.#deps = deps;
    const { client, last } = this.#open(FOR_COMMANDS);
    this.client = client;
    this.#lastError = last;
  }

  /** For workers, which wait until Redis is back. Opened with the first call. */
  workerClient(): Redis {
    this.#workers ??= this.#open(FOR_WORKERS).client;
    connect(this.#workers);
    return this.#workers;
  }

  /** Calls back with each message of a channel, over a connection of its own. */
  subscribe(channel: string, onMessage: (message: string) => void): void {
    const { client } = this.#open(FOR_WORKERS);
    client.on('message', (_, message: string) => onMessage(message));
    // Kept until the connection is there, and repeated by the client after each outage.
    client.subscribe(channel).catch(() => undefined);
  }

  /** Resolves when the connection for commands is there. Rejects with STORE_UNAVAILABLE. */
  async ready(): Promise<void> {
    if (this.client.status === 'ready' || this.#isClosed) return;
    this.#becoming ??= this.#becomesReady().finally(() => {
      this.#becoming = undefined;
    });
    await this.#becoming;
  }

  close(): void {
    this.#isClosed = true;
    for (const client of this.#opened) client.disconnect();
  }

  #open(options: ClientOptions): { client: Redis; last(): unknown } {
    const { Redis: Client, runtime } = this.#deps;
    const client = new Client(this.#address, options);
    this.#opened.push(client);
    defineScripts(client);
    return { client, ...watch(client, runtime, this.place) };
  }

  #becomesReady(): Promise<void> {
    const { client, place } = this;
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void): void => {
        timer.cancel();
        client.off('ready', onReady);
        client.off('error', onError);
        settle();
      };
      const onReady = (): void => finish(resolve);
      const onError = (error: unknown): void => {
        if (isRefusal(error)) finish(() => reject(redisFailure(error, place)));
      };
      const timer = this.#deps.runtime.after(READY_MS, () =>
        finish(() => reject(redisFailure(this.#lastError(), place))),
      );
      client.once('ready', onReady);
      client.on('error', onError);
      connect(client);
    });
  }
}

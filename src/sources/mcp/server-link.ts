/**
 * The one connection to a server, shared by all who use it: made when it is needed, looked after while
 * it stands, made again with growing pauses when it breaks, given up for a while when it keeps breaking.
 */
import { randomUUID } from 'node:crypto';
import { ToolFailure } from '../../contract/errors.ts';
import type { Timer } from '../../contract/runtime.ts';
import type { ServerList, ServerState } from '../../contract/servers.ts';
import { abortable } from './abortable.ts';
import { type Connection, connectServer } from './connect-server.ts';
import { RestartPolicy } from './restart-policy.ts';
import { isLoginNeeded, loginNeeded, shortReasonOf } from './server-failure.ts';
import type { McpDeps, ServerSettings } from './server-settings.ts';
import { isInstaller, startLimit } from './start-limit.ts';
import { createStderrTail } from './stdio/stderr-tail.ts';
import type { Watchdog } from './stdio/watchdog.ts';

const PING_MS = 5000;
/** How long the end of the program waits for an installer: cut off, it leaves a broken cache. */
const INSTALL_PATIENCE_MS = 60_000;

export interface LinkEvents {
  /** Stands and may be listed; also when the server says that its tools have changed. */
  onReady(connection: Connection): Promise<void>;
  onToolsChanged(): void;
  onListChanged(list: ServerList): void;
  onResourceUpdated(uri: string): void;
  /** True while somebody waits for what the server may tell: it is not let go. */
  isAwaited?(): boolean;
}

export class ServerLink {
  readonly settings: ServerSettings;
  readonly stderr;
  state: ServerState;
  restarts = 0;
  lastError: string | undefined = undefined;
  latencyMs: number | undefined = undefined;
  startedAt: number | undefined = undefined;
  readonly #deps: McpDeps;
  readonly #watchdog: Watchdog;
  readonly #events: LinkEvents;
  #connection: Connection | undefined = undefined;
  #starting: Promise<Connection> | undefined = undefined;
  readonly #policy: RestartPolicy;
  #inFlight = 0;
  #garbage = 0;
  #lastUse = 0;
  #timer: Timer | undefined = undefined;
  #restartTimer: Timer | undefined = undefined;
  #closed = false;
  /** A first start may have to load packages, later ones find them. */
  #hasStood = false;
  #stopStarting: (() => void) | undefined = undefined;

  constructor(
    settings: ServerSettings,
    deps: McpDeps,
    { watchdog, ...events }: LinkEvents & { readonly watchdog: Watchdog },
  ) {
    this.settings = settings;
    this.#deps = deps;
    this.#watchdog = watchdog;
    this.#events = events;
    this.#policy = new RestartPolicy(settings.maxRestarts, deps.runtime);
    this.state = settings.enabled ? 'idle' : 'disabled';
    this.stderr = createStderrTail(deps.redact, deps.redactStream);
  }

  get connection(): Connection | undefined {
    return this.#connection;
  }

  /** Runs work on the connection, which is made if need be. Waits no longer than the signal allows. */
  async use<T>(signal: AbortSignal, work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = this.#connection ?? (await this.#ready(signal));
    this.#inFlight += 1;
    try {
      return await work(connection);
    } catch (error) {
      if (signal.aborted) void this.check().catch(() => undefined);
      throw cutOff(connection, this.settings.name) ?? error;
    } finally {
      this.#inFlight -= 1;
      this.#lastUse = this.#deps.runtime.elapsed();
    }
  }

  /** Whether it still answers. One that does not is ended, and started again like one that died. */
  async check(): Promise<void> {
    const connection = this.#connection;
    if (!connection) return;
    const { runtime } = this.#deps;
    const from = runtime.elapsed();
    try {
      const { client, isModern } = connection;
      await (isModern ? client.discover({ timeout: PING_MS }) : client.ping({ timeout: PING_MS }));
      this.latencyMs = runtime.elapsed() - from;
    } catch (error) {
      if (this.#connection !== connection) return;
      this.#lost(connection, `it does not answer (${shortReasonOf(error)})`);
      throw error;
    }
  }

  /** Ends what there is and starts afresh, also when it was given up. */
  async restart(): Promise<void> {
    if (!this.settings.enabled) throw this.#notRunning();
    this.#restartTimer?.cancel();
    await this.#starting?.catch(() => undefined);
    await this.#drop();
    this.#policy.forgive();
    this.state = 'restarting';
    await this.#start();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    this.#restartTimer?.cancel();
    await this.#endStart();
    await this.#drop();
    this.state = this.settings.enabled ? 'idle' : 'disabled';
  }

  async #ready(signal: AbortSignal): Promise<Connection> {
    if (this.#connection) return this.#connection;
    if (this.#closed || this.state === 'disabled') throw this.#notRunning();
    const { wait, hasGivenUp } = this.#policy;
    if (!this.#starting && wait > 0) {
      if (hasGivenUp) throw this.#resting(wait);
      await this.#pause(wait, signal);
      return this.#ready(signal);
    }
    return abortable(this.#start(), signal);
  }

  #start(): Promise<Connection> {
    this.#starting ??= this.#connect().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #connect(): Promise<Connection> {
    this.#restartTimer?.cancel();
    if (this.state === 'restarting' || this.state === 'open') this.restarts += 1;
    this.state = 'starting';
    const connection = await this.#reach();
    if (this.#closed) {
      // The end of the program waited for an installer: what was loaded is listed, for the next time.
      await this.#events.onReady(connection).catch(() => undefined);
      await connection.client.close();
      throw this.#notRunning();
    }
    const { runtime } = this.#deps;
    this.#connection = connection;
    this.#hasStood = true;
    this.state = 'ready';
    this.startedAt = runtime.now();
    this.#lastUse = runtime.elapsed();
    this.#watch(runtime.elapsed());
    try {
      await this.#events.onReady(connection);
    } catch (error) {
      const cause = cutOff(connection, this.settings.name) ?? error;
      this.#lost(connection, shortReasonOf(cause));
      throw cause;
    }
    return connection;
  }

  async #reach(): Promise<Connection> {
    try {
      const connection: Connection = await connectServer(this.settings, this.#deps, {
        watchdog: this.#watchdog,
        mark: randomUUID(),
        startLimitMs: startLimit(this.settings, this.#hasStood),
        stopped: this.#stopped(),
        tail: this.stderr,
        onGarbage: () => this.#noteGarbage(),
        onToolsChanged: () => this.#events.onToolsChanged(),
        onListChanged: (list) => this.#events.onListChanged(list),
        onResourceUpdated: (uri) => this.#events.onResourceUpdated(uri),
        onClosed: () => this.#lost(connection, endOf(connection)),
      });
      return connection;
    } catch (error) {
      if (!this.#closed) {
        this.#failed(error);
        this.#startLater();
      }
      const isForeign = isLoginNeeded(error) && !(error instanceof ToolFailure);
      throw isForeign ? loginNeeded(this.settings.name) : error;
    }
  }

  /** Looks in from time to time: at a server that is not used for long it lets go. */
  #watch(since: number): void {
    const { healthCheckIntervalMs, idleMs } = this.settings;
    this.#timer?.cancel();
    this.#timer = this.#deps.runtime.after(Math.min(healthCheckIntervalMs, idleMs), () => {
      const now = this.#deps.runtime.elapsed();
      this.#policy.noteStanding(since);
      const isAwaited = this.#events.isAwaited?.() === true;
      if (this.#inFlight === 0 && !isAwaited && now - this.#lastUse >= idleMs) {
        void this.#drop();
        this.state = 'idle';
        return;
      }
      this.#watch(since);
      if (this.#inFlight === 0) this.check().catch(() => undefined);
    });
    this.#timer.keepAlive(false);
  }

  /** It stood and is gone: it is started again by itself. */
  #lost(connection: Connection, reason: string): void {
    if (this.#connection !== connection) return;
    void this.#drop();
    if (this.#closed) return;
    this.#failed(new Error(reason));
    this.#startLater();
  }

  /** Tries again by itself after the pause, unless the server is given up or waits for a login. */
  #startLater(): void {
    if (this.state !== 'restarting' || this.#closed) return;
    this.#restartTimer?.cancel();
    this.#restartTimer = this.#deps.runtime.after(Math.max(1, this.#policy.wait), () => {
      this.#start().catch(() => undefined);
    });
    this.#restartTimer.keepAlive(false);
  }

  /** Ends a start that is under way. One that installs packages gets the time to finish. */
  async #endStart(): Promise<void> {
    const starting = this.#starting?.catch(() => undefined);
    if (!starting) return;
    if (!this.#hasStood && isInstaller(this.settings)) {
      const patience = new AbortController();
      const timer = this.#deps.runtime.after(INSTALL_PATIENCE_MS, () => patience.abort());
      await abortable(starting, patience.signal).catch(() => undefined);
      timer.cancel();
    }
    this.#stopStarting?.();
    await starting;
  }

  #stopped(): Promise<never> {
    const stopped = new Promise<never>((_, reject) => {
      this.#stopStarting = () => reject(this.#notRunning());
    });
    // Nobody may be waiting for it any more.
    stopped.catch(() => undefined);
    return stopped;
  }

  #failed(error: unknown): void {
    const { name } = this.settings;
    this.lastError = this.#deps.redact(shortReasonOf(error));
    if (isLoginNeeded(error)) {
      this.state = 'needs_login';
      return;
    }
    this.#policy.noteFailure();
    const gaveUp = this.#policy.hasGivenUp;
    this.state = gaveUp ? 'open' : 'restarting';
    this.#deps.runtime.log.warn('An MCP server failed', {
      server: name,
      reason: this.lastError,
      gaveUp,
    });
  }

  async #drop(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    this.startedAt = undefined;
    this.#timer?.cancel();
    await connection?.client.close().catch(() => undefined);
    // The client forgets its transport when that is closed from the other side.
    await connection?.transport.close().catch(() => undefined);
  }

  #noteGarbage(): void {
    this.#garbage += 1;
    if (this.#garbage === 1) {
      const { name: server } = this.settings;
      this.#deps.runtime.log.warn('An MCP server writes lines that are no messages', { server });
    }
    this.lastError = `${this.#garbage} lines on stdout were no messages`;
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    const over = new Promise<void>((resolve) => this.#deps.runtime.after(ms, resolve));
    return abortable(over, signal);
  }

  #resting(wait: number): ToolFailure {
    const { name } = this.settings;
    return new ToolFailure('CIRCUIT_OPEN', `The MCP server ${name} failed too often and rests.`, {
      retryAfterMs: Math.ceil(wait),
      suggestions: [`Look at it with: toolcrib servers logs ${name}`],
    });
  }

  #notRunning(): ToolFailure {
    const { name } = this.settings;
    return new ToolFailure('SERVER_ERROR', `The MCP server ${name} is switched off.`, {
      retryable: false,
      suggestions: [`Switch it on: toolcrib servers enable ${name}`],
    });
  }
}

const endOf = ({ transport }: Connection): string =>
  transport.failure?.message ?? transport.cut ?? transport.end ?? 'the connection was closed';

/** A call that died of an answer that was too large, or of a limit, fails for that reason. */
const cutOff = ({ transport }: Connection, server: string): ToolFailure | undefined =>
  transport.failure ??
  (transport.cut === 'message too large'
    ? new ToolFailure(
        'OUTPUT_TOO_LARGE',
        `The MCP server ${server} sent a message that is too large.`,
      )
    : undefined);

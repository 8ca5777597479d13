/**
 * The one connection to a server, shared by all its users: made when it is needed, checked while it is
 * open, made again with growing pauses when it breaks, and given up for a while when it keeps breaking.
 */
import { randomUUID } from 'node:crypto';
import { ToolFailure } from '../../contract/errors.ts';
import type { Timer } from '../../contract/runtime.ts';
import type { ServerList, ServerState } from '../../contract/servers.ts';
import { type Connection, connectServer } from './connect-server.ts';
import { ConnectionUses, closeConnection } from './connection-uses.ts';
import { abortable, PendingStart } from './pending-start.ts';
import { RestartPolicy } from './restart-policy.ts';
import {
  cutOffFailure,
  isLoginNeeded,
  isSessionGone,
  loginNeeded,
  mayLackSession,
  serverResting,
  serverSwitchedOff,
  shortReasonOf,
} from './server-failure.ts';
import type { McpDeps, ServerSettings } from './server-settings.ts';
import { isInstaller, startLimit } from './start-limit.ts';
import { createStderrTail } from './stdio/stderr-tail.ts';
import type { Watchdog } from './stdio/watchdog.ts';

const PING_MS = 5000;
/** How long `close` waits for an installer: killed half-way, it leaves a broken cache. */
const INSTALL_PATIENCE_MS = 60_000;

export interface LinkEvents {
  /** Called when the connection is open. Its failure closes the connection. */
  onReady(connection: Connection): Promise<void>;
  onToolsChanged(): void;
  onListChanged(list: ServerList): void;
  onResourceUpdated(uri: string): void;
  onMessage?(params: { readonly level?: unknown; readonly data?: unknown }): void;
  /** Tells whether a subscription waits for updates: an idle server is then kept. */
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
  readonly #starting = new PendingStart<Connection>();
  readonly #policy: RestartPolicy;
  #inFlight = 0;
  readonly #uses = new ConnectionUses();
  #garbage = 0;
  #lastUse = 0;
  #timer: Timer | undefined = undefined;
  #restartTimer: Timer | undefined = undefined;
  #closed = false;
  /** Connections whose session a new one has replaced, without counting as a failure. */
  readonly #renewed = new WeakSet<Connection>();
  /** The first start may have to load packages; later ones find them. */
  #hasBeenReady = false;

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

  /**
   * Runs work on the connection, which is made if needed. Waits no longer than the signal allows. A
   * server that has forgotten the session has not read the request: it is sent once more in a new one.
   */
  async use<T>(signal: AbortSignal, work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = this.#connection ?? (await this.#ready(signal));
    this.#uses.hold(connection);
    try {
      return await this.#run(connection, signal, work);
    } catch (error) {
      if (!(await this.#lacksSession(connection, error, signal))) throw error;
    } finally {
      this.#release(connection);
    }
    return this.#run(await this.#ready(signal), signal, work);
  }

  async #run<T>(
    connection: Connection,
    signal: AbortSignal,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    this.#inFlight += 1;
    this.#uses.hold(connection);
    try {
      return await work(connection);
    } catch (error) {
      if (signal.aborted) void this.check().catch(() => undefined);
      throw cutOffFailure(connection.transport, this.settings.name) ?? error;
    } finally {
      this.#inFlight -= 1;
      this.#release(connection);
      this.#lastUse = this.#deps.runtime.elapsed();
    }
  }

  /** Checks that the server still answers. One that does not is ended and started again. */
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
      const isForgotten = mayLackSession(error, connection.transport.sessionId);
      if (isForgotten && this.#renew(connection)) return;
      this.#lost(connection, `it does not answer (${shortReasonOf(error)})`);
      throw error;
    }
  }

  /**
   * Tells whether the server has not read the request because it has forgotten the session, which is
   * replaced then. Only a ping that is refused as well tells so: the refusal may be for the request itself.
   */
  async #lacksSession(
    connection: Connection,
    error: unknown,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { client, transport } = connection;
    const isOver = () => signal.aborted || this.#closed;
    if (isOver() || !mayLackSession(error, transport.sessionId)) return false;
    // A ping of a replaced session tells nothing, and a 400 may be the answer of a tool that ran.
    if (this.#connection !== connection) return isSessionGone(error) && this.#renew(connection);
    try {
      await client.ping({ timeout: PING_MS, signal });
      return false;
    } catch (refusal) {
      const isForgotten = !isOver() && mayLackSession(refusal, transport.sessionId);
      return isForgotten && this.#renew(connection);
    }
  }

  /**
   * Opens a new session in place of one that the server has forgotten, which is no failure of it. False
   * where it happens often: that is one. What still runs on the old connection may get its answer.
   */
  #renew(connection: Connection): boolean {
    if (this.#connection !== connection) return this.#renewed.has(connection);
    this.#connection = undefined;
    this.startedAt = undefined;
    this.#timer?.cancel();
    if (!this.#uses.has(connection)) void closeConnection(connection);
    if (this.#closed) return false;
    if (!this.#policy.noteRenewal()) {
      this.#failed(new Error('it has forgotten its session again'));
      this.#startLater();
      return false;
    }
    this.#renewed.add(connection);
    this.state = 'idle';
    this.#start().catch(() => undefined);
    return true;
  }

  /** Ends one use of a connection, and a replaced connection with its last use. */
  #release(connection: Connection): void {
    const isLast = this.#uses.release(connection);
    if (isLast && this.#connection !== connection) void closeConnection(connection);
  }

  /** Ends the connection and starts again, also when the server was given up. */
  async restart(): Promise<void> {
    if (!this.settings.enabled) throw serverSwitchedOff(this.settings.name);
    this.#restartTimer?.cancel();
    await this.#starting.settled();
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
    await this.#uses.close();
    this.state = this.settings.enabled ? 'idle' : 'disabled';
  }

  async #ready(signal: AbortSignal): Promise<Connection> {
    if (this.#connection) return this.#connection;
    if (this.#closed || this.state === 'disabled') throw serverSwitchedOff(this.settings.name);
    const { wait, hasGivenUp } = this.#policy;
    if (!this.#starting.isRunning && wait > 0) {
      if (hasGivenUp) throw serverResting(this.settings.name, wait);
      await this.#pause(wait, signal);
      return this.#ready(signal);
    }
    return abortable(this.#start(), signal);
  }

  #start(): Promise<Connection> {
    return this.#starting.run((stopped) => this.#connect(stopped));
  }

  async #connect(stopped: Promise<never>): Promise<Connection> {
    this.#restartTimer?.cancel();
    if (this.state === 'restarting' || this.state === 'open') this.restarts += 1;
    this.state = 'starting';
    const connection = await this.#reach(stopped);
    if (this.#closed) {
      // `close` waited for an installer: list what it loaded, for the next start.
      await this.#events.onReady(connection).catch(() => undefined);
      await connection.client.close();
      throw serverSwitchedOff(this.settings.name);
    }
    this.#open(connection);
    try {
      await this.#events.onReady(connection);
    } catch (error) {
      const cause = cutOffFailure(connection.transport, this.settings.name) ?? error;
      this.#lost(connection, shortReasonOf(cause));
      if (!this.#renewed.has(connection)) throw cause;
    }
    // Forgotten while it was listed: those who wait for this start get the next session.
    return this.#renewed.has(connection) ? this.#connect(stopped) : connection;
  }

  #open(connection: Connection): void {
    const { runtime } = this.#deps;
    this.#connection = connection;
    this.#hasBeenReady = true;
    this.state = 'ready';
    this.startedAt = runtime.now();
    this.#lastUse = runtime.elapsed();
    this.#watch(this.#lastUse);
  }

  async #reach(stopped: Promise<never>): Promise<Connection> {
    try {
      const connection: Connection = await connectServer(this.settings, this.#deps, {
        watchdog: this.#watchdog,
        mark: randomUUID(),
        startLimitMs: startLimit(this.settings, this.#hasBeenReady),
        stopped,
        tail: this.stderr,
        onGarbage: () => this.#noteGarbage(),
        onToolsChanged: () => this.#events.onToolsChanged(),
        onListChanged: (list) => this.#events.onListChanged(list),
        onResourceUpdated: (uri) => this.#events.onResourceUpdated(uri),
        onMessage: (params) => this.#events.onMessage?.(params),
        onClosed: () => this.#lost(connection, endOf(connection)),
      });
      return connection;
    } catch (error) {
      if (!this.#closed) {
        this.#failed(error);
        this.#startLater();
      }
      const isSdkError = isLoginNeeded(error) && !(error instanceof ToolFailure);
      throw isSdkError ? loginNeeded(this.settings.name) : error;
    }
  }

  /** Checks the server from time to time, and ends it when it was idle for long. */
  #watch(since: number): void {
    const { healthCheckIntervalMs, idleMs } = this.settings;
    this.#timer?.cancel();
    this.#timer = this.#deps.runtime.after(Math.min(healthCheckIntervalMs, idleMs), () => {
      const now = this.#deps.runtime.elapsed();
      this.#policy.noteReady(since);
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

  /** Handles a connection that broke: the server is started again. */
  #lost(connection: Connection, reason: string): void {
    if (this.#connection !== connection) return;
    void this.#drop();
    if (this.#closed) return;
    this.#failed(new Error(reason));
    this.#startLater();
  }

  /** Schedules another start, unless the server is given up or waits for a login. */
  #startLater(): void {
    if (this.state !== 'restarting' || this.#closed) return;
    this.#restartTimer?.cancel();
    this.#restartTimer = this.#deps.runtime.after(Math.max(1, this.#policy.wait), () => {
      void this.#startAgain();
    });
    this.#restartTimer.keepAlive(false);
  }

  /** Starts once no start runs: one that still lists a connection that is lost does not make another. */
  async #startAgain(): Promise<void> {
    await this.#starting.settled();
    if (this.#closed || this.#connection) return;
    await this.#start().catch(() => undefined);
  }

  /** Ends a start that is under way. One that installs packages gets the time to finish. */
  #endStart(): Promise<void> {
    const isInstalling = !this.#hasBeenReady && isInstaller(this.settings);
    return this.#starting.stop(serverSwitchedOff(this.settings.name), {
      patienceMs: isInstalling ? INSTALL_PATIENCE_MS : 0,
      runtime: this.#deps.runtime,
    });
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
    if (connection) await closeConnection(connection);
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
}

const endOf = ({ transport }: Connection): string =>
  transport.failure?.message ?? transport.cut ?? transport.end ?? 'the connection was closed';

/** Opens the configured MCP servers, each behind its own egress guard. */
import { join, resolve } from 'node:path';
import { type ApprovalCallback, createCallbackApprover } from '../approvers/callback.ts';
import { readEnvironment } from '../config/read-environment.ts';
import type { Config } from '../config/schema.ts';
import type { Approver } from '../contract/approver.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Secrets } from '../contract/secrets.ts';
import type { StartServers } from '../contract/servers.ts';
import type { Source } from '../contract/source.ts';
import type { Tier } from '../contract/tool.ts';
import type { Egress, EgressInit, EgressScope } from '../governance/egress/create-egress.ts';
import type { Redactor } from '../governance/redaction/redaction.ts';
import { secretNames } from '../governance/redaction/secret-names.ts';
import { compact } from '../kit/data/compact.ts';
import { MINUTE_MS } from '../kit/data/durations.ts';
import { lazyAsync } from '../kit/data/lazy.ts';
import { ownVersion } from '../kit/file/own-version.ts';
import { localHosts } from '../kit/http/loopback.ts';
import { openPinnedWebSocket, socketTarget } from '../kit/http/pinned-web-socket.ts';
import { createMcpServers, type McpServers } from '../sources/mcp/create-mcp-servers.ts';
import { elicitByApprover } from '../sources/mcp/questions/elicit-by-approver.ts';
import type {
  ListingStart,
  McpDeps,
  ServerSettings,
  WebSocketLike,
} from '../sources/mcp/server-settings.ts';
import { openServerAuth } from './open-server-auth.ts';
import { labelsAndSink } from './sources/labels-and-sink.ts';
import { openEgress, scopeOf } from './sources/open-egress.ts';
import { secretsOf } from './sources/source-secrets.ts';

export interface OpenMcpDeps {
  readonly config: Config;
  readonly runtime: Runtime;
  /** The workspace, absolute. */
  readonly root: string;
  /** The user's folder, absolute. */
  readonly home: string;
  readonly secrets?: Secrets;
  /** How servers are started only to list their tools. */
  readonly startServers?: StartServers;
  /** The crib's redactor: secrets it knows are hidden in servers' output. */
  readonly redactor: Redactor;
  readonly approver?: Approver | ApprovalCallback;
  /** Without it, servers that are configured to run in a sandbox are not started. */
  readonly confine?: McpDeps['confine'];
  readonly notified?: McpDeps['notified'];
}

const listingStart = (start: StartServers = true): ListingStart => {
  if (typeof start === 'string') return start;
  return start ? 'waiting' : 'never';
};

export type ServerConfig = Config['mcp']['servers'][string];

/** A first start may have to load packages. */
const MIN_FIRST_START_MS = 60_000;
const LIMITS = {
  timeoutMs: MINUTE_MS,
  maxCallMs: 30 * MINUTE_MS,
  maxRestarts: 5,
  idleMs: 10 * MINUTE_MS,
  maxMessageBytes: 4_000_000,
  maxOutputBytes: 1_000_000,
};
/** A response may be a stream that carries several messages. */
const MESSAGES_A_RESPONSE = 16;
const MAX_BYTES_A_CHARACTER = 4;
/** The pipeline limits the time of a call, so an idle connection is not cut earlier. */
const NEVER_MS = 0;
/** Tools that reach out ask every time, unless the user gives the server a lower tier. */
const DEFAULT_TIER: Tier = 'external_api';

const transportOf = ({ transport, url }: ServerConfig): ServerSettings['transport'] => {
  if (transport !== undefined) return transport;
  if (url === undefined) return 'stdio';
  return /^wss?:/i.test(url) ? 'websocket' : 'http';
};

const sandboxOf = (
  { sandbox, cwd }: ServerConfig,
  root: string,
): Pick<ServerSettings, 'sandbox'> => {
  if (sandbox === undefined) return {};
  const { read = [], write = [], hosts = [], ...limits } = sandbox;
  const absolute = (path: string): string => resolve(root, path);
  return {
    sandbox: {
      ...limits,
      read: read.map(absolute),
      write: write.map(absolute),
      hosts,
      isCwdChosen: cwd !== undefined,
    },
  };
};

export const serverSettings = (
  name: string,
  own: ServerConfig,
  { config, root }: Pick<OpenMcpDeps, 'config' | 'root'>,
): ServerSettings => {
  const { sandbox: _, oauth: __, labels: ___, sink: ____, ...plain } = own;
  const tools = Object.entries(own.tools ?? {});
  return {
    ...LIMITS,
    healthCheckIntervalMs: config.observation.healthIntervalMs,
    ...plain,
    ...sandboxOf(own, root),
    name,
    transport: transportOf(own),
    isTransportChosen: own.transport !== undefined,
    enabled: own.enabled !== false,
    command: own.command ?? '',
    args: own.args ?? [],
    env: own.env ?? {},
    cwd: resolve(root, own.cwd ?? '.'),
    url: own.url ?? '',
    headers: own.headers ?? {},
    tier: own.tier ?? DEFAULT_TIER,
    toolTiers: Object.fromEntries(
      tools.flatMap(([tool, { tier }]) => (tier ? [[tool, tier]] : [])),
    ),
    labels: labelsAndSink(own),
    toolLabels: Object.fromEntries(
      tools.map(([tool, settings]) => [tool, labelsAndSink(settings)]),
    ),
    startTimeoutMs: config.mcp.startTimeoutMs,
    firstStartTimeoutMs: Math.max(config.mcp.startTimeoutMs, MIN_FIRST_START_MS),
    roots: own.roots === true,
    sampling: own.sampling === true,
  };
};

/** Opens the guard of a server. One on loopback is allowed, because it was configured. */
const egressFor = ({ url, maxMessageBytes }: ServerSettings, config: Config): Promise<Egress> =>
  openEgress(config, localHosts(new URL(url)), {
    headersTimeoutMs: NEVER_MS,
    bodyTimeoutMs: NEVER_MS,
    maxResponseBytes: maxMessageBytes * MESSAGES_A_RESPONSE,
  });

const scopeFor = ({ url }: ServerSettings): EgressScope => scopeOf([new URL(url).host]);

/** Connects to the address that was checked, without a second lookup of the name. */
const openWebSocket = async (
  settings: ServerSettings,
  headers: Readonly<Record<string, string>>,
  egress: Egress,
): Promise<WebSocketLike> => {
  const { url, maxMessageBytes } = settings;
  const address = await egress.resolve(socketTarget(new URL(url)), scopeFor(settings));
  // The transport's own limit is lower and names its reason. This one bounds data that never reaches the
  // transport.
  const limits = { maxMessageBytes: maxMessageBytes * MAX_BYTES_A_CHARACTER };
  const target = { url, address, protocols: ['mcp'], headers, ...limits };
  return (await openPinnedWebSocket(target)).socket;
};

/** Makes one egress guard a server, when it is first needed. */
const reachOf = (config: Config): Pick<McpDeps, 'fetchFor' | 'webSocketFor'> => {
  const guards = new Map<string, Promise<Egress>>();
  const guardOf = (settings: ServerSettings): Promise<Egress> => {
    // Keyed by address as well, because another server may have the name since.
    const key = `${settings.name} ${settings.url}`;
    const guard = guards.get(key) ?? egressFor(settings, config);
    guards.set(key, guard);
    return guard;
  };
  return {
    fetchFor: (settings) => async (input, init) => {
      const scoped: EgressInit = { ...init, scope: scopeFor(settings) };
      return (await guardOf(settings)).fetch(input, scoped);
    },
    webSocketFor: async (settings, headers) =>
      openWebSocket(settings, headers, await guardOf(settings)),
  };
};

/** Uses the tokens of an earlier login by a person. A tool call never opens a browser. */
const loginsOf =
  (
    { config, home, runtime }: OpenMcpDeps,
    oauthOf: (name: string) => ServerConfig['oauth'],
  ): NonNullable<McpDeps['authFor']> =>
  ({ name, url }) => {
    const env = readEnvironment();
    const server = { name, url, ...oauthOf(name) };
    const openBrowser = () => Promise.reject(new Error('A request opens no browser.'));
    const auth = lazyAsync(() =>
      openServerAuth(server, { config, env, home, runtime, openBrowser }),
    );
    const provider = async () => (await auth()).provider;
    return {
      token: async () => (await provider()).token(),
      onUnauthorized: async (context) => (await provider()).onUnauthorized(context),
    };
  };

export interface OpenedMcpServers extends Omit<McpServers, 'add'> {
  /** Adds a server with settings that have been checked; starts nothing. Throws CONFLICT. */
  add(name: string, own: ServerConfig): Source;
}

/** Makes the servers' sources; starts no server. */
export const openMcpServers = (deps: OpenMcpDeps): OpenedMcpServers => {
  const { config, runtime, root, redactor, approver: answerer } = deps;
  const approver = typeof answerer === 'function' ? createCallbackApprover(answerer) : answerer;
  const configs = new Map(Object.entries(config.mcp.servers));
  const settingsOf = (name: string, own: ServerConfig): ServerSettings => {
    const settings = serverSettings(name, own, deps);
    // The configuration itself may contain a credential.
    redactor.learnFields({ ...settings.env, ...settings.headers });
    return settings;
  };
  const settings = [...configs].map(([name, own]) => settingsOf(name, own));
  const mcp = createMcpServers(settings, {
    runtime,
    platform: process.platform,
    environment: readEnvironment(),
    root,
    cacheDir: join(deps.home, 'cache', 'mcp'),
    listing: listingStart(deps.startServers),
    clientVersion: ownVersion(),
    ...secretsOf(deps),
    redact: (text) => redactor.text(text),
    redactStream: () => redactor.stream(),
    nameKind: secretNames(),
    ...reachOf(config),
    authFor: loginsOf(deps, (name) => configs.get(name)?.oauth),
    ...compact({ notified: deps.notified, confine: deps.confine }),
    ...(approver && { elicit: elicitByApprover(approver, runtime) }),
  });
  return {
    ...mcp,
    add: (name, own) => {
      const source = mcp.add(settingsOf(name, own));
      configs.set(name, own);
      return source;
    },
  };
};

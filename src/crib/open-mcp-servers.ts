/** Opens the configured MCP servers, each behind its own guards. */
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { type ApprovalCallback, createCallbackApprover } from '../approvers/callback.ts';
import { readEnvironment } from '../config/read-environment.ts';
import type { Config } from '../config/schema.ts';
import type { Approver } from '../contract/approver.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Secrets } from '../contract/secrets.ts';
import type { StartServers } from '../contract/servers.ts';
import type { Tier } from '../contract/tool.ts';
import type { Egress, EgressInit } from '../governance/egress/create-egress.ts';
import { learnAll } from '../governance/redaction/learn-all.ts';
import type { Redactor } from '../governance/redaction/redaction.ts';
import { secretNames } from '../governance/redaction/secret-names.ts';
import { MINUTE_MS } from '../kit/data/durations.ts';
import { lazyAsync } from '../kit/data/lazy.ts';
import { createMcpServers, type McpServers } from '../sources/mcp/create-mcp-servers.ts';
import { elicitByApprover } from '../sources/mcp/questions/elicit-by-approver.ts';
import type {
  ListingStart,
  McpDeps,
  ServerSettings,
  WebSocketLike,
} from '../sources/mcp/server-settings.ts';
import { openServerAuth } from './open-server-auth.ts';

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
}

const listingStart = (start: StartServers = true): ListingStart => {
  if (typeof start === 'string') return start;
  return start ? 'waiting' : 'never';
};

type ServerConfig = Config['mcp']['servers'][string];

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
/** The pipeline limits the time of a call, so an idle connection is not cut earlier. */
const NEVER_MS = 0;
/** Tools that reach out ask every time, unless the user gives the server a lower tier. */
const DEFAULT_TIER: Tier = 'external_api';
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

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

const flowOf = ({
  labels,
  sink,
}: Pick<ServerConfig, 'labels' | 'sink'>): NonNullable<ServerSettings['labels']> => ({
  ...labels,
  ...(sink !== undefined && { sink }),
});

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
    labels: flowOf(own),
    toolLabels: Object.fromEntries(tools.map(([tool, settings]) => [tool, flowOf(settings)])),
    startTimeoutMs: config.mcp.startTimeoutMs,
    firstStartTimeoutMs: Math.max(config.mcp.startTimeoutMs, MIN_FIRST_START_MS),
    roots: own.roots === true,
    sampling: own.sampling === true,
  };
};

/** Limits requests to the host of the server. A server on loopback is allowed, because it was configured. */
const scopeOf = ({ url }: ServerSettings) => {
  const { hostname, host } = new URL(url);
  const never = new AbortController().signal;
  const scope = { hosts: [host], signal: () => never, onHop: () => undefined };
  return { scope, ownLoopback: LOOPBACK.test(hostname) ? [host] : [] };
};

/** Loads the guard with the first request: servers on stdio need none. */
const egressFor = async (settings: ServerSettings, { egress }: Config): Promise<Egress> => {
  const { createEgress } = await import('../governance/egress/create-egress.ts');
  return createEgress({
    ...egress,
    allowPrivate: [...egress.allowPrivate, ...scopeOf(settings).ownLoopback],
    headersTimeoutMs: NEVER_MS,
    bodyTimeoutMs: NEVER_MS,
    maxResponseBytes: settings.maxMessageBytes * MESSAGES_A_RESPONSE,
  });
};

/** Connects to the address that was checked, without a second lookup of the name. */
const openWebSocket = async (
  settings: ServerSettings,
  headers: Readonly<Record<string, string>>,
  egress: Egress,
): Promise<WebSocketLike> => {
  const { hostname, port, protocol } = new URL(settings.url);
  const to = { host: hostname, port: Number(port || (protocol === 'wss:' ? 443 : 80)) };
  const address = await egress.resolve(to, scopeOf(settings).scope);
  const { Agent, WebSocket } = await import('undici');
  const answer = [{ address, family: address.includes(':') ? 6 : 4 }];
  const dispatcher = new Agent({
    connect: { lookup: (_host, _options, done) => done(null, answer) },
  });
  return new WebSocket(settings.url, { protocols: ['mcp'], dispatcher, headers: { ...headers } });
};

/** Makes one egress guard a server, when it is first needed. */
const reachOf = (config: Config): Pick<McpDeps, 'fetchFor' | 'webSocketFor'> => {
  const guards = new Map<string, Promise<Egress>>();
  const guardOf = (settings: ServerSettings): Promise<Egress> => {
    const guard = guards.get(settings.name) ?? egressFor(settings, config);
    guards.set(settings.name, guard);
    return guard;
  };
  return {
    fetchFor: (settings) => async (input, init) => {
      const scoped: EgressInit = { ...init, scope: scopeOf(settings).scope };
      return (await guardOf(settings)).fetch(input, scoped);
    },
    webSocketFor: async (settings, headers) =>
      openWebSocket(settings, headers, await guardOf(settings)),
  };
};

/** Teaches the redactor every secret that a server gets, so that its output cannot show it. */
const secretsOf = ({
  config,
  home,
  secrets,
  redactor,
  runtime,
}: OpenMcpDeps): Pick<McpDeps, 'secret' | 'learnSecrets'> => {
  const opened = lazyAsync(async (): Promise<readonly Secrets[]> => {
    const { openSecrets } = await import('./open-secrets.ts');
    return secrets ? [secrets] : openSecrets({ config, env: readEnvironment(), home });
  });
  return {
    secret: async (key) => {
      const { createSecretChain } = await import('../secrets/chain.ts');
      const value = await createSecretChain(await opened()).get(key);
      if (value !== undefined) redactor.learn(value);
      return value;
    },
    learnSecrets: lazyAsync(() =>
      opened().then(
        (all) => learnAll(redactor, { sources: all, keys: [], log: runtime.log }),
        (error: unknown) =>
          runtime.log.error('secrets could not be read', { error: String(error) }),
      ),
    ),
  };
};

/** Uses the tokens of an earlier login by a person. A tool call never opens a browser. */
const loginsOf =
  ({ config, home, runtime }: OpenMcpDeps): NonNullable<McpDeps['authFor']> =>
  ({ name, url }) => {
    const env = readEnvironment();
    const server = { name, url, ...config.mcp.servers[name]?.oauth };
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

/** Reads the version of this package; works from sources, library and bundle alike. */
const ownVersion = (): string => {
  const pack: unknown = createRequire(import.meta.url)('toolcrib/package.json');
  return (pack as { version: string }).version;
};

/** Makes the servers' sources; starts no server. */
export const openMcpServers = (deps: OpenMcpDeps): McpServers => {
  const { config, runtime, root, redactor, approver: answerer } = deps;
  const approver = typeof answerer === 'function' ? createCallbackApprover(answerer) : answerer;
  const settings = Object.entries(config.mcp.servers).map(([name, own]) =>
    serverSettings(name, own, deps),
  );
  // The configuration itself may contain a credential.
  for (const { env, headers } of settings) redactor.learnFields({ ...env, ...headers });
  return createMcpServers(settings, {
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
    authFor: loginsOf(deps),
    ...(deps.confine && { confine: deps.confine }),
    ...(approver && { elicit: elicitByApprover(approver, runtime) }),
  });
};

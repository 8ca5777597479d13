/**
 * Joins a crib and its doors into one server: the HTTP API, events, metrics, traces, the MCP
 * endpoint and the console. It chooses and connects, the parts work.
 */
import { randomBytes } from 'node:crypto';
import type { LoadedSettings } from '../config/loaded-settings.ts';
import { isLoopbackHost } from '../config/sections/server.ts';
import type { CribHost } from '../contract/crib-host.ts';
import type { Runtime } from '../contract/runtime.ts';
import { auditService } from '../crib/audit-files.ts';
import { CallMetrics } from '../observation/call-metrics.ts';
import { createStoreFollower } from '../observation/follow-store.ts';
import type { PrometheusText } from '../observation/prometheus-text.ts';
import { createReadiness, type Readiness } from '../observation/readiness.ts';
import { createTraceRing, type TraceRing } from '../observation/trace-ring.ts';
import { watchServers } from '../observation/watch-servers.ts';
import type { HttpServer } from '../surfaces/door/listen.ts';
import { createHttpSurface, type HttpSurface } from '../surfaces/http/create-http-surface.ts';
import {
  createEventBroadcast,
  type EventBroadcast,
} from '../surfaces/http/events/create-event-broadcast.ts';
import { relayChanges } from '../surfaces/http/events/relay-changes.ts';
import type { DoctorCheck, HttpDeps } from '../surfaces/http/http-deps.ts';
import { assertReachable, listenFault } from './listen-address.ts';
import { type McpEndpoint, openMcpEndpoint } from './mcp-endpoint.ts';

export interface ServerDeps {
  readonly crib: CribHost;
  readonly loaded: LoadedSettings;
  readonly runtime: Runtime;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly host: string;
  readonly port: number;
  /** The folder of the built console; none is served when absent. */
  readonly consoleFolder?: string;
  doctor(): Promise<readonly DoctorCheck[]>;
  readonly describe: NonNullable<HttpDeps['describe']>;
  /** Offered to admins only where nobody but this machine reaches the server. */
  readonly serverEditor?: NonNullable<HttpDeps['serverEditor']>;
}

export interface RunningServer {
  readonly url: string;
  /** A link that lets the person at this machine into the console, once. */
  consoleLink(): string;
  /** How many calls are under way. */
  running(): number;
  /**
   * Takes no more work, gives what runs some time, cancels what is left and lets everybody go. The
   * crib stays open. Resolves to how many calls had to be cancelled.
   */
  close(): Promise<number>;
}

/** What is opened beside the surface and has to be closed again. */
interface Parts {
  readonly calls: CallMetrics;
  readonly traces: TraceRing;
  readonly events: EventBroadcast;
  readonly mcp: McpEndpoint;
  readonly readiness: Readiness;
}

/** What the answers under way are given once the calls behind them are over. */
const CLOSE_MS = 2000;

const openParts = (site: ServerDeps): Parts => {
  const { crib, runtime, version, describe } = site;
  const { server } = site.loaded.config;
  const isTool = (name: string): boolean => crib.tools.get(name) !== undefined;
  const traces = createTraceRing(crib.events);
  const calls = new CallMetrics(crib.events, { runtime, isTool });
  const events: EventBroadcast = createEventBroadcast(crib.events, {
    runtime,
    run: randomBytes(8).toString('hex'),
    // Timing every stage and reading the store have a price, so it is paid while somebody looks.
    onWatched: (isWatched) => {
      traces.watch(isWatched);
      follower.watch(isWatched);
    },
  });
  const follower = createStoreFollower({
    store: () => crib.store(),
    runtime,
    events: crib.events,
    changes: relayChanges(events, (executionId) => calls.isRunning(executionId)),
  });
  return {
    calls,
    traces,
    events,
    mcp: openMcpEndpoint({ crib, runtime, version, maxBodyBytes: server.maxBodyBytes, describe }),
    readiness: createReadiness({ crib, runtime }),
  };
};

/** The library is loaded when the first figures are asked for. */
const metricsPage = (
  site: ServerDeps,
  { calls, events }: Parts,
): NonNullable<HttpDeps['metrics']> => {
  const { crib, version } = site;
  let made: Promise<PrometheusText> | undefined;
  return async () => {
    made ??= import('../observation/prometheus-text.ts').then(({ createPrometheusText }) =>
      createPrometheusText({
        version,
        calls,
        servers: () => crib.servers.list(),
        waitingApprovals: async () => (await crib.approvals.list()).length,
        watchers: () => events.clients,
      }),
    );
    const { text, contentType } = await made;
    return new Response(await text(), { headers: { 'content-type': contentType } });
  };
};

/** What is shown of the set-up. Loaded when somebody looks. */
const views = ({ loaded, runtime, env, doctor }: ServerDeps) => {
  const { config, userDir } = loaded;
  const load = () => import('./setup-views.ts');
  return {
    policy: async () => (await load()).policyView(loaded, runtime.log),
    settings: async () => ({
      config: (await load()).settingLines(loaded),
      doctor: await doctor(),
    }),
    hasSecret: async (key) => (await load()).secretCheck({ config, env, home: userDir })(key),
    readLink: async (token) => (await load()).linkReader(userDir, runtime.now)(token),
  } satisfies Partial<HttpDeps>;
};

const auditParts = ({ crib, loaded, runtime }: ServerDeps) => {
  const audits = auditService(loaded.userDir);
  const nothing = { files: [], checkpointFiles: [], publicKeys: [] };
  return {
    exportAudit: async function* (options) {
      yield* audits.exportRows(await crib.store(), options);
    },
    checkpoint: async () => audits.checkpoint(await crib.store(), runtime.now()),
    verifyAudit: async () => audits.verify({ ...nothing, store: await crib.store() }),
  } satisfies Partial<HttpDeps>;
};

const reach = ({ host, loaded, consoleFolder, serverEditor }: ServerDeps) => {
  const { server } = loaded.config;
  // Behind a proxy everybody seems to be on this machine.
  const isLocal = isLoopbackHost(host) && !server.behindTls;
  const { issuer, audience, roleClaim, jwksUri } = server.oidc;
  return {
    hosts: server.allowedHosts,
    origins: server.allowedOrigins,
    limits: { bodyBytes: server.maxBodyBytes, maxConnections: server.maxConnections },
    openMetrics: server.openMetrics && isLocal,
    // A server is a program that runs here: from elsewhere nobody adds one.
    ...(isLocal && serverEditor && { serverEditor }),
    ...(server.publicUrl !== undefined && { publicUrl: server.publicUrl }),
    ...(consoleFolder !== undefined && { consoleFolder }),
    ...(issuer !== undefined &&
      audience !== undefined && {
        fetch: globalThis.fetch,
        oidc: { issuer, audience, roleClaim, ...(jwksUri !== undefined && { jwksUri }) },
      }),
  } satisfies Partial<HttpDeps>;
};

const depsOf = (site: ServerDeps, parts: Parts): HttpDeps => {
  const { runtime, version, describe } = site;
  const { calls, traces, events, mcp, readiness } = parts;
  return {
    runtime,
    version,
    describe,
    randomBytes: (size) => randomBytes(size),
    ...reach(site),
    ...views(site),
    ...auditParts(site),
    readiness: readiness.checks,
    trace: traces.of,
    toolUsage: (tool) => {
      const counts = calls.tools.get(tool);
      return counts && { calls: counts.durations.count, lastUsed: counts.lastUsedAt };
    },
    events: events.open.bind(events),
    ...(site.loaded.config.observation.metrics && { metrics: metricsPage(site, parts) }),
    mcp: mcp.answer,
  };
};

/** Resolves when nothing runs any more, or when the time is over. */
const idle = (calls: CallMetrics, { crib, runtime, loaded }: ServerDeps): Promise<void> =>
  new Promise((resolve) => {
    const stop = crib.events.on('call.finished', () => {
      // The count is taken down by another listener of the same event.
      queueMicrotask(() => {
        if (calls.running.length === 0) end();
      });
    });
    const limit = runtime.after(loaded.config.server.drainMs, () => end());
    const end = (): void => {
      stop();
      limit.cancel();
      resolve();
    };
    if (calls.running.length === 0) end();
  });

interface Listening {
  readonly surface: HttpSurface;
  readonly server: HttpServer;
}

const startListening = async (site: ServerDeps, parts: Parts): Promise<Listening> => {
  const surface = createHttpSurface(site.crib, depsOf(site, parts));
  const { host, port } = site;
  const server = await surface.listen({ host, port }).catch((error: unknown) => {
    surface.close();
    throw listenFault(error);
  });
  return { surface, server };
};

const letGo = ({ calls, traces }: Parts): void => {
  calls.close();
  traces.close();
};

/**
 * Listens. Throws CONFIG_INVALID for an address that it must not or cannot listen on, CONFLICT for a
 * port in use.
 */
export const openServer = async (site: ServerDeps): Promise<RunningServer> => {
  assertReachable(site.host, site.loaded.config.server);
  const { crib, runtime } = site;
  const parts = openParts(site);
  const { surface, server } = await startListening(site, parts).catch((error: unknown) => {
    letGo(parts);
    throw error;
  });
  const stopWatching = watchServers(crib.servers, { events: crib.events, runtime });
  const shutDown = async (): Promise<number> => {
    parts.readiness.drain();
    surface.drain();
    await idle(parts.calls, site);
    const left = parts.calls.running.filter((id) => crib.executions.cancel(id)).length;
    parts.events.close();
    await parts.mcp.close();
    await server.close(CLOSE_MS);
    surface.close();
    stopWatching();
    letGo(parts);
    return left;
  };
  const home = (site.loaded.config.server.publicUrl ?? server.url).replace(/\/+$/, '');
  let closing: Promise<number> | undefined;
  return {
    url: server.url,
    running: () => parts.calls.running.length,
    // Behind the hash, so that the code is in no log of a proxy and no Referer.
    consoleLink: () => `${home}/#code=${surface.issueCode({ user: 'local', role: 'admin' })}`,
    close: () => {
      closing ??= shutDown();
      return closing;
    },
  };
};

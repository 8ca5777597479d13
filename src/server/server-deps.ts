/** What the HTTP surface of a server is handed: settings, views, the trail, metrics, and the opened services. */
import { randomBytes } from 'node:crypto';
import type { LoadedSettings } from '../config/loaded-settings.ts';
import type { CribHost } from '../contract/crib-host.ts';
import type { LogLevels } from '../contract/log-level.ts';
import type { Runtime } from '../contract/runtime.ts';
import { auditService } from '../crib/audit/audit-files.ts';
import { openTeamCatalog } from '../crib/team/open-team-catalog.ts';
import { isLoopbackHost } from '../kit/http/loopback.ts';
import type { CallMetrics } from '../observation/call-metrics.ts';
import type { Readiness } from '../observation/health/readiness.ts';
import type { PrometheusFormat, PrometheusText } from '../observation/prometheus-text.ts';
import type { TraceRing } from '../observation/trace-ring.ts';
import type { EventBroadcast } from '../surfaces/http/events/create-event-broadcast.ts';
import type { DoctorCheck, HttpDeps } from '../surfaces/http/http-deps.ts';
import { jobDeliveryOf, workflowCallbacksOf } from './deliveries.ts';
import type { McpEndpoint } from './mcp-endpoint.ts';
import { metricSourcesOf } from './metric-sources.ts';

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
  /** How the level of the log is changed while the server runs. */
  readonly logLevels?: LogLevels | undefined;
  /** Offered to admins only where the server is reached from this machine alone. */
  readonly serverEditor?: NonNullable<HttpDeps['serverEditor']>;
  readonly sourceEditor?: NonNullable<HttpDeps['sourceEditor']>;
}

/** What is opened beside the surface and has to be closed again. */
export interface OpenedServices {
  readonly calls: CallMetrics;
  readonly traces: TraceRing;
  readonly events: EventBroadcast;
  readonly mcp: McpEndpoint;
  readonly readiness: Readiness;
}

/** Makes the page of metrics. Its library is loaded with the first request. */
const metricsPage = (
  deps: ServerDeps,
  { calls, events }: OpenedServices,
): NonNullable<HttpDeps['metrics']> => {
  const { crib, version } = deps;
  const sources = {
    ...metricSourcesOf({ crib, version, calls }),
    watchers: () => events.clients,
  };
  const made = new Map<PrometheusFormat, Promise<PrometheusText>>();
  return async (request) => {
    const lib = await import('../observation/prometheus-text.ts');
    const format = lib.prometheusFormat(request.headers.get('accept'));
    const making = made.get(format) ?? lib.createPrometheusText(sources, format);
    made.set(format, making);
    const { text, contentType } = await making;
    return new Response(await text(), { headers: { 'content-type': contentType } });
  };
};

/** Returns the views of the set-up. Their code is loaded with the first request. */
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

const auditDeps = ({ crib, loaded, runtime }: ServerDeps) => {
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

const networkDeps = (deps: ServerDeps) => {
  const { host, loaded, consoleFolder, serverEditor, sourceEditor } = deps;
  const { server } = loaded.config;
  // Behind a proxy every request seems to come from this machine.
  const isLocal = isLoopbackHost(host) && !server.behindTls;
  const { issuer, audience, roleClaim, jwksUri } = server.oidc;
  return {
    hosts: server.allowedHosts,
    origins: server.allowedOrigins,
    limits: { bodyBytes: server.maxBodyBytes, maxConnections: server.maxConnections },
    openMetrics: server.openMetrics && isLocal,
    // An MCP server is a program that runs here: only this machine may add one.
    ...(isLocal && serverEditor && { serverEditor }),
    ...(isLocal && sourceEditor && { sourceEditor }),
    ...(server.publicUrl !== undefined && { publicUrl: server.publicUrl }),
    ...(consoleFolder !== undefined && { consoleFolder }),
    ...(issuer !== undefined &&
      audience !== undefined && {
        fetch: globalThis.fetch,
        oidc: { issuer, audience, roleClaim, ...(jwksUri !== undefined && { jwksUri }) },
      }),
  } satisfies Partial<HttpDeps>;
};

/** Opens the catalog that this server publishes, if it is configured to. */
const catalogOf = ({ crib, loaded, runtime }: ServerDeps): Pick<HttpDeps, 'catalog'> => {
  const { config, userDir: home } = loaded;
  if (config.server.catalog.org === undefined) return {};
  return { catalog: openTeamCatalog({ crib, config, runtime, home }) };
};

/** Puts together what the surface is handed. */
export const httpDepsOf = (deps: ServerDeps, services: OpenedServices): HttpDeps => {
  const { runtime, version, describe } = deps;
  const { calls, traces, events, mcp, readiness } = services;
  const { jobs } = deps.loaded.config;
  return {
    runtime,
    version,
    describe,
    randomBytes: (size) => randomBytes(size),
    ...networkDeps(deps),
    ...views(deps),
    ...auditDeps(deps),
    readiness: readiness.checks,
    trace: traces.of,
    toolUsage: (tool) => {
      const counts = calls.tools.get(tool);
      return counts && { calls: counts.durations.count, lastUsed: counts.lastUsedAt };
    },
    events: events.open.bind(events),
    ...(deps.loaded.config.observation.metrics && { metrics: metricsPage(deps, services) }),
    mcp: mcp.answer,
    ...(deps.logLevels && { logLevels: deps.logLevels }),
    ...catalogOf(deps),
    team: () => deps.crib.team(),
    ...(jobs.engine === 'qstash' && jobs.url === undefined && { jobDelivery: jobDeliveryOf(deps) }),
    ...workflowCallbacksOf(deps),
  };
};

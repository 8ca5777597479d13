/** Opens the sources of the configuration, each behind its own guards. */
import { join, resolve } from 'node:path';
import type { Config } from '../../config/schema.ts';
import type { CribHost } from '../../contract/crib-host.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { JsonSchema, Schema } from '../../contract/schema.ts';
import type { Secrets } from '../../contract/secrets.ts';
import type { ExternalSettings, ReadDeps, SourceDriver } from '../../contract/source-driver.ts';
import type { ManagedSource } from '../../contract/sources.ts';
import type { Egress, EgressInit } from '../../governance/egress/create-egress.ts';
import type { Redactor } from '../../governance/redaction/redaction.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';
import { readRegularFile } from '../../kit/file/read-regular-file.ts';
import { hasScheme } from '../../kit/http/has-scheme.ts';
import { localHosts } from '../../kit/http/loopback.ts';
import { parseUrl } from '../../kit/http/parse-url.ts';
import { ExternalSource } from '../../sources/external/external-source.ts';
import { createReadingCache, type ReadingCache } from '../../sources/external/reading-cache.ts';
import type { DocumentPool } from '../../sources/openapi/read/document-pool.ts';
import { openEgress, scopeOf } from './open-egress.ts';
import { hasLogin, loginTokens } from './source-login.ts';
import { secretsOf } from './source-secrets.ts';
import { type ExternalConfig, type ExternalKind, sourceSettings } from './source-settings.ts';

export interface OpenSourcesDeps {
  readonly config: Config;
  readonly runtime: Runtime;
  /** The project, absolute: paths of the configuration start there. */
  readonly project: string;
  /** The user's folder, absolute. */
  readonly home: string;
  readonly secrets?: Secrets;
  readonly redactor: Redactor;
  /** Returns the crib, once it is made. */
  host(): CribHost;
  /** False keeps nothing of what is read. */
  readonly caches?: boolean;
}

interface DriverDeps extends OpenSourcesDeps {
  /** Opens the documents that several accounts of one API share. */
  pool(): Promise<DocumentPool>;
}

/** Each loaded when a source of its kind is configured. */
const DRIVERS: Readonly<Record<ExternalKind, (deps: DriverDeps) => Promise<SourceDriver>>> = {
  openapi: async ({ pool }) =>
    (await import('../../sources/openapi/openapi-driver.ts')).createOpenapiDriver(await pool()),
  graphql: async () =>
    (await import('../../sources/graphql/graphql-driver.ts')).createGraphqlDriver(),
  grpc: async () => (await import('../../sources/grpc/grpc-driver.ts')).createGrpcDriver(),
  websocket: async () =>
    (await import('../../sources/websocket/websocket-driver.ts')).createWebsocketDriver(),
  n8n: async (deps) => {
    const [{ createN8nDriver }, { laterWorkflows }] = await Promise.all([
      import('../../sources/n8n/n8n-driver.ts'),
      import('./later-workflows.ts'),
    ]);
    return createN8nDriver(laterWorkflows(deps));
  },
};

const newPool = async (): Promise<DocumentPool> => {
  const { DocumentPool: Pool } = await import('../../sources/openapi/read/document-pool.ts');
  return new Pool();
};

export interface OpenedSources {
  /** Those of the configuration, also those that are switched off. */
  readonly sources: readonly ManagedSource[];
  open(kind: ExternalKind, name: string, settings: ExternalConfig): Promise<ManagedSource>;
  /** Opens a source that another than the user configured: it reads no files, and these secrets alone. */
  openForeign(
    kind: ExternalKind,
    name: string,
    foreign: { readonly settings: ExternalConfig; readonly secrets: readonly string[] },
  ): Promise<ManagedSource>;
}

/** Returns the hosts that reading definitions may reach: any public one, and local ones that `allowPrivate` names. */
const readReach = (
  egress: Egress,
  signal: AbortSignal,
): Pick<ReadDeps, 'fetch' | 'resolveHost'> => {
  const scope = scopeOf(['*'], signal);
  return {
    fetch: (input, init) => egress.fetch(input, { ...init, scope } as EgressInit),
    resolveHost: (host, port) => egress.resolve({ host, port }, scope),
  };
};

/**
 * The settings that say where each kind is read or asked, the first one that is an address. The address of an
 * API whose document is read elsewhere is not among them: a document could redirect its reader to it.
 */
const READ_AT: Readonly<Record<ExternalKind, readonly string[]>> = {
  openapi: ['document', 'baseUrl'],
  graphql: ['schema', 'url'],
  grpc: ['address'],
  websocket: ['url'],
  n8n: ['baseUrl'],
};

export const hostOf = (
  text: string,
): { readonly host: string; readonly hostname: string } | undefined =>
  parseUrl(hasScheme(text) ? text : `tcp://${text}`);

/** Lists the hosts on this machine from which the settings say that the source is read. */
const ownLocalHosts = ({ kind, own }: ExternalSettings): readonly string[] => {
  const texts = READ_AT[kind as ExternalKind].map((key): unknown =>
    Reflect.get(own as object, key),
  );
  // A file has no host, and redirects nobody.
  const text = texts.find((one) => typeof one === 'string' && (kind === 'grpc' || hasScheme(one)));
  const at = typeof text === 'string' ? hostOf(text) : undefined;
  return at ? localHosts(at) : [];
};

const MAX_FILE_BYTES = 100_000_000;
/** How long a health check may take. */
const MAX_PROBE_MS = 10_000;

interface SourceReach {
  readonly cache: ReadingCache;
  /** Lists the hosts on this machine that a source may reach. */
  reachableHosts(settings: ExternalSettings): readonly string[];
}

/** Makes one source without reading it. */
const openSource = async (
  settings: ExternalSettings,
  driver: SourceDriver,
  deps: OpenSourcesDeps & Pick<ReadDeps, 'secret' | 'readFile' | 'absolutePath'> & SourceReach,
): Promise<ManagedSource> => {
  const { config, runtime, redactor, cache, secret, readFile, absolutePath, reachableHosts } = deps;
  // The configuration itself may contain a credential.
  const { metadata = {} } = settings.own as { readonly metadata?: Record<string, string> };
  redactor.learnFields({ ...metadata, ...settings.headers });
  let opened: Promise<Egress> | undefined;
  const guard = (): Promise<Egress> => {
    opened ??= openEgress(config, reachableHosts(settings));
    return opened;
  };
  const redact = (text: string): string => redactor.text(text);
  const learn = (credential: string): void => redactor.learn(credential);
  const tokens = hasLogin(settings) ? loginTokens(settings, { ...deps, learn }) : undefined;
  const reachFor = async (signal = AbortSignal.timeout(MAX_PROBE_MS)) =>
    readReach(await guard(), signal);
  const buildDeps = {
    runtime,
    redact,
    compile,
    learn,
    ...(tokens && { tokens }),
    resolveHost: async (host: string, port: number) => (await reachFor()).resolveHost(host, port),
    probe: (async (input, init) =>
      (await reachFor(init?.signal ?? undefined)).fetch(input, init)) satisfies typeof fetch,
  };
  return new ExternalSource(settings, {
    driver,
    cache,
    runtime,
    buildDeps,
    readDeps: (_settings, signal) => ({
      runtime,
      signal,
      redact,
      secret,
      fetch: async (input, init) => readReach(await guard(), signal).fetch(input, init),
      resolveHost: async (host, port) => readReach(await guard(), signal).resolveHost(host, port),
      readFile,
      absolutePath,
    }),
    close: async () => (await opened)?.close(),
  });
};

/** Compiles a schema for answers of an API, without the parts that are not safe to check. */
const compile = async (schema: JsonSchema): Promise<Schema> => {
  const { compileSchema } = await import('../../registry/schema/compile-schema.ts');
  return compileSchema(schema, 'output', () => undefined);
};

const noFiles = (): never => {
  throw new ToolFailure('PERMISSION_DENIED', 'A source of a team reads no files.');
};

/** Wraps a driver so that its tools reach neither hosts of this machine nor secrets that the user did not grant. */
export const limitedTo = (granted: readonly string[], driver: SourceDriver): SourceDriver => ({
  ...driver,
  build: (definition, settings, deps) =>
    driver.build(definition, settings, deps)?.map((tool) => {
      const { localHosts: _, secrets = [], ...needs } = tool.needs ?? {};
      const allowed = secrets.filter((key) => granted.includes(key));
      return { ...tool, needs: { ...needs, ...(allowed.length > 0 && { secrets: allowed }) } };
    }),
});

/** Makes the sources without reading them. */
export const openSources = async (deps: OpenSourcesDeps): Promise<OpenedSources> => {
  const { config, home, caches = true } = deps;
  const folder = caches ? join(home, 'cache', 'sources') : undefined;
  const cache = createReadingCache(folder, deps.project);
  const { secret } = secretsOf(deps);
  const pool = lazyAsync(newPool);
  const open: OpenedSources['open'] = async (kind, name, own) =>
    openSource(sourceSettings(kind, name, own), await DRIVERS[kind]({ ...deps, pool }), {
      ...deps,
      secret,
      cache,
      reachableHosts: ownLocalHosts,
      readFile: (path, { maxBytes = MAX_FILE_BYTES, within } = {}) =>
        readRegularFile(resolve(deps.project, path), {
          maxBytes,
          within: within === undefined ? within : resolve(deps.project, within),
        }),
      absolutePath: (path) => resolve(deps.project, path),
    });
  const openForeign: OpenedSources['openForeign'] = async (kind, name, { settings, secrets }) => {
    const driver = limitedTo(secrets, await DRIVERS[kind]({ ...deps, pool }));
    return openSource(sourceSettings(kind, name, settings), driver, {
      ...deps,
      cache,
      reachableHosts: () => [],
      secret: async (key) => (secrets.includes(key) ? secret(key) : undefined),
      readFile: async () => noFiles(),
      absolutePath: noFiles,
    });
  };
  const kinds = Object.entries(config.sources) as [ExternalKind, Record<string, ExternalConfig>][];
  const sources = await Promise.all(
    kinds.flatMap(([kind, named]) =>
      Object.entries(named).map(([name, own]) => open(kind, name, own)),
    ),
  );
  return { sources, open, openForeign };
};

/**
 * The composition root: together with what it loads later, the only place that knows concrete
 * drivers. It chooses, the parts work.
 */
import { delimiter, join, resolve } from 'node:path';
import { defaultSettings } from '../config/default-settings.ts';
import { homeOf, userConfigDir } from '../config/load/find-config-files.ts';
import { readEnvironment } from '../config/read-environment.ts';
import type { Config } from '../config/schema.ts';
import { isToolEnabled } from '../config/tool-settings-of.ts';
import { unknownTools } from '../config/unknown-tools.ts';
import type { Crib } from '../contract/crib.ts';
import type { CribHost } from '../contract/crib-host.ts';
import type { Policy } from '../contract/policy.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Sandboxes } from '../contract/sandbox.ts';
import type { Source } from '../contract/source.ts';
import type { Store } from '../contract/store.ts';
import type { Tool } from '../contract/tool.ts';
import type { ToolMap, ToolMapOf } from '../contract/tool-types.ts';
import type { Retention } from '../governance/audit/retention.ts';
import type { Redactor } from '../governance/redaction/redaction.ts';
import type { SigningKey } from '../governance/signing/open-signing-key.ts';
import type { ArgumentCheck } from '../kit/data/check-arguments.ts';
import { DAY_MS } from '../kit/data/durations.ts';
import { lazyAsync } from '../kit/data/lazy.ts';
import { createEventBus } from '../observation/event-bus.ts';
import { UsageStats } from '../observation/usage-stats.ts';
import { createRegistry, type Registry } from '../registry/registry.ts';
import type { McpServers, UnlistedServer } from '../sources/mcp/create-mcp-servers.ts';
import { NO_SERVERS } from '../sources/mcp/no-servers.ts';
import { assertFolder, assertOptions, CRIB_OPTIONS } from './check-options.ts';
import { createRuntime } from './create-runtime.ts';
import type { CribOptions } from './crib-options.ts';
import { LocalCrib } from './local-crib.ts';
import type { Opened } from './members/member-deps.ts';
import type { OpenCodeModeDeps } from './open-code-mode.ts';
import type { CustomTools } from './open-custom-tools.ts';
import type { OpenEngineDeps } from './open-engine.ts';
import type { OpenPolicyDeps } from './open-policy.ts';
import type { SandboxSettings } from './open-sandboxes.ts';
import type { OpenedLock } from './open-tool-lock.ts';

const userFolder = (home: string | undefined): string => {
  const env = readEnvironment();
  const { platform } = process;
  return home ?? userConfigDir({ cwd: resolve('.'), env, home: homeOf(env), platform });
};

const openKey = async (home: string | undefined): Promise<SigningKey> => {
  const folder = userFolder(home);
  const { openSigningKey } = await import('../governance/signing/open-signing-key.ts');
  return openSigningKey(join(folder, 'keys', 'signing.pem'));
};

/** One for the whole crib, so that a secret that any part has learnt is hidden by all. */
const openRedactor = async ({ filtering }: Config): Promise<Redactor> => {
  const { Redactor } = await import('../governance/redaction/redaction.ts');
  return new Redactor({ hidden: filtering.redactKeys, shown: filtering.shownKeys });
};

const sandboxSettings = ({ egress, sandbox }: Config): SandboxSettings => ({
  egress,
  sandbox,
  env: readEnvironment(),
});

const shippedTools = async (catalog: Registry, site: LoadToolsDeps): Promise<Source> => {
  const { config, runtime } = site;
  const [{ builtinTools }, { openCodeMode }] = await Promise.all([
    import('./builtin-tools.ts'),
    import('./open-code-mode.ts'),
  ]);
  const more = openCodeMode({ ...site, catalog });
  const programFolders = readEnvironment().PATH?.split(delimiter) ?? [];
  return builtinTools({
    services: config.services,
    defaultZone: config.datetime.zone,
    now: runtime.now,
    programFolders,
    openEngine: async () => {
      const { openDockerEngine } = await import('./open-sandboxes.ts');
      return openDockerEngine(runtime, sandboxSettings(config));
    },
    more,
  });
};

type LoadToolsDeps = Pick<OpenEngineDeps, 'config' | 'runtime' | 'sandboxes'> &
  Pick<OpenCodeModeDeps, 'read'> &
  Pick<McpServers, 'sources'>;

/** None where they are switched off, or where a team lets none of this machine run. */
const ownTools = async (
  customTools: CustomTools | undefined,
  { config, runtime, sandboxes }: LoadToolsDeps,
): Promise<readonly Source[]> => {
  const isOff = !config.tools.autoLoadCustomTools || config.enforcement.disableLocalTools;
  if (!customTools || isOff) return [];
  const { openCustomTools } = await import('./open-custom-tools.ts');
  const defaultSandbox = config.sandbox.default;
  return [openCustomTools(customTools, { sandboxes, defaultSandbox, runtime })];
};

type ServersDeps = Pick<OpenEngineDeps, 'config' | 'runtime' | 'root'> & {
  redactor(): Promise<Redactor>;
};

/** None where they are switched off; what they need is loaded only where there are some. */
const openServers = async (
  options: CribOptions,
  { config, runtime, root, redactor }: ServersDeps,
): Promise<Omit<McpServers, 'close'>> => {
  const { enabled, servers } = config.mcp;
  const isOff = !enabled || config.enforcement.disableLocalTools;
  if (isOff || Object.keys(servers).length === 0) {
    return { sources: [], servers: NO_SERVERS, unlisted: () => [] };
  }
  const { openMcpServers } = await import('./open-mcp-servers.ts');
  const confiner = lazyAsync(async () => {
    const { openConfiner } = await import('./open-sandboxes.ts');
    return openConfiner(runtime, sandboxSettings(config));
  });
  return openMcpServers({
    ...{ ...options, config, runtime, root, home: userFolder(options.home) },
    redactor: await redactor(),
    confine: async (order) => (await confiner())(order),
  });
};

/** Starts the servers that were never listed, and takes in what each of them brings. */
const discoverWith =
  (registry: Registry, { unlisted }: Pick<McpServers, 'unlisted'>) =>
  async (signal: AbortSignal): Promise<void> => {
    const load = async ({ source, discover }: UnlistedServer): Promise<void> => {
      await discover(signal);
      await registry.load([source]);
    };
    await Promise.all(unlisted().map(load));
  };

/** One that brings nothing, and is closed with the others: a server may be started by hand. */
const unsearched = (source: Source): Source => ({
  kind: source.kind,
  label: source.label,
  load: async () => [],
  close: async () => source.close?.(),
});

/** A tool that comes later may be meant: then only what looks like a typing error is told of. */
const reportUnknownTools = (
  registry: Registry,
  { config, runtime }: Pick<OpenEngineDeps, 'config' | 'runtime'>,
  isComplete: boolean,
): void => {
  const names = registry.list().map(({ tool }) => tool.name);
  const hasServers = Object.keys(config.mcp.servers).length > 0;
  const mayGrow = hasServers || !isComplete;
  const has = (name: string): boolean => registry.get(name) !== undefined;
  for (const fault of unknownTools(config, { has, names, mayGrow })) runtime.log.warn(fault);
};

const loadTools = async (
  registry: Registry,
  { builtins, sources = [], tools = [], customTools, watch = true }: CribOptions,
  site: LoadToolsDeps,
): Promise<void> => {
  const shipped = builtins === false ? [] : [await shippedTools(registry, site)];
  const own = await ownTools(customTools, site);
  const found = [...site.sources, ...own];
  const { autoDiscovery } = site.config.registry;
  await registry.load([...shipped, ...sources, ...(autoDiscovery ? found : found.map(unsearched))]);
  registry.registerAll(tools);
  reportUnknownTools(registry, site, builtins !== false && tools.length === 0);
  if (watch) registry.watch();
};

/** Rules that cannot be understood stop the start; the ones that ship can wait for the first call. */
const policyOf = async (
  options: CribOptions,
  { policy }: Config,
  deps: OpenPolicyDeps,
): Promise<() => Promise<Policy>> => {
  const open = async (): Promise<Policy> => {
    const { openPolicy } = await import('./open-policy.ts');
    return openPolicy(options, policy, deps);
  };
  if (!options.policy && !options.policyFiles?.length) return lazyAsync(open);
  const opened = await open();
  return async () => opened;
};

/** A lock that cannot be read stops the start, too. */
const openLock = async (
  options: CribOptions,
  config: Config,
  runtime: Runtime,
): Promise<OpenedLock> => {
  const { openToolLock } = await import('./open-tool-lock.ts');
  return openToolLock(options, { config, runtime, userDir: userFolder(options.home) });
};

/** The drivers are loaded when something has to run in one. */
const lazySandboxes = (runtime: Runtime, config: Config): Sandboxes => {
  let opened: Promise<Sandboxes> | undefined;
  const open = (): Promise<Sandboxes> => {
    opened ??= import('./open-sandboxes.ts').then(({ openSandboxes }) =>
      openSandboxes(runtime, sandboxSettings(config)),
    );
    return opened;
  };
  return {
    get: async (type) => (await open()).get(type),
    readiness: async () => (await open()).readiness(),
    close: async () => (await opened)?.close(),
  };
};

/** Addresses and commands that make no sense stop the start, too. */
const checkReach = async ({ egress, commands }: Config, { log }: Runtime): Promise<void> => {
  if (egress.allowPrivate.length > 0) {
    const { createPrivateAllowlist } = await import('../governance/egress/private-allowlist.ts');
    createPrivateAllowlist(egress.allowPrivate);
  }
  if (commands.allow.length + commands.tasks.length > 0) {
    const { checkCommands } = await import('./check-commands.ts');
    await checkCommands(commands, log);
  }
};

/** Throws when the settings are not valid. Where none are given there is nothing to check. */
const configOf = async ({ settings, config }: CribOptions): Promise<Config> => {
  if (settings) return settings;
  if (!config) return defaultSettings();
  return (await import('../config/load/parse-config.ts')).parseConfig(config);
};

/** None where the record is kept for ever, as it is unless the user says otherwise. */
const retentionOf = async (
  store: Store,
  { home }: CribOptions,
  { config, events, runtime }: Pick<OpenEngineDeps, 'config' | 'events' | 'runtime'>,
): Promise<Retention | undefined> => {
  const { retentionDays: days } = config.audit;
  if (days === undefined) return undefined;
  const { openRetention } = await import('./open-retention.ts');
  return openRetention(store, { days, folder: userFolder(home), events, runtime });
};

/** None unless the user says where checkpoints go. */
const checkpointsOf = async (
  store: Store,
  { home }: CribOptions,
  { config, runtime }: Pick<OpenEngineDeps, 'config' | 'runtime'>,
): Promise<Opened['checkpoints']> => {
  if (config.audit.checkpoints.to === undefined) return undefined;
  const { openCheckpoints } = await import('./open-checkpoints.ts');
  return openCheckpoints(store, { config, folder: userFolder(home), runtime });
};

const foldersOf = ({ root = '.' }: CribOptions, { workspace }: Config) => {
  const project = resolve(root);
  return { project, root: resolve(project, workspace.root) };
};

/** What is made when the first call needs it. */
interface LateDeps {
  policy(): Promise<Policy>;
  redactor(): Promise<Redactor>;
}

/** Folders of this program in the system's place for temporary files. */
const TEMPORARY_FOLDERS = ['toolcrib-net-', 'toolcrib-sqlite-', 'toolcrib-read-'];

/** Removes what killed processes of this user left behind, a day later. */
const sweepTemporary = async (own: readonly string[], now: number): Promise<void> => {
  const [{ removeStale }, { tmpdir }] = await Promise.all([
    import('../kit/file/remove-stale.ts'),
    import('node:os'),
  ]);
  const old = { minAgeMs: DAY_MS, now };
  await removeStale(tmpdir(), { ...old, prefixes: TEMPORARY_FOLDERS });
  for (const folder of own) await removeStale(folder, { ...old, prefixes: ['.toolcrib-'] });
};

/** Opens the store and all that a call needs. */
const openAll = async (
  options: CribOptions,
  site: Omit<OpenEngineDeps, 'policy' | 'redactor'>,
  { policy, redactor }: LateDeps,
): Promise<Opened> => {
  const [{ openEngine }, { openStore }] = await Promise.all([
    import('./open-engine.ts'),
    import('./open-store.ts'),
  ]);
  const userDir = userFolder(options.home);
  const store = await openStore(options.store, { ...site, userDir });
  const rest = { ...site, policy: await policy(), redactor: await redactor() };
  const engine = await openEngine(store, options, rest);
  const retention = await retentionOf(store, options, site);
  // Nobody waits for it.
  void sweepTemporary([userDir, join(userDir, 'keys')], site.runtime.now());
  return { store, engine, retention, checkpoints: await checkpointsOf(store, options, site) };
};

/** Makes a crib whose store can be reached, for our own surfaces, server and command line. */
export const createCribHost = async (options: CribOptions = {}): Promise<CribHost> => {
  const checks: Readonly<Record<keyof CribOptions, ArgumentCheck>> = CRIB_OPTIONS;
  assertOptions(options, checks);
  await assertFolder(options.root);
  const config = await configOf(options);
  const runtime = createRuntime(options.runtime);
  await checkReach(config, runtime);
  const [events, usage] = [createEventBus(runtime.log), new UsageStats()];
  const { gate, lock } = await openLock(options, config, runtime);
  const registry = createRegistry({
    runtime,
    ...(gate && { gate }),
    events,
    usage: (tool) => usage.of(tool),
    isEnabled: (name) => isToolEnabled(config, name),
  });
  const sandboxes = lazySandboxes(runtime, config);
  const made: { crib?: CribHost } = {};
  const read: LoadToolsDeps['read'] = async (...asked) => made.crib?.results.read(...asked);
  const { project, root } = foldersOf(options, config);
  const redactor = lazyAsync(() => openRedactor(config));
  const mcp = await openServers(options, { config, runtime, root, redactor });
  const { sources, servers } = mcp;
  await loadTools(registry, options, { config, runtime, sandboxes, read, sources });
  const policy = await policyOf(options, config, { log: runtime.log, tools: registry });
  const signingKey = lazyAsync(() => openKey(options.home));
  const site = { config, project, root, runtime, events, registry, usage, sandboxes, signingKey };
  made.crib = new LocalCrib({
    registry,
    events,
    runtime,
    open: () => openAll(options, site, { policy, redactor }),
    limits: config.budget,
    linkBaseUrl: config.approvals.linkBaseUrl,
    signingKey,
    sandboxes,
    servers,
    discoverTools: config.registry.autoDiscovery ? discoverWith(registry, mcp) : async () => {},
    lock,
    maxConcurrentTools: config.execution.maxConcurrentTools,
    hasModel: options.model?.configured ?? config.model !== undefined,
  });
  return made.crib;
};

/**
 * Makes a crib: loads the tools, and opens the store when the first call needs it. Throws
 * VALIDATION_ERROR for an option that is not known or not of its kind. It reads no file
 * of configuration: what it is made of is in the options. `openProject` reads those of a folder.
 *
 * @example
 * const mine = await createCrib({ tools: [greet], store: 'memory' });
 * const { data } = await mine.execute('greet', { name: 'Ada' });
 */
export function createCrib<const Tools extends readonly Tool[]>(
  options: CribOptions & { readonly tools: Tools },
): Promise<Crib<ToolMapOf<Tools>>>;
export function createCrib<Tools extends ToolMap = ToolMap>(
  options?: CribOptions,
): Promise<Crib<Tools>>;
export function createCrib(options: CribOptions = {}): Promise<Crib> {
  return createCribHost(options);
}

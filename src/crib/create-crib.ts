/**
 * The composition root: together with the files that it loads later, the only place that knows concrete
 * drivers. It puts the parts together; the parts do the work.
 */
import { join, resolve } from 'node:path';
import { toolSwitches } from '../config/configured-tools.ts';
import { defaultSettings } from '../config/default-settings.ts';
import type { Config } from '../config/schema.ts';
import type { Crib } from '../contract/crib.ts';
import type { CribHost } from '../contract/crib-host.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { Policy } from '../contract/policy.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Store } from '../contract/store.ts';
import type { Tool } from '../contract/tool.ts';
import type { ToolMap, ToolMapOf } from '../contract/tool-types.ts';
import type { Redactor } from '../governance/redaction/redaction.ts';
import type { ArgumentCheck } from '../kit/data/check-arguments.ts';
import { DAY_MS } from '../kit/data/durations.ts';
import { lazyAsync } from '../kit/data/lazy.ts';
import { createEventBus } from '../observation/event-bus.ts';
import { keepFor } from '../observation/roll-up/cover-range.ts';
import { UsageStats } from '../observation/usage-stats.ts';
import { createRegistry } from '../registry/registry.ts';
import { alertsOf } from './alerts/alerts-of.ts';
import { assertFolder, assertOptions, CRIB_OPTIONS } from './check-options.ts';
import type { CribOptions } from './crib-options.ts';
import type { HealthSettings } from './health/health-of.ts';
import {
  checkpointsOf,
  jobEngineOf,
  lazySandboxes,
  openLock,
  openRedactor,
  openServers,
  policyOf,
  retentionOf,
  teamOf,
} from './lazy-drivers.ts';
import { discoverWith, type LoadToolsDeps, loadTools } from './load-tools.ts';
import { LocalCrib } from './local-crib.ts';
import type { Opened } from './members/member-deps.ts';
import type { OpenEngineDeps } from './open-engine.ts';
import { outsideSources } from './sources/outside-sources.ts';
import type { OpenedTeam } from './team/open-team.ts';
import { withCleanCallers } from './tracing/span-callers.ts';
import { withTraceHosts } from './tracing/trace-hosts.ts';
import { tracingRuntime } from './tracing/tracing-runtime.ts';
import { openUserKey, userFolder } from './user-folder.ts';

/** Throws when an allowed address is invalid; warns of commands that can never run. */
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

/** Returns the checked settings. Throws CONFIG_INVALID when they are invalid. */
const configOf = async ({ settings, config }: CribOptions): Promise<Config> => {
  if (settings) return settings;
  if (!config) return defaultSettings();
  return (await import('../config/load/parse-config.ts')).parseConfig(config);
};

const foldersOf = ({ root = '.' }: CribOptions, { workspace }: Config) => {
  const project = resolve(root);
  return { project, root: resolve(project, workspace.root) };
};

/** Parts that are made when the first call needs them. */
interface LateDeps {
  policy(): Promise<Policy>;
  redactor(): Promise<Redactor>;
}

/** Prefixes of this program's folders among the system's temporary files. */
const TEMPORARY_FOLDERS = ['toolcrib-net-', 'toolcrib-sqlite-', 'toolcrib-read-'];

/** Removes temporary files that killed processes of this user left more than a day ago. */
const removeTemporary = async (own: readonly string[], now: number): Promise<void> => {
  const [{ removeStale }, { tmpdir }] = await Promise.all([
    import('../kit/file/remove-stale.ts'),
    import('node:os'),
  ]);
  const age = { minAgeMs: DAY_MS, now };
  await removeStale(tmpdir(), { ...age, prefixes: TEMPORARY_FOLDERS });
  for (const folder of own) await removeStale(folder, { ...age, prefixes: ['.toolcrib-'] });
};

/** Opens the store, the engine, and the background work. */
const openAll = async (
  options: CribOptions,
  deps: Omit<OpenEngineDeps, 'policy' | 'redactor'>,
  { policy, redactor }: LateDeps,
): Promise<Opened> => {
  const [{ openEngine }, { openStore }] = await Promise.all([
    import('./open-engine.ts'),
    import('./store/open-store.ts'),
  ]);
  const userDir = userFolder(options.home);
  const { secrets } = options;
  const store = await openStore(options.store, { ...deps, userDir, secrets });
  const engineDeps = { ...deps, policy: await policy(), redactor: await redactor() };
  const engine = await openEngine(store, options, engineDeps);
  const retention = await retentionOf(store, options, deps);
  // In the background: no call depends on it.
  void removeTemporary([userDir, join(userDir, 'keys')], deps.runtime.now());
  return { store, engine, retention, checkpoints: await checkpointsOf(store, options, engineDeps) };
};

/** Makes the functions that tell which tools are switched on, and which cannot be switched here. */
const switchesOf = (config: Config, team: OpenedTeam | undefined) => {
  const enforced = new Set(config.enforcement.enforcedTools);
  const switches = toolSwitches(config);
  const isEnforced = (name: string): boolean =>
    enforced.has(name) || team?.isEnforced(name) === true;
  return {
    isEnforced,
    isEnabled: (name: string): boolean | undefined => {
      if (team?.isRevoked(name)) return false;
      return isEnforced(name) ? true : switches.get(name);
    },
  };
};

/** Makes the access to the store for tools that are made before the crib. */
const storeOf = (late: { readonly crib?: CribHost }) => async (): Promise<Store> =>
  hostOf(late)().store();

/** Makes the access to the crib for parts that are made before it. */
const hostOf = (late: { readonly crib?: CribHost }) => (): CribHost => {
  if (late.crib) return late.crib;
  throw new ToolFailure('STORE_UNAVAILABLE', 'The crib is not open yet.');
};

/** Registers the jobs of workflows that answer later, when there may be some. */
const withDeliveries = async (
  crib: CribHost,
  { sources }: Config,
  runtime: Runtime,
): Promise<CribHost> => {
  if (Object.keys(sources.n8n).length === 0) return crib;
  const { registerDeliveries } = await import('./sources/later-workflows.ts');
  registerDeliveries(crib, runtime);
  return crib;
};

/** Returns what the crib reports about itself before anything is open. */
const sizeOf = ({ model }: CribOptions, { execution, ...config }: Config) => ({
  maxConcurrentTools: execution.maxConcurrentTools,
  hasModel: model?.configured ?? config.model !== undefined,
});

const healthSettingsOf = (
  { home, secrets, model }: CribOptions,
  config: Config,
  redactor: () => Promise<Redactor>,
): HealthSettings => ({
  ...{ config, redactor, home: userFolder(home), secrets },
  hasOwnModel: model?.configured === true,
});

/** What our own programs give to the crib that they make. */
export interface HostDeps {
  /** The redactor of the program's log, with the same configuration: the log then hides the secrets of the crib. */
  redactor?(): Promise<Redactor>;
}

/** Completes the configuration with what a team enforces, and opens what all other parts need. */
const openSettings = async (options: CribOptions, runtime: Runtime, host: HostDeps) => {
  const config = await configOf(options);
  await checkReach(config, runtime);
  const sandboxes = lazySandboxes(runtime, config);
  const redactor = host.redactor ?? lazyAsync(() => openRedactor(config));
  const team = await teamOf(options, { config, runtime, sandboxes, redactor });
  return { config: team?.config ?? config, sandboxes, redactor, team };
};

const checkOptions = async (options: CribOptions): Promise<void> => {
  const checks: Readonly<Record<keyof CribOptions, ArgumentCheck>> = CRIB_OPTIONS;
  assertOptions(options, checks);
  await assertFolder(options.root);
};

const userOf = ({ home, secrets }: CribOptions) => ({ home: userFolder(home), secrets });

/** Returns a runtime whose spans hold cleaned names of callers, and that sends the trace only to allowed hosts. */
const governedTracing = (
  runtime: Runtime,
  config: Config,
  redactor: LateDeps['redactor'],
): Promise<Runtime> =>
  withCleanCallers(withTraceHosts(runtime, config.observation.traceHosts), redactor);

/** Makes a crib with access to its store, for our own surfaces, server and command line. */
export const createCribHost = async (
  options: CribOptions = {},
  shared: HostDeps = {},
): Promise<CribHost> => {
  await checkOptions(options);
  const plain = await tracingRuntime(options.runtime);
  const { config, sandboxes, redactor, team } = await openSettings(options, plain, shared);
  const runtime = await governedTracing(plain, config, redactor);
  const [events, usage] = [createEventBus(runtime.log), new UsageStats()];
  const { gate, lock } = await openLock(options, config, runtime);
  const registry = createRegistry({
    runtime,
    ...(gate && { gate }),
    events,
    usage: (tool) => usage.of(tool),
    ...switchesOf(config, team),
  });
  // Tools that read stored results are loaded before the crib exists.
  const late: { crib?: CribHost } = {};
  const read: LoadToolsDeps['read'] = async (...page) => late.crib?.results.read(...page);
  const { project, root } = foldersOf(options, config);
  const mcp = await openServers(options, { config, runtime, root, redactor, events, registry });
  const [host, store] = [hostOf(late), storeOf(late)];
  const outsideDeps = { config, runtime, project, redactor, registry, sandboxes, host, team };
  const { sources, members } = await outsideSources(options, outsideDeps, mcp);
  const tools = { config, runtime, sandboxes, events, read, sources, store };
  await loadTools(registry, options, { ...tools, team: team?.source });
  const own = await policyOf(options, config, { log: runtime.log, tools: registry });
  const policy = team ? lazyAsync(async () => team.withRules(await own())) : own;
  const signingKey = lazyAsync(() => openUserKey(userFolder(options.home)));
  const parts = { config, project, root, runtime, events, registry, usage, sandboxes, signingKey };
  const deps = { ...parts, isEnforcedByTeam: team?.isEnforced };
  late.crib = new LocalCrib({
    ...{ registry, events, runtime },
    open: () => openAll(options, deps, { policy, redactor }),
    ...{ limits: config.budget, starts: config.budget.starts },
    linkBaseUrl: config.approvals.linkBaseUrl,
    keepMetrics: keepFor(config.observation.historyDays),
    ...jobEngineOf({ config, runtime }, options),
    ...{ signingKey, sandboxes, servers: mcp.servers, ...members, team: team?.client },
    discoverTools: config.registry.autoDiscovery ? discoverWith(registry, mcp) : async () => {},
    ...{ lock, flowFiles: options.flowFiles, syncEveryRecord: config.audit.syncEveryRecord },
    recordedMs: (tool) => usage.of(tool)?.averageMs,
    alerts: await alertsOf({ ...deps, ...userOf(options), host, redactor }),
    ...{ ...sizeOf(options, config), healthSettings: healthSettingsOf(options, config, redactor) },
  });
  return withDeliveries(late.crib, config, runtime);
};

/**
 * Makes a crib: loads the tools, and opens the store when the first call needs it. Throws
 * VALIDATION_ERROR for an option that is unknown or of the wrong type. It reads no configuration
 * file: everything comes from the options. `openProject` reads the configuration of a folder.
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

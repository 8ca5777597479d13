/**
 * The composition root: together with the files that it loads later, the only place that knows concrete
 * drivers. It puts the parts together; the parts do the work.
 */
import { join } from 'node:path';
import type { Config } from '../config/schema.ts';
import type { Crib } from '../contract/crib.ts';
import type { CribHost } from '../contract/crib-host.ts';
import type { Policy } from '../contract/policy.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Store } from '../contract/store.ts';
import type { Tool } from '../contract/tool.ts';
import type { ToolMap, ToolMapOf } from '../contract/tool-types.ts';
import type { Redactor } from '../governance/redaction/redaction.ts';
import { DAY_MS } from '../kit/data/durations.ts';
import { lazyAsync } from '../kit/data/lazy.ts';
import { keepFor } from '../observation/roll-up/cover-range.ts';
import { alertsOf } from './alerts/alerts-of.ts';
import type { CribOptions } from './crib-options.ts';
import type { HealthSettings } from './health/health-of.ts';
import { checkpointsOf, jobEngineOf, policyOf, retentionOf } from './lazy-drivers.ts';
import { discoverWith, type LoadToolsDeps, loadTools } from './load-tools.ts';
import { LocalCrib, type LocalCribDeps } from './local-crib.ts';
import type { Opened } from './members/member-deps.ts';
import type { OpenEngineDeps } from './open-engine.ts';
import type { HostDeps } from './opening/host-deps.ts';
import { type BaseDeps, hostOf, type LateCrib, openBaseDeps } from './opening/open-base-deps.ts';
import { openUserKey, userFolder } from './user-folder.ts';

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

/** Makes the access to the store for tools that are made before the crib. */
const storeOf = (late: LateCrib) => async (): Promise<Store> => hostOf(late)().store();

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
  config,
  redactor,
  home: userFolder(home),
  secrets,
  hasOwnModel: model?.configured === true,
});

const userOf = ({ home, secrets }: CribOptions) => ({ home: userFolder(home), secrets });

/** Loads the tools. Those that read stored results are loaded before the crib exists. */
const loadAllTools = (options: CribOptions, base: BaseDeps): Promise<void> => {
  const { config, runtime, sandboxes, events, sources, late, registry, team } = base;
  const read: LoadToolsDeps['read'] = async (...page) => late.crib?.results.read(...page);
  const deps = { config, runtime, sandboxes, events, read, sources, store: storeOf(late) };
  return loadTools(registry, options, { ...deps, team: team?.source });
};

/** Makes the access to the policy: the rules of the options, and those of a team. */
const rulesOf = async (
  options: CribOptions,
  { config, runtime, registry, team }: BaseDeps,
): Promise<LateDeps['policy']> => {
  const own = await policyOf(options, config, { log: runtime.log, tools: registry });
  return team ? lazyAsync(async () => team.withRules(await own())) : own;
};

/** Puts together what the crib is made of. */
const cribDepsOf = async (
  options: CribOptions,
  base: BaseDeps,
  { onlyAwaitedRuns = false }: HostDeps,
): Promise<LocalCribDeps> => {
  const { config, project, root, runtime, events, registry, usage, sandboxes, redactor } = base;
  const { late, lock, mcp, members, team } = base;
  const policy = await rulesOf(options, base);
  const signingKey = lazyAsync(() => openUserKey(userFolder(options.home)));
  const shared = { config, project, root, runtime, events, registry, usage, sandboxes, signingKey };
  const deps = { ...shared, isEnforcedByTeam: team?.isEnforced };
  const host = hostOf(late);
  return {
    registry,
    events,
    runtime,
    open: () => openAll(options, deps, { policy, redactor }),
    limits: config.budget,
    starts: config.budget.starts,
    linkBaseUrl: config.approvals.linkBaseUrl,
    keepMetrics: keepFor(config.observation.historyDays),
    ...jobEngineOf({ config, runtime }, options),
    signingKey,
    sandboxes,
    servers: mcp.servers,
    ...members,
    team: team?.client,
    discoverTools: config.registry.autoDiscovery ? discoverWith(registry, mcp) : async () => {},
    lock,
    flowFiles: options.flowFiles,
    onlyAwaitedRuns,
    syncEveryRecord: config.audit.syncEveryRecord,
    recordedMs: (tool) => usage.of(tool)?.averageMs,
    alerts: await alertsOf({ ...deps, ...userOf(options), host, redactor }),
    ...sizeOf(options, config),
    healthSettings: healthSettingsOf(options, config, redactor),
  };
};

/** Makes a crib with access to its store, for our own surfaces, server and command line. */
export const createCribHost = async (
  options: CribOptions = {},
  shared: HostDeps = {},
): Promise<CribHost> => {
  const base = await openBaseDeps(options, shared);
  await loadAllTools(options, base);
  const crib = new LocalCrib(await cribDepsOf(options, base, shared));
  base.late.crib = crib;
  return withDeliveries(crib, base.config, base.runtime);
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

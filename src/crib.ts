/**
 * The composition root: together with what it loads later, the only place that knows concrete
 * drivers. It chooses, the parts work.
 */
import { delimiter, join, resolve } from 'node:path';
import { homeOf, userConfigDir } from './config/find-config-files.ts';
import { parseConfig } from './config/parse-config.ts';
import { readEnvironment } from './config/read-environment.ts';
import type { Config, ConfigInput } from './config/schema.ts';
import { toolSettingsOf } from './config/sections/tools.ts';
import type { Crib } from './contract/crib.ts';
import type { Policy } from './contract/policy.ts';
import type { Runtime } from './contract/runtime.ts';
import type { Sandboxes } from './contract/sandbox.ts';
import type { Source } from './contract/source.ts';
import type { Tool } from './contract/tool.ts';
import { createRuntime } from './create-runtime.ts';
import type { SigningKey } from './governance/signing/open-signing-key.ts';
import { LocalCrib } from './local-crib.ts';
import { createEventBus } from './observation/event-bus.ts';
import { UsageStats } from './observation/usage-stats.ts';
import type { CustomTools } from './open-custom-tools.ts';
import type { EngineChoices, EngineSite } from './open-engine.ts';
import type { PolicyChoices } from './open-policy.ts';
import { createRegistry, type Registry } from './registry/registry.ts';
import { NO_SERVERS } from './sources/mcp/no-servers.ts';

/**
 * `store`: where audit, budgets and memory live; by default what `config.store` says. `approver`: who
 * is asked; without one, calls that need approval answer `pending`.
 */
export interface CribOptions extends EngineChoices, PolicyChoices {
  /** Settings over the defaults, as in `.toolcrib/config.yml`. Throws when they are not valid. */
  readonly config?: ConfigInput;
  /** Settings that are checked already, as `loadConfig` gives them, in the place of `config`. */
  readonly settings?: Config;
  /** The folder file tools work in; the present one by default. */
  readonly root?: string;
  readonly tools?: readonly Tool[];
  readonly sources?: readonly Source[];
  /** The tools of a project that its user trusts. */
  readonly customTools?: CustomTools;
  /** False leaves the tools that ship out. */
  readonly builtins?: boolean;
  /** False leaves the tools as they were loaded; by default a source that changes is loaded again. */
  readonly watch?: boolean;
  readonly runtime?: Partial<Runtime>;
  /**
   * Where keys are kept; by default the user's configuration folder. Nothing is read there, or
   * made, before a checkpoint or a link has to be signed.
   */
  readonly home?: string;
}

const openKey = async (home: string | undefined): Promise<SigningKey> => {
  const env = readEnvironment();
  const { platform } = process;
  const folder = home ?? userConfigDir({ cwd: resolve('.'), env, home: homeOf(env), platform });
  const { openSigningKey } = await import('./governance/signing/open-signing-key.ts');
  return openSigningKey(join(folder, 'keys', 'signing.pem'));
};

/** A failure is not kept: the next one may find the folder writable. */
const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
};

const shippedTools = async (config: Config, runtime: Runtime): Promise<Source> => {
  const { builtinTools } = await import('./builtin-tools.ts');
  const programFolders = readEnvironment().PATH?.split(delimiter) ?? [];
  return builtinTools({ defaultZone: config.datetime.zone, now: runtime.now, programFolders });
};

type LoadSite = Pick<EngineSite, 'config' | 'runtime' | 'sandboxes'>;

/** None where they are switched off, or where a team lets none of this machine run. */
const ownTools = async (
  customTools: CustomTools | undefined,
  { config, runtime, sandboxes }: LoadSite,
): Promise<readonly Source[]> => {
  const isOff = !config.tools.autoLoadCustomTools || config.enforcement.disableLocalTools;
  if (!customTools || isOff) return [];
  const { openCustomTools } = await import('./open-custom-tools.ts');
  return [openCustomTools(customTools, sandboxes, runtime)];
};

const loadTools = async (
  registry: Registry,
  { builtins, sources = [], tools = [], customTools, watch = true }: CribOptions,
  site: LoadSite,
): Promise<void> => {
  const shipped = builtins === false ? [] : [await shippedTools(site.config, site.runtime)];
  await registry.load([...shipped, ...sources, ...(await ownTools(customTools, site))]);
  registry.registerAll(tools);
  if (watch) registry.watch();
};

/** Rules that cannot be understood stop the start; the ones that ship can wait for the first call. */
const policyOf = async (
  options: CribOptions,
  { policy }: Config,
  { log }: Runtime,
): Promise<() => Promise<Policy>> => {
  const open = async (): Promise<Policy> => {
    const { openPolicy } = await import('./open-policy.ts');
    return openPolicy(options, policy, log);
  };
  if (!options.policy && !options.policyFiles?.length) return once(open);
  const opened = await open();
  return async () => opened;
};

/** The drivers are loaded when something has to run in one. */
const lazySandboxes = (runtime: Runtime): Sandboxes => {
  let opened: Promise<Sandboxes> | undefined;
  const open = (): Promise<Sandboxes> => {
    opened ??= import('./open-sandboxes.ts').then(({ openSandboxes }) => openSandboxes(runtime));
    return opened;
  };
  return {
    get: async (type) => (await open()).get(type),
    readiness: async () => (await open()).readiness(),
    close: async () => (await opened)?.close(),
  };
};

/** Addresses and commands that make no sense stop the start, too. */
const checkReach = async ({ egress, commands }: Config): Promise<void> => {
  if (egress.allowPrivate.length > 0) {
    const { createPrivateAllowlist } = await import('./governance/egress/private-allowlist.ts');
    createPrivateAllowlist(egress.allowPrivate);
  }
  if (commands.allow.length > 0) {
    const { parseAllowPattern } = await import('./governance/commands/allow-pattern.ts');
    commands.allow.forEach(parseAllowPattern);
  }
};

/** Makes a crib: loads the tools, and opens the store when the first call needs it. */
export const createCrib = async (options: CribOptions = {}): Promise<Crib> => {
  const config = options.settings ?? parseConfig(options.config ?? {});
  await checkReach(config);
  const runtime = createRuntime(options.runtime);
  const events = createEventBus(runtime.log);
  const usage = new UsageStats();
  const registry = createRegistry({
    runtime,
    events,
    usage: (tool) => usage.of(tool),
    isEnabled: (name) => toolSettingsOf(config.tools, name)?.enabled,
  });
  const sandboxes = lazySandboxes(runtime);
  await loadTools(registry, options, { config, runtime, sandboxes });
  const project = resolve(options.root ?? '.');
  const root = resolve(project, config.workspace.root);
  const policy = await policyOf(options, config, runtime);
  const signingKey = once(() => openKey(options.home));
  const shared = { config, project, root, runtime, events, registry, usage, sandboxes };
  const site = { ...shared, signingKey };
  return new LocalCrib({
    registry,
    events,
    runtime,
    open: async () => {
      const { openEngine, openStore } = await import('./open-engine.ts');
      const store = await openStore(options.store, site);
      return {
        store,
        engine: await openEngine(store, options, { ...site, policy: await policy() }),
      };
    },
    limits: config.budget,
    linkBaseUrl: config.approvals.linkBaseUrl,
    signingKey,
    sandboxes,
    servers: NO_SERVERS,
    lock: { states: () => [], accept: async () => [] },
    maxConcurrentTools: config.execution.maxConcurrentTools,
    hasModel: options.model?.configured ?? config.model !== undefined,
  });
};

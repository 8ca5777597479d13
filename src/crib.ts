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
import type { Runtime } from './contract/runtime.ts';
import type { Source } from './contract/source.ts';
import type { Tool } from './contract/tool.ts';
import { createRuntime } from './create-runtime.ts';
import type { SigningKey } from './governance/signing/open-signing-key.ts';
import { LocalCrib } from './local-crib.ts';
import { createEventBus } from './observation/event-bus.ts';
import { UsageStats } from './observation/usage-stats.ts';
import type { EngineChoices, EngineSite } from './open-engine.ts';
import { openPolicy, type PolicyChoices } from './open-policy.ts';
import { createRegistry, type Registry } from './registry/registry.ts';

/**
 * `store`: where audit, budgets and memory live; by default what `config.store` says. `approver`: who
 * is asked; without one, calls that need approval answer `pending`.
 */
export interface CribOptions extends EngineChoices, PolicyChoices {
  /** Settings over the defaults, as in `.toolcrib/config.yml`. Throws when they are not valid. */
  readonly config?: ConfigInput;
  /** The folder file tools work in; the present one by default. */
  readonly root?: string;
  readonly tools?: readonly Tool[];
  readonly sources?: readonly Source[];
  /** False leaves the tools that ship out. */
  readonly builtins?: boolean;
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

const loadTools = async (
  registry: Registry,
  { builtins, sources = [], tools = [] }: CribOptions,
  { config, runtime }: Pick<EngineSite, 'config' | 'runtime'>,
): Promise<void> => {
  const shipped = builtins === false ? [] : [await shippedTools(config, runtime)];
  await registry.load([...shipped, ...sources]);
  registry.registerAll(tools);
};

/** Makes a crib: loads the tools, and opens the store when the first call needs it. */
export const createCrib = async (options: CribOptions = {}): Promise<Crib> => {
  const config = parseConfig(options.config ?? {});
  const runtime = createRuntime(options.runtime);
  const events = createEventBus(runtime.log);
  const usage = new UsageStats();
  const registry = createRegistry({
    runtime,
    events,
    usage: (tool) => usage.of(tool),
    isEnabled: (name) => toolSettingsOf(config.tools, name)?.enabled,
  });
  await loadTools(registry, options, { config, runtime });
  const project = resolve(options.root ?? '.');
  const root = resolve(project, config.workspace.root);
  const policy = await openPolicy(options, config.policy, runtime.log);
  const signingKey = once(() => openKey(options.home));
  const shared = { config, project, root, runtime, events, registry, usage };
  const site: EngineSite = { ...shared, policy, signingKey };
  return new LocalCrib({
    registry,
    events,
    runtime,
    open: async () => {
      const { openEngine, openStore } = await import('./open-engine.ts');
      const store = await openStore(options.store, site);
      return { store, engine: await openEngine(store, options, site) };
    },
    limits: config.budget,
    linkBaseUrl: config.approvals.linkBaseUrl,
    signingKey,
    maxConcurrentTools: config.execution.maxConcurrentTools,
    hasModel: options.model?.configured ?? false,
  });
};

/** The composition root: the only file that knows concrete drivers. It chooses, the parts work. */
import { resolve } from 'node:path';
import { type ApprovalCallback, createCallbackApprover } from './approvers/callback.ts';
import { parseConfig } from './config/parse-config.ts';
import { readEnvironment } from './config/read-environment.ts';
import type { Config, ConfigInput } from './config/schema.ts';
import { toolSettingsOf } from './config/sections/tools.ts';
import type { Approver } from './contract/approver.ts';
import type { Crib } from './contract/crib.ts';
import type { Model } from './contract/model.ts';
import type { Policy } from './contract/policy.ts';
import type { Runtime } from './contract/runtime.ts';
import type { Secrets } from './contract/secrets.ts';
import type { Source } from './contract/source.ts';
import type { Store } from './contract/store.ts';
import type { Tool } from './contract/tool.ts';
import { createRuntime } from './create-runtime.ts';
import { engineSettings } from './engine-settings.ts';
import { createPathGuard } from './governance/path-guard.ts';
import { Redactor } from './governance/redaction.ts';
import { createTierPolicy } from './governance/tier-policy.ts';
import { LocalCrib } from './local-crib.ts';
import { createNoModel } from './models/no-model.ts';
import { createEventBus } from './observation/event-bus.ts';
import { UsageStats } from './observation/usage-stats.ts';
import { Engine } from './pipeline/engine.ts';
import { createRegistry } from './registry/registry.ts';
import { createEnvironmentSecrets } from './secrets/environment.ts';
import { createMemoryStore } from './stores/memory/create-memory-store.ts';

export interface CribOptions {
  /** Settings over the defaults, as in `.toolcrib/config.yml`. Throws when they are not valid. */
  readonly config?: ConfigInput;
  /** The folder file tools work in; the present one by default. */
  readonly root?: string;
  /** Where audit, budgets and memory live; by default what `config.store` says. */
  readonly store?: 'memory' | { readonly sqlite: string } | Store;
  readonly tools?: readonly Tool[];
  readonly sources?: readonly Source[];
  /** False leaves the tools that ship out. */
  readonly builtins?: boolean;
  /** Who is asked for approval. Without one, calls that need it answer `pending`. */
  readonly approver?: Approver | ApprovalCallback;
  readonly policy?: Policy;
  readonly secrets?: Secrets;
  readonly model?: Model;
  readonly runtime?: Partial<Runtime>;
}

const openStore = async (
  wanted: CribOptions['store'],
  { config, root, runtime }: { config: Config; root: string; runtime: Runtime },
): Promise<Store> => {
  const { driver, path } = config.store;
  const choice = wanted ?? (driver === 'memory' ? 'memory' : { sqlite: path });
  if (choice === 'memory') return createMemoryStore();
  if (!('sqlite' in choice)) return choice;
  const { createSqliteStore } = await import('./stores/sqlite/create-sqlite-store.ts');
  const file = choice.sqlite === ':memory:' ? choice.sqlite : resolve(root, choice.sqlite);
  return createSqliteStore({ path: file, runtime });
};

const approverOf = (wanted: CribOptions['approver']): Approver | undefined =>
  typeof wanted === 'function' ? createCallbackApprover(wanted) : wanted;

const shippedTools = async (config: Config, runtime: Runtime): Promise<Source> => {
  const { builtinTools } = await import('./builtin-tools.ts');
  return builtinTools({ defaultZone: config.datetime.zone, now: runtime.now });
};

/** Makes a crib: loads the tools, and opens the store when the first call needs it. */
export const createCrib = async (options: CribOptions = {}): Promise<Crib> => {
  const config = parseConfig(options.config ?? {});
  const runtime = createRuntime(options.runtime);
  const events = createEventBus(runtime.log);
  const usage = new UsageStats();
  const root = resolve(options.root ?? '.', config.workspace.root);
  const registry = createRegistry({
    runtime,
    events,
    usage: (tool) => usage.of(tool),
    isEnabled: (name) => toolSettingsOf(config.tools, name)?.enabled,
  });
  const builtins = options.builtins === false ? [] : [await shippedTools(config, runtime)];
  await registry.load([...builtins, ...(options.sources ?? [])]);
  registry.registerAll(options.tools ?? []);

  const openEngine = async (store: Store): Promise<Engine> =>
    new Engine({
      store,
      registry,
      runtime,
      events,
      usage,
      working: createMemoryStore().memory,
      redactor: new Redactor(config.filtering.redactKeys),
      policy: options.policy ?? createTierPolicy(),
      secrets: options.secrets ?? createEnvironmentSecrets(readEnvironment()),
      model: options.model ?? createNoModel(),
      approver: approverOf(options.approver),
      guard: createPathGuard({ root, extraRoots: config.workspace.extraRoots }),
      settings: engineSettings(config),
      fetch: globalThis.fetch,
    });

  return new LocalCrib({
    registry,
    events,
    runtime,
    openEngine,
    openStore: () => openStore(options.store, { config, root, runtime }),
    maxConcurrentTools: config.execution.maxConcurrentTools,
    hasModel: options.model?.configured ?? false,
  });
};

/**
 * The half of the composition root that a call needs and a listing does not: store, engine and their
 * drivers. It is loaded with the first call.
 */
import { resolve } from 'node:path';
import { type ApprovalCallback, createCallbackApprover } from './approvers/callback.ts';
import { ignoreState } from './config/ignore-state.ts';
import { readEnvironment } from './config/read-environment.ts';
import type { Config } from './config/schema.ts';
import type { Approver } from './contract/approver.ts';
import type { Events } from './contract/events.ts';
import type { Model } from './contract/model.ts';
import type { Policy } from './contract/policy.ts';
import type { Runtime } from './contract/runtime.ts';
import type { Secrets } from './contract/secrets.ts';
import type { Store } from './contract/store.ts';
import { engineSettings } from './engine-settings.ts';
import { createPathGuard } from './governance/path-guard.ts';
import { Redactor } from './governance/redaction.ts';
import { createTierPolicy } from './governance/tier-policy.ts';
import { createNoModel } from './models/no-model.ts';
import type { UsageStats } from './observation/usage-stats.ts';
import { Engine } from './pipeline/engine.ts';
import type { Registry } from './registry/registry.ts';
import { createEnvironmentSecrets } from './secrets/environment.ts';
import { createMemoryStore } from './stores/memory/create-memory-store.ts';

/** What the maker of a crib may choose. */
export interface EngineChoices {
  readonly store?: 'memory' | { readonly sqlite: string } | Store;
  readonly approver?: Approver | ApprovalCallback;
  readonly policy?: Policy;
  readonly secrets?: Secrets;
  readonly model?: Model;
}

export interface EngineSite {
  readonly config: Config;
  /** The project, absolute: relative paths of the configuration start here. */
  readonly project: string;
  /** The workspace, absolute. */
  readonly root: string;
  readonly runtime: Runtime;
  readonly events: Events;
  readonly registry: Registry;
  readonly usage: UsageStats;
}

export const openStore = async (
  wanted: EngineChoices['store'],
  { config, project, runtime }: EngineSite,
): Promise<Store> => {
  const { driver, path } = config.store;
  const choice = wanted ?? (driver === 'memory' ? 'memory' : { sqlite: path });
  if (choice === 'memory') return createMemoryStore();
  if (!('sqlite' in choice)) return choice;
  const { createSqliteStore } = await import('./stores/sqlite/create-sqlite-store.ts');
  if (choice.sqlite === ':memory:') return createSqliteStore({ path: choice.sqlite, runtime });
  const file = resolve(project, choice.sqlite);
  const store = await createSqliteStore({ path: file, runtime });
  await ignoreState(file);
  return store;
};

const approverOf = (wanted: EngineChoices['approver']): Approver | undefined =>
  typeof wanted === 'function' ? createCallbackApprover(wanted) : wanted;

export const openEngine = (store: Store, choices: EngineChoices, site: EngineSite): Engine => {
  const { config, root } = site;
  return new Engine({
    ...site,
    store,
    working: createMemoryStore().memory,
    redactor: new Redactor(config.filtering.redactKeys),
    policy: choices.policy ?? createTierPolicy(),
    secrets: choices.secrets ?? createEnvironmentSecrets(readEnvironment()),
    model: choices.model ?? createNoModel(),
    approver: approverOf(choices.approver),
    guard: createPathGuard({ root, extraRoots: config.workspace.extraRoots }),
    settings: engineSettings(config),
    fetch: globalThis.fetch,
  });
};

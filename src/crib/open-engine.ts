/**
 * Opens the engine and its drivers: the part of the composition root that calls need and listings do not.
 * It is loaded with the first call.
 */
import { resolve } from 'node:path';
import { type ApprovalCallback, createCallbackApprover } from '../approvers/callback.ts';
import { readEnvironment } from '../config/read-environment.ts';
import type { Config } from '../config/schema.ts';
import type { Approver } from '../contract/approver.ts';
import type { BackgroundServices } from '../contract/background-services.ts';
import type { Events } from '../contract/events.ts';
import type { Model } from '../contract/model.ts';
import type { Policy } from '../contract/policy.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Sandboxes } from '../contract/sandbox.ts';
import type { Secrets } from '../contract/secrets.ts';
import type { Store } from '../contract/store.ts';
import type { Validator } from '../contract/tool.ts';
import { createEgress, type Egress, type EgressInit } from '../governance/egress/create-egress.ts';
import { createPathGuard } from '../governance/paths/path-guard.ts';
import { learnAll, learningSecrets } from '../governance/redaction/learn-all.ts';
import { redactingLog } from '../governance/redaction/redacting-log.ts';
import type { Redactor } from '../governance/redaction/redaction.ts';
import type { SigningKey } from '../governance/signing/open-signing-key.ts';
import { createNoModel } from '../models/no-model.ts';
import type { UsageStats } from '../observation/usage-stats.ts';
import { Engine } from '../pipeline/engine.ts';
import type { Registry } from '../registry/registry.ts';
import { createSecretChain } from '../secrets/chain.ts';
import { createMemoryStore } from '../stores/memory/create-memory-store.ts';
import { userDirOf } from '../trust/project-trust.ts';
import { engineSettings } from './engine-settings.ts';
import { openSecrets } from './open-secrets.ts';
import { scopeOf } from './sources/open-egress.ts';

/** Options of `createCrib` that concern the engine. */
export interface EngineOptions {
  readonly approver?: Approver | ApprovalCallback;
  readonly secrets?: Secrets;
  /** The folder of the secrets file; by default the user's configuration folder. */
  readonly home?: string;
  readonly model?: Model;
  /** Services for jobs; a service for embeddings is used instead of the model's own. */
  readonly background?: BackgroundServices;
  /** Business rules by tool name, `*` for every tool; a tool's own validators hold as well. */
  readonly validators?: Readonly<Record<string, readonly Validator[]>>;
  /** Names of tools whose file is not trusted: a call of one is refused with that reason. */
  readonly untrustedTools?: ReadonlySet<string>;
}

export interface OpenEngineDeps {
  readonly config: Config;
  /** The project, absolute: relative paths of the configuration start here. */
  readonly project: string;
  /** The workspace, absolute. */
  readonly root: string;
  readonly runtime: Runtime;
  readonly events: Events;
  readonly registry: Registry;
  readonly usage: UsageStats;
  readonly policy: Policy;
  readonly sandboxes: Sandboxes;
  readonly redactor: Redactor;
  signingKey(): Promise<SigningKey>;
  /** Tells whether a team sets the limits of a tool; absent without a team. */
  readonly isEnforcedByTeam?: ((name: string) => boolean) | undefined;
}

const approverOf = ({ approver }: EngineOptions): Approver | undefined =>
  typeof approver === 'function' ? createCallbackApprover(approver) : approver;

/** Returns the secret keys that tools declare. */
const declaredKeys = (registry: Registry): readonly string[] =>
  registry
    .list()
    .flatMap(({ tool }) => [
      ...(tool.needs?.secrets ?? []),
      ...(tool.auth ? [tool.auth.configKey] : []),
    ]);

/** Opens the secret sources. The redactor gets their values before the first call. */
const secretsFor = async (
  { secrets, home }: EngineOptions,
  { config, registry, runtime }: OpenEngineDeps,
  redactor: Redactor,
): Promise<Secrets> => {
  const env = readEnvironment();
  const folder = home ?? userDirOf({ cwd: resolve('.'), env });
  const sources = secrets ? [secrets] : openSecrets({ config, env, home: folder });
  await learnAll(redactor, { sources, keys: declaredKeys(registry), log: runtime.log });
  return learningSecrets(createSecretChain(sources), redactor);
};

/** How models get their keys and reach their endpoints. */
interface ModelAccess {
  readonly secrets: Secrets;
  readonly egress: Egress;
}

/** Makes the `fetch` of a model: through the egress guard, as for tools, and to one host. */
const fetchFrom =
  (host: string, egress: Egress): typeof globalThis.fetch =>
  (input, init) => {
    const scope = scopeOf([host], init?.signal ?? undefined);
    return egress.fetch(input, { ...init, scope } as EgressInit);
  };

/** Opens the configured model, or none. */
const modelOf = async (
  { config, runtime }: OpenEngineDeps,
  { secrets, egress }: ModelAccess,
): Promise<Model> => {
  if (!config.model) return createNoModel();
  const { createModel, modelAddress } = await import('../models/create-model.ts');
  const { inputUsdPerMillion, outputUsdPerMillion, embedding: _, ...endpoint } = config.model;
  const settings = {
    ...endpoint,
    ...(inputUsdPerMillion !== undefined && {
      pricing: {
        inputPerMillion: inputUsdPerMillion,
        outputPerMillion: outputUsdPerMillion ?? inputUsdPerMillion,
      },
    }),
  };
  const fetch = fetchFrom(modelAddress(settings).host, egress);
  return createModel(settings, { secret: (key) => secrets.get(key), fetch, now: runtime.now });
};

/** Adds what makes vectors to the model: the program's service, or the configured one. */
const withEmbeddings = async (
  { model, background }: EngineOptions,
  deps: OpenEngineDeps,
  access: ModelAccess,
): Promise<Model> => {
  const main = model ?? (await modelOf(deps, access));
  if (background?.embeddings) {
    const { programEmbedder } = await import('./background/program-embedder.ts');
    return { ...main, ...programEmbedder(background.embeddings) };
  }
  const settings = deps.config.model;
  if (model || !settings?.embedding) return main;
  const { createEmbedder, embedderSettings } = await import('../models/create-embedder.ts');
  const own = embedderSettings(settings, settings.embedding);
  const fetch = fetchFrom(new URL(own.baseUrl).host, access.egress);
  const { secrets } = access;
  const { now } = deps.runtime;
  return { ...main, ...createEmbedder(own, { secret: (key) => secrets.get(key), fetch, now }) };
};

export const openEngine = async (
  store: Store,
  options: EngineOptions,
  deps: OpenEngineDeps,
): Promise<Engine> => {
  const { config, root, runtime, redactor } = deps;
  const secrets = await secretsFor(options, deps, redactor);
  const egress = createEgress(config.egress);
  return new Engine({
    ...deps,
    runtime: { ...runtime, log: redactingLog(runtime.log, redactor) },
    store,
    working: createMemoryStore().memory,
    redactor,
    policy: deps.policy,
    secrets,
    model: await withEmbeddings(options, deps, { secrets, egress }),
    approver: approverOf(options),
    guard: createPathGuard({ root, extraRoots: config.workspace.extraRoots }),
    validators: options.validators,
    untrustedTools: options.untrustedTools,
    settings: engineSettings(config, deps.isEnforcedByTeam),
    egress,
  });
};

/** Opens the dependencies of the checks of one round. Values that several checks use are read once a round. */
import { createRequire } from 'node:module';
import { readEnvironment } from '../../config/read-environment.ts';
import type { Config } from '../../config/schema.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { CribJobs } from '../../contract/job.ts';
import type { SandboxType } from '../../contract/sandbox.ts';
import type { Secrets } from '../../contract/secrets.ts';
import type { Servers } from '../../contract/servers.ts';
import type { CribSources } from '../../contract/sources.ts';
import type { Store } from '../../contract/store.ts';
import { learningSecrets } from '../../governance/redaction/learn-all.ts';
import type { Redactor } from '../../governance/redaction/redaction.ts';
import { within } from '../../kit/data/bounded-work.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';
import { errorCodeOf } from '../../kit/data/reason-of.ts';
import { findProgram, pathFolders } from '../../kit/file/find-program.ts';
import type {
  HealthDeps,
  ModelFacts,
  PendingChecks,
} from '../../observation/health/health-deps.ts';
import type { RoundOptions } from '../../observation/health/health-service.ts';
import type { Engine } from '../../pipeline/engine.ts';
import type { Registry } from '../../registry/registry.ts';
import { createSecretChain } from '../../secrets/chain.ts';
import { openSecrets } from '../open-secrets.ts';

export interface OpenRoundDeps {
  readonly config: Config;
  readonly runtime: HealthDeps['runtime'];
  /** The user's folder, absolute. */
  readonly home: string;
  /** The program's secrets; the configured sources when absent. */
  readonly secrets: Secrets | undefined;
  readonly hasOwnModel: boolean;
  readonly registry: Registry;
  readonly servers: Pick<Servers, 'list' | 'test'>;
  readonly sources: Pick<CribSources, 'list' | 'test'>;
  readonly jobs: Pick<CribJobs, 'list'>;
  readonly pending: PendingChecks;
  sandboxes(): ReturnType<HealthDeps['sandboxes']>;
  redactor(): Promise<Redactor>;
  store(): Promise<Store>;
  /** Returns the engine if it is open already. */
  engine(): Engine | undefined;
}

const askedOnce = <T>(ask: (key: string) => Promise<T>): ((key: string) => Promise<T>) => {
  const answers = new Map<string, Promise<T>>();
  return (key) => {
    const answer = answers.get(key) ?? ask(key);
    answers.set(key, answer);
    return answer;
  };
};

/** Tells whether a package can be loaded from here. One that exports nothing to CommonJS counts as installed. */
const isInstalled = (name: string): boolean => {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch (error) {
    return errorCodeOf(error) !== 'MODULE_NOT_FOUND';
  }
};

/** Tells whether a program comes with Toolcrib: the process sandbox runs those for tools. */
const isBundled = (name: string): boolean => {
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(name)) return false;
  try {
    createRequire(import.meta.url).resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
};

/** Reads the settings of the model; `undefined` without a model. */
const modelFacts = (
  { model }: Pick<Config, 'model'>,
  has: (name: string) => boolean = isInstalled,
): ModelFacts | undefined => {
  if (!model) return undefined;
  const { provider, apiKeyRef } = model;
  return {
    label: `${model.model} (${provider})`,
    missingPackages: ['ai', `@ai-sdk/${provider}`].filter((name) => !has(name)),
    install: `npm install ai@6 @ai-sdk/${provider}`,
    ...(apiKeyRef !== undefined && { keyName: apiKeyRef }),
  };
};

/** Reads a secret as a call does: the first source that has it counts, and a blank value is none. */
const secretOf =
  (secrets: Secrets) =>
  async (key: string): Promise<string | undefined> => {
    const value = await secrets.get(key);
    return value === undefined || value.trim() === '' ? undefined : value;
  };

/** Asks a server; when none may be started, returns the last state of one that does not run. */
const askServer =
  ({ servers, runtime }: OpenRoundDeps, { timeoutMs, startServers }: RoundOptions) =>
  async (name: string) => {
    const status = servers.list().find((server) => server.name === name);
    const mayStart = startServers === 'untried' ? status?.lastError === undefined : startServers;
    if (mayStart || !status || status.state === 'ready') {
      return within(runtime, timeoutMs, () => servers.test(name));
    }
    if (status.lastError === undefined || status.state === 'needs_login') return status;
    throw new ToolFailure('SERVER_ERROR', status.lastError);
  };

const missingTools =
  (registry: Registry) =>
  (tool: string): readonly string[] => {
    const { missing, cycles } = registry.dependencies(tool);
    const circles = cycles.map((names) => `tools that need each other (${names.join(', ')})`);
    return [...missing.map(({ needs }) => needs), ...circles];
  };

const sandboxIn =
  (sandboxes: HealthDeps['sandboxes']): HealthDeps['sandbox'] =>
  async (type: SandboxType) => {
    const sandbox = (await sandboxes()).find((one) => one.type === type);
    return sandbox ?? { ready: false, reason: 'there is none of this kind', install: '' };
  };

export const openRound = async (
  deps: OpenRoundDeps,
  options: RoundOptions,
): Promise<HealthDeps> => {
  const { config, runtime, registry, servers, sources, jobs } = deps;
  const { timeoutMs } = options;
  const env = readEnvironment();
  const redactor = await deps.redactor();
  const chain = createSecretChain(
    deps.secrets ? [deps.secrets] : openSecrets({ config, env, home: deps.home }),
  );
  const { enabled, failures, restMs } = config.execution.breaker;
  const names = (name: string) => [name, `${name}.exe`, `${name}.cmd`];
  const sandboxes = lazyAsync(() => deps.sandboxes());
  const store = await within(runtime, timeoutMs, () => deps.store()).catch(() => undefined);
  return {
    runtime,
    timeoutMs,
    pending: deps.pending,
    store: deps.store,
    breaker: enabled ? { failures, restMs } : undefined,
    audit: store?.audit,
    secret: askedOnce(secretOf(learningSecrets(chain, redactor))),
    hasProgram: askedOnce(
      async (name) =>
        isBundled(name) ||
        (await findProgram({ names: names(name), folders: pathFolders(env) })) !== undefined,
    ),
    sandboxes,
    sandbox: sandboxIn(sandboxes),
    server: askedOnce(askServer(deps, options)),
    missingTools: missingTools(registry),
    circuit: (name) => {
      const entry = registry.get(name);
      return entry && deps.engine()?.shared.circuitOf(entry.tool, runtime.now());
    },
    askQueue: async () => void (await jobs.list({ limit: 1 })),
    model: deps.hasOwnModel ? 'given' : modelFacts(config),
    servers: () => servers.list(),
    sources: () => sources.list(),
    testSource: async (name) => void (await sources.test(name, AbortSignal.timeout(timeoutMs))),
    tools: () => registry.list({ enabled: true }),
    tool: (name) => registry.get(name),
    redact: (text) => redactor.text(text),
  };
};

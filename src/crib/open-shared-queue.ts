/** Opens the queues that processes on several machines share. Loaded only where one is configured. */
import { readEnvironment } from '../config/read-environment.ts';
import type { Config } from '../config/schema.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { Queue } from '../contract/queue.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Secrets } from '../contract/secrets.ts';
import { createEgress } from '../governance/egress/create-egress.ts';
import { createSecretChain } from '../secrets/chain.ts';
import { resolveSecrets } from '../sources/mcp/resolve-secrets.ts';
import { openSecrets } from './open-secrets.ts';
import { workerEndpoint } from './worker-endpoint.ts';

export interface SharedQueueDeps {
  readonly config: Pick<Config, 'jobs' | 'secrets' | 'egress'>;
  readonly runtime: Runtime;
  /** The user's configuration folder. */
  readonly userDir: string;
  /** Replaces the sources of secrets that the configuration names. */
  readonly secrets?: Secrets | undefined;
}

/** The address is a secret as a whole. */
const WHOLE = /^\$\{secret:[^{}]+\}$/;
const SEND_MS = 10_000;
const MAX_ANSWER_BYTES = 65_536;

const secretsOf = ({ config, userDir, secrets }: SharedQueueDeps): Secrets =>
  secrets ?? createSecretChain(openSecrets({ config, env: readEnvironment(), home: userDir }));

const readSecret = async (key: string, secrets: Secrets): Promise<string> => {
  const value = (await secrets.get(key))?.trim();
  if (value) return value;
  throw new ToolFailure('CONFIG_INVALID', `The queue needs the secret ${key}, which is not set.`, {
    suggestions: [`Set it with: toolcrib secrets set ${key}`],
  });
};

/** A secret within an address is percent-encoded, because a password may hold any character. */
const resolvedUrl = async (url: string, deps: SharedQueueDeps): Promise<string> => {
  const secrets = secretsOf(deps);
  const encode = WHOLE.test(url) ? String : encodeURIComponent;
  const secret = async (key: string): Promise<string> => encode(await readSecret(key, secrets));
  return (await resolveSecrets({ url }, secret)).url ?? url;
};

export const openRedisQueue = async (url: string, deps: SharedQueueDeps): Promise<Queue> => {
  const { createBullmqQueue } = await import('../queues/bullmq/create-bullmq-queue.ts');
  const { config, runtime } = deps;
  const address = await resolvedUrl(url, deps);
  // In braces, so that a cluster keeps all keys in one place.
  return createBullmqQueue({ address, prefix: `{${config.jobs.prefix}}` }, { runtime });
};

export const openQstashQueue = async (deps: SharedQueueDeps): Promise<Queue> => {
  const { QstashQueue } = await import('../queues/qstash/qstash-queue.ts');
  const { config, runtime } = deps;
  const api = config.jobs.qstash.api.replace(/\/+$/, '');
  const secrets = secretsOf(deps);
  const guard = createEgress({ ...config.egress, maxResponseBytes: MAX_ANSWER_BYTES });
  const scope = {
    hosts: [new URL(api).hostname],
    signal: () => AbortSignal.timeout(SEND_MS),
    onHop: () => undefined,
  };
  return new QstashQueue({
    runtime,
    api,
    endpoint: workerEndpoint(config, readEnvironment()),
    token: () => readSecret('QSTASH_TOKEN', secrets),
    fetch: (url, init) => guard.fetch(url, { ...init, scope }),
  });
};

/**
 * What the HTTP surface needs to take what other services send: jobs of QStash and the answers of
 * workflows, each with the keys that its sender signs with.
 */
import type { LoadedSettings } from '../config/loaded-settings.ts';
import type { CribHost } from '../contract/crib-host.ts';
import type { Runtime } from '../contract/runtime.ts';
import { workerEndpoint } from '../crib/queue/worker-endpoint.ts';
import { isLoopbackHost } from '../kit/http/loopback.ts';
import type { HttpDeps, JobDelivery } from '../surfaces/http/http-deps.ts';

export interface DeliveryDeps {
  readonly crib: CribHost;
  readonly loaded: Pick<LoadedSettings, 'config' | 'userDir'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runtime: Pick<Runtime, 'now' | 'log'>;
}

/** Reads a secret from the first source that has one; blanks are none. */
const readSecret = async (
  key: string,
  { loaded: { config, userDir }, env }: DeliveryDeps,
): Promise<string | undefined> => {
  const { openSecrets } = await import('../crib/open-secrets.ts');
  for (const source of openSecrets({ config, env, home: userDir })) {
    const value = await source.get(key);
    if (value !== undefined && value.trim() !== '') return value;
  }
  return undefined;
};

/** Keys of the development server of QStash, which are public. */
const PUBLIC_KEYS: ReadonlySet<string> = new Set([
  'sig_7kYjw48mhY7kAjqNGcy6cr29RJ6r',
  'sig_5ZB6DVzB1wjE8S6rZ7eenA8Pdnhs',
]);

/**
 * Makes what jobs of QStash need. Throws CONFIG_INVALID where the address of this server is not set.
 */
export const jobDeliveryOf = (deps: DeliveryDeps): JobDelivery => {
  const { crib, loaded, env, runtime } = deps;
  const endpoint = workerEndpoint(loaded.config, env);
  const isDevelopment = isLoopbackHost(new URL(endpoint).hostname);
  const readKey = async (key: string) => (await readSecret(key, deps))?.trim();
  return {
    urlFor: (type) => `${endpoint}/jobs/${encodeURIComponent(type)}`,
    keys: async () => {
      const current = await readKey('QSTASH_CURRENT_SIGNING_KEY');
      const next = await readKey('QSTASH_NEXT_SIGNING_KEY');
      if (current === undefined) {
        runtime.log.error('A delivery was refused: QSTASH_CURRENT_SIGNING_KEY is not set.');
        return undefined;
      }
      if (!isDevelopment && [current, next].some((key) => key && PUBLIC_KEYS.has(key))) {
        runtime.log.error('A delivery was refused: the signing keys are those for development.');
        return undefined;
      }
      return { current, next };
    },
    run: (job, attempts) => crib.deliverJob(job, attempts),
  };
};

/** Shorter secrets can be guessed by trying. */
const MIN_SECRET_LENGTH = 16;

/**
 * Makes what answers of workflows need; nothing where no source of the configuration has a secret to sign
 * with.
 */
export const workflowCallbacksOf = (deps: DeliveryDeps): Pick<HttpDeps, 'workflowCallbacks'> => {
  const { crib, loaded, runtime } = deps;
  const { n8n } = loaded.config.sources;
  if (!Object.values(n8n).some(({ webhookSecret }) => webhookSecret !== undefined)) return {};
  return {
    workflowCallbacks: {
      secret: async (source) => {
        const settings = Object.hasOwn(n8n, source) ? n8n[source] : undefined;
        const { webhookSecret: key, enabled } = settings ?? {};
        const value =
          key === undefined || enabled === false ? undefined : await readSecret(key, deps);
        if (value === undefined || value.length >= MIN_SECRET_LENGTH) return value;
        runtime.log.error('A callback was refused: its secret is too short.', { source });
        return undefined;
      },
      complete: async (source, completion) => {
        const { completeWorkflow } = await import('../crib/sources/later-workflows.ts');
        return completeWorkflow(crib, source, { completion, runtime });
      },
    },
  };
};

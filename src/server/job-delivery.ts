/** What the HTTP surface needs to take jobs from QStash: the address that it signs, and its keys. */
import type { LoadedSettings } from '../config/loaded-settings.ts';
import { isLoopbackHost } from '../config/sections/server.ts';
import type { CribHost } from '../contract/crib-host.ts';
import type { Runtime } from '../contract/runtime.ts';
import { workerEndpoint } from '../crib/queue/worker-endpoint.ts';
import type { JobDelivery } from '../surfaces/http/http-deps.ts';

export interface DeliveryDeps {
  readonly crib: Pick<CribHost, 'deliverJob'>;
  readonly loaded: Pick<LoadedSettings, 'config' | 'userDir'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runtime: Pick<Runtime, 'log'>;
}

/** Keys of the development server of QStash, which are public. */
const PUBLIC_KEYS: ReadonlySet<string> = new Set([
  'sig_7kYjw48mhY7kAjqNGcy6cr29RJ6r',
  'sig_5ZB6DVzB1wjE8S6rZ7eenA8Pdnhs',
]);

/**
 * Makes what the surface needs. Throws CONFIG_INVALID where the address of this server is not set.
 */
export const jobDeliveryOf = ({ crib, loaded, env, runtime }: DeliveryDeps): JobDelivery => {
  const { config, userDir } = loaded;
  const endpoint = workerEndpoint(config, env);
  const isDevelopment = isLoopbackHost(new URL(endpoint).hostname);
  const readKey = async (key: string): Promise<string | undefined> => {
    const { openSecrets } = await import('../crib/open-secrets.ts');
    for (const source of openSecrets({ config, env, home: userDir })) {
      const value = (await source.get(key))?.trim();
      if (value) return value;
    }
    return undefined;
  };
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

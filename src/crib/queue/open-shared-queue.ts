/** Opens the queues that processes on several machines share. Loaded only where one is configured. */
import { readEnvironment } from '../../config/read-environment.ts';
import type { Config } from '../../config/schema.ts';
import type { Queue } from '../../contract/queue.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { createEgress } from '../../governance/egress/create-egress.ts';
import { type AddressDeps, neededSecret, resolveAddress, secretsFor } from '../resolve-address.ts';
import { scopeOf } from '../sources/open-egress.ts';
import { workerEndpoint } from './worker-endpoint.ts';

export interface SharedQueueDeps extends AddressDeps {
  readonly config: Pick<Config, 'jobs' | 'secrets' | 'egress'>;
  readonly runtime: Runtime;
}

const SEND_MS = 10_000;
/** A page of the log holds twenty events with the jobs that they are about. */
const MAX_ANSWER_BYTES = 24 * 1024 * 1024;

export const openRedisQueue = async (url: string, deps: SharedQueueDeps): Promise<Queue> => {
  const { createBullmqQueue } = await import('../../queues/bullmq/create-bullmq-queue.ts');
  const { config, runtime } = deps;
  const address = await resolveAddress(url, 'queue', deps);
  // In braces, so that a cluster keeps all keys on one node.
  return createBullmqQueue({ address, prefix: `{${config.jobs.prefix}}` }, { runtime });
};

export const openQstashQueue = async (deps: SharedQueueDeps): Promise<Queue> => {
  const { QstashQueue } = await import('../../queues/qstash/qstash-queue.ts');
  const { config, runtime } = deps;
  const api = config.jobs.qstash.api.replace(/\/+$/, '');
  const secrets = secretsFor(deps);
  const guard = createEgress({ ...config.egress, maxResponseBytes: MAX_ANSWER_BYTES });
  const hosts = [new URL(api).hostname];
  return new QstashQueue({
    runtime,
    api,
    endpoint: workerEndpoint(config, readEnvironment()),
    token: () => neededSecret('QSTASH_TOKEN', secrets, 'queue'),
    fetch: (url, init) => {
      const scope = scopeOf(hosts, AbortSignal.timeout(SEND_MS));
      return guard.fetch(url, { ...init, scope });
    },
  });
};

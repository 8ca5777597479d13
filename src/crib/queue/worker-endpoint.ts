/** Reads at which address QStash reaches our server. */
import type { Config } from '../../config/schema.ts';
import { ToolFailure } from '../../contract/errors.ts';

/** Returns the address without a slash at its end. Throws CONFIG_INVALID without one. */
export const workerEndpoint = (
  { jobs }: Pick<Config, 'jobs'>,
  env: Readonly<Record<string, string | undefined>>,
): string => {
  const endpoint = jobs.qstash.endpoint ?? env.WORKER_ENDPOINT ?? '';
  if (/^https?:\/\/[^/]/.test(endpoint) && URL.canParse(endpoint)) {
    return endpoint.replace(/\/+$/, '');
  }
  throw new ToolFailure('CONFIG_INVALID', 'QStash needs the address of the server it posts to.', {
    suggestions: ['Set jobs.qstash.endpoint, or WORKER_ENDPOINT in the environment.'],
  });
};

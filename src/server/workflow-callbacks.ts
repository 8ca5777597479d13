/** What the HTTP surface needs to take the answers of workflows: the secrets of their sources, and the records. */
import type { LoadedSettings } from '../config/loaded-settings.ts';
import type { CribHost } from '../contract/crib-host.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { HttpDeps } from '../surfaces/http/http-deps.ts';

export interface CallbackDeps {
  readonly crib: CribHost;
  readonly loaded: Pick<LoadedSettings, 'config' | 'userDir'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runtime: Pick<Runtime, 'now' | 'log'>;
}

/** Shorter secrets can be guessed by trying. */
const MIN_SECRET_LENGTH = 16;

/**
 * Makes what the surface needs; nothing where no source of the configuration has a secret to sign
 * with.
 */
export const workflowCallbacksOf = ({
  crib,
  loaded,
  env,
  runtime,
}: CallbackDeps): Pick<HttpDeps, 'workflowCallbacks'> => {
  const { config, userDir } = loaded;
  const { n8n } = config.sources;
  if (!Object.values(n8n).some(({ webhookSecret }) => webhookSecret !== undefined)) return {};
  const readSecret = async (key: string): Promise<string | undefined> => {
    const { openSecrets } = await import('../crib/open-secrets.ts');
    for (const source of openSecrets({ config, env, home: userDir })) {
      const value = await source.get(key);
      if (value) return value;
    }
    return undefined;
  };
  return {
    workflowCallbacks: {
      secret: async (source) => {
        const settings = Object.hasOwn(n8n, source) ? n8n[source] : undefined;
        const { webhookSecret: key, enabled } = settings ?? {};
        const value = key === undefined || enabled === false ? undefined : await readSecret(key);
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

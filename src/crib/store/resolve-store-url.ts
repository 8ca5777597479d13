/** Replaces references to secrets in the address of a store. */
import { readEnvironment } from '../../config/read-environment.ts';
import type { Config } from '../../config/schema.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Secrets } from '../../contract/secrets.ts';
import { createSecretChain } from '../../secrets/chain.ts';
import { resolveSecrets } from '../../sources/mcp/resolve-secrets.ts';
import { openSecrets } from '../open-secrets.ts';

export interface StoreUrlDeps {
  readonly config: Pick<Config, 'secrets'>;
  /** The user's configuration folder. */
  readonly userDir: string;
  readonly secrets?: Secrets | undefined;
}

/** The address is a secret as a whole. */
const WHOLE = /^\$\{secret:[^{}]+\}$/;

const sourceOf = ({ config, userDir, secrets }: StoreUrlDeps): Secrets =>
  secrets ?? createSecretChain(openSecrets({ config, env: readEnvironment(), home: userDir }));

/**
 * Returns the address to connect to. A secret within it is percent-encoded, because a password may hold
 * any character. Fails with CONFIG_INVALID for a secret that is not set.
 */
export const resolveStoreUrl = async (url: string, deps: StoreUrlDeps): Promise<string> => {
  const encode = WHOLE.test(url) ? String : encodeURIComponent;
  const source = sourceOf(deps);
  const values = await resolveSecrets({ url }, async (key) => {
    const value = (await source.get(key))?.trim();
    if (value) return encode(value);
    throw new ToolFailure(
      'CONFIG_INVALID',
      `The store needs the secret ${key}, which is not set.`,
      {
        suggestions: [`Set it with: toolcrib secrets set ${key}`],
      },
    );
  });
  return values.url ?? url;
};

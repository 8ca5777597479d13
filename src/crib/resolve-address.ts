/** Replaces references to secrets in the address of a store or a queue. */
import { readEnvironment } from '../config/read-environment.ts';
import type { Config } from '../config/schema.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { Secrets } from '../contract/secrets.ts';
import { resolveSecrets } from '../kit/text/resolve-secrets.ts';
import { createSecretChain } from '../secrets/chain.ts';
import { openSecrets } from './open-secrets.ts';

export interface AddressDeps {
  readonly config: Pick<Config, 'secrets'>;
  /** The user's configuration folder. */
  readonly userDir: string;
  /** Replaces the sources of secrets that the configuration names. */
  readonly secrets?: Secrets | undefined;
}

/** The address is a secret as a whole. */
const WHOLE = /^\$\{secret:[^{}]+\}$/;

export const secretsFor = ({ config, userDir, secrets }: AddressDeps): Secrets =>
  secrets ?? createSecretChain(openSecrets({ config, env: readEnvironment(), home: userDir }));

/** Reads a secret that `who` cannot do without. Fails with CONFIG_INVALID when it is not set. */
export const neededSecret = async (key: string, secrets: Secrets, who: string): Promise<string> => {
  const value = (await secrets.get(key))?.trim();
  if (value) return value;
  throw new ToolFailure('CONFIG_INVALID', `The ${who} needs the secret ${key}, which is not set.`, {
    suggestions: [`Set it with: toolcrib secrets set ${key}`],
  });
};

/**
 * Returns the address to connect to. A secret within it is percent-encoded, because a password may hold
 * any character. Fails with CONFIG_INVALID for a secret that is not set.
 */
export const resolveAddress = async (
  url: string,
  who: 'store' | 'queue',
  deps: AddressDeps,
): Promise<string> => {
  const encode = WHOLE.test(url) ? String : encodeURIComponent;
  const secrets = secretsFor(deps);
  const secret = async (key: string) => encode(await neededSecret(key, secrets, who));
  return (await resolveSecrets({ url }, secret)).url ?? url;
};

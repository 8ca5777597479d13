/** The user's own folder: configuration, keys, and state that must not lie in a project. */
import { join, resolve } from 'node:path';
import { homeOf, userConfigDir } from '../config/load/find-config-files.ts';
import { readEnvironment } from '../config/read-environment.ts';
import type { SigningKey } from '../governance/signing/open-signing-key.ts';

/** Returns `home` where it is given, otherwise the folder that the environment names. */
export const userFolder = (home: string | undefined): string => {
  const env = readEnvironment();
  const { platform } = process;
  return home ?? userConfigDir({ cwd: resolve('.'), env, home: homeOf(env), platform });
};

/** Opens the user's signing key, and makes one where there is none. */
export const openUserKey = async (home: string | undefined): Promise<SigningKey> => {
  const { openSigningKey } = await import('../governance/signing/open-signing-key.ts');
  return openSigningKey(join(userFolder(home), 'keys', 'signing.pem'));
};

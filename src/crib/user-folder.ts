/** The user's own folder: configuration, keys, and state that must not lie in a project. */
import { join, resolve } from 'node:path';
import { homeOf, userConfigDir } from '../config/load/find-config-files.ts';
import { readEnvironment } from '../config/read-environment.ts';
import type { SigningKey } from '../governance/signing/open-signing-key.ts';

/** Returns `home`, else the folder that the environment names. */
export const userFolder = (home: string | undefined): string => {
  const env = readEnvironment();
  const { platform } = process;
  return home ?? userConfigDir({ cwd: resolve('.'), env, home: homeOf(env), platform });
};

const ownKeyFile = (userDir: string): string => join(userDir, 'keys', 'signing.pem');

/**
 * Opens the user's signing key, and makes one when there is none. A file that the environment names has
 * to exist: a new key in its place would seal what no other machine accepts.
 */
export const openUserKey = async (userDir: string): Promise<SigningKey> => {
  const { openNamedKey, openSigningKey } = await import(
    '../governance/signing/open-signing-key.ts'
  );
  const named = readEnvironment().TOOLCRIB_SIGNING_KEY_FILE;
  return named ? openNamedKey(resolve(named)) : openSigningKey(ownKeyFile(userDir));
};

/** Reads the user's signing key without making one. */
export const readUserKey = async (userDir: string): Promise<SigningKey | undefined> => {
  const { openNamedKey, readSigningKey } = await import(
    '../governance/signing/open-signing-key.ts'
  );
  const named = readEnvironment().TOOLCRIB_SIGNING_KEY_FILE;
  return named ? openNamedKey(resolve(named)) : readSigningKey(ownKeyFile(userDir));
};

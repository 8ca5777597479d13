/** Chooses the places where secrets are kept, as the configuration says. */
import { resolve } from 'node:path';
import type { Config } from '../config/schema.ts';
import type { Secrets, SecretVault } from '../contract/secrets.ts';
import { createEnvironmentSecrets } from '../secrets/environment.ts';
import { createFileSecrets } from '../secrets/file/create-file-secrets.ts';
import { createKeychainSecrets } from '../secrets/keychain/create-keychain-secrets.ts';

export interface SecretDeps {
  readonly config: Pick<Config, 'secrets'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's configuration folder, absolute. */
  readonly home: string;
}

export type VaultName = 'file' | 'keychain';

/** A place to put secrets, whether it is looked at for tools or not. */
export const openVault = (name: VaultName, { config, home }: SecretDeps): SecretVault =>
  name === 'file' ? createFileSecrets(resolve(home, config.secrets.file)) : createKeychainSecrets();

/** Logins to servers are kept in the same places, for nobody but the way to that server. */
const isLogin = (key: string): boolean => /^mcp\.oauth:/i.test(key);

const withoutLogins = (vault: SecretVault): Secrets => ({
  label: vault.label,
  get: async (key) => (isLogin(key) ? undefined : vault.get(key)),
  ...(vault.keys && {
    keys: async () => (await vault.keys?.())?.filter((key) => !isLogin(key)) ?? [],
  }),
});

/** The places that tools get secrets from, the first one first. Nothing is opened before it is asked. */
export const openSecrets = (deps: SecretDeps): readonly Secrets[] =>
  deps.config.secrets.sources.map((source) =>
    source === 'environment'
      ? createEnvironmentSecrets(deps.env)
      : withoutLogins(openVault(source, deps)),
  );

/** Opens the secret sources that the configuration names. */
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

/** Opens a vault for writing, even one that tools do not read from. */
export const openVault = (name: VaultName, { config, home }: SecretDeps): SecretVault =>
  name === 'file' ? createFileSecrets(resolve(home, config.secrets.file)) : createKeychainSecrets();

/**
 * Recognizes the key of a login to an MCP server: it is in the same vaults, but only the connection to
 * that server may read it.
 */
const isLogin = (key: string): boolean => /^mcp\.oauth:/i.test(key);

const withoutLogins = (vault: SecretVault): Secrets => ({
  label: vault.label,
  get: async (key) => (isLogin(key) ? undefined : vault.get(key)),
  ...(vault.keys && {
    keys: async () => (await vault.keys?.())?.filter((key) => !isLogin(key)) ?? [],
  }),
});

/** Returns the sources that tools get secrets from, in order. Each is opened when it is first asked. */
export const openSecrets = (deps: SecretDeps): readonly Secrets[] =>
  deps.config.secrets.sources.map((source) =>
    source === 'environment'
      ? createEnvironmentSecrets(deps.env)
      : withoutLogins(openVault(source, deps)),
  );

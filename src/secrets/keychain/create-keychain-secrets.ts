/**
 * Secrets in the keychain of the operating system, below the service `toolcrib`. Its library is
 * loaded with the first use; without it, or without a keychain, every request fails and says why.
 */
import { ToolFailure } from '../../contract/errors.ts';
import type { SecretVault } from '../../contract/secrets.ts';
import { assertSecretKey, assertSecretValue } from '../secret-key.ts';

interface KeychainEntry {
  getPassword(): Promise<string | null | undefined>;
  setPassword(value: string): Promise<void>;
  deleteCredential(): Promise<boolean>;
}

/** The part of `@napi-rs/keyring` in use. */
export interface Keyring {
  readonly AsyncEntry: new (service: string, account: string) => KeychainEntry;
  findCredentialsAsync(service: string): Promise<readonly { readonly account: string }[]>;
}

const SERVICE = 'toolcrib';

const loadKeyring = (): Promise<Keyring> => import('@napi-rs/keyring');

const missing = (): ToolFailure =>
  new ToolFailure('DEPENDENCY_MISSING', 'The package @napi-rs/keyring is not installed.', {
    suggestions: [
      'npm install @napi-rs/keyring',
      'Or take "keychain" out of secrets.sources in your configuration.',
    ],
  });

/** Replaces the library's messages, which hold stack traces and differ from system to system. */
const unreachable = (): ToolFailure =>
  new ToolFailure('DEPENDENCY_MISSING', "The system's keychain cannot be reached.", {
    suggestions: [
      'Unlock it. On Linux a Secret Service has to run in your session, e.g. gnome-keyring.',
      'Or take "keychain" out of secrets.sources in your configuration.',
    ],
  });

export const createKeychainSecrets = (
  load: () => Promise<Keyring> = loadKeyring,
  service = SERVICE,
): SecretVault => {
  const ask = async <T>(question: (keyring: Keyring) => Promise<T>): Promise<T> => {
    const keyring = await load().catch(() => Promise.reject(missing()));
    try {
      return await question(keyring);
    } catch {
      throw unreachable();
    }
  };
  return {
    label: 'keychain',
    get: async (key) =>
      (await ask(({ AsyncEntry }) => new AsyncEntry(service, key).getPassword())) ?? undefined,
    keys: async () => {
      const credentials = await ask((keyring) => keyring.findCredentialsAsync(service));
      return credentials.map(({ account }) => account);
    },
    set: async (key, value) => {
      assertSecretKey(key);
      assertSecretValue(value);
      await ask(({ AsyncEntry }) => new AsyncEntry(service, key).setPassword(value));
    },
    remove: (key) => ask(({ AsyncEntry }) => new AsyncEntry(service, key).deleteCredential()),
  };
};

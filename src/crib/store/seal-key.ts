/**
 * Checks that a process holds the key that seals a store of several machines. With another key it would
 * reject the tokens, approvals and runs of the others as planted, and fail their jobs.
 */
import type { Config } from '../../config/schema.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Store } from '../../contract/store.ts';
import type { SigningKey } from '../../governance/signing/open-signing-key.ts';
import { sha256Hex } from '../../kit/data/canonical-json.ts';
import { type AddressDeps, resolveAddress } from '../resolve-address.ts';
import { openUserKey } from '../user-folder.ts';

const FINGERPRINT_LENGTH = 16;

/** Names a public key in a few characters, for people who compare two machines. */
export const fingerprintOf = (publicKey: string): string =>
  sha256Hex(publicKey).slice(0, FINGERPRINT_LENGTH);

/**
 * Checks the key; the first process on a store decides which one seals it. Fails with CONFIG_INVALID for
 * another key, and when the key cannot be opened: without it, entries of others cannot be distinguished
 * from planted ones.
 */
export const assertSealKey = async (
  { sealKey }: Pick<Store, 'sealKey'>,
  signingKey: () => Promise<SigningKey>,
): Promise<void> => {
  if (!sealKey) return;
  const own = (await signingKey()).publicKey;
  const remembered = await sealKey.claim(own);
  if (remembered === own) return;
  throw new ToolFailure(
    'CONFIG_INVALID',
    `The store is sealed by another signing key (${fingerprintOf(remembered)}) than this machine has (${fingerprintOf(own)}).`,
    {
      retryable: false,
      suggestions: [
        'Copy keys/signing.pem of a machine that works here, and name it in TOOLCRIB_SIGNING_KEY_FILE.',
        'If that key is lost: toolcrib store adopt-key. Its tokens, approvals, runs and jobs count for nothing then.',
      ],
    },
  );
};

export interface AdoptKeyDeps extends AddressDeps {
  readonly config: Pick<Config, 'store' | 'secrets'>;
  readonly runtime: Runtime;
}

export interface AdoptedKey {
  /** Host, database and schema of the store. */
  readonly store: string;
  readonly fingerprint: string;
}

/** Makes this user's key the one that seals the store. Fails with VALIDATION_ERROR for SQLite. */
export const adoptSealKey = async (deps: AdoptKeyDeps): Promise<AdoptedKey> => {
  const { config, userDir, runtime } = deps;
  const { url, schema, connections } = config.store;
  if (url === undefined) {
    throw new ToolFailure('VALIDATION_ERROR', 'Only a store in PostgreSQL remembers a key.', {
      suggestions: ['Name it first: store.url, or TOOLCRIB_STORE_URL.'],
    });
  }
  const { publicKey } = await openUserKey(userDir);
  const address = await resolveAddress(url, 'store', deps);
  const { createPostgresStore } = await import('../../stores/postgres/create-postgres-store.ts');
  const store = await createPostgresStore({ url: address, schema, connections, runtime });
  try {
    await store.sealKey?.replace(publicKey);
    return { store: store.label, fingerprint: fingerprintOf(publicKey) };
  } finally {
    await store.close();
  }
};

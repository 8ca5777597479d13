import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../config/default-settings.ts';
import type { SigningKey } from '../../governance/signing/open-signing-key.ts';
import { createRuntime } from '../create-runtime.ts';
import { adoptSealKey, assertSealKey, fingerprintOf } from './seal-key.ts';

const keyOf = (publicKey: string) => async (): Promise<SigningKey> => ({
  publicKey,
  sign: () => '',
  deriveKey: () => new Uint8Array(),
});

/** Remembers the first key, as a store of several machines does. */
const sharedStore = () => {
  let remembered: string | undefined;
  return {
    sealKey: {
      claim: async (publicKey: string) => {
        remembered ??= publicKey;
        return remembered;
      },
      replace: async () => undefined,
    },
  };
};

describe('the key that seals a shared store', () => {
  it('is that of the first process, and a process with another one is refused', async () => {
    const store = sharedStore();
    await assertSealKey(store, keyOf('first'));
    await assertSealKey(store, keyOf('first'));
    await expect(assertSealKey(store, keyOf('second'))).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(fingerprintOf('first')),
    });
  });

  it('is not asked for where the store belongs to one user', async () => {
    const unreadable = async (): Promise<SigningKey> => {
      throw new Error('The key is not opened.');
    };
    await expect(assertSealKey({}, unreadable)).resolves.toBeUndefined();
    await expect(assertSealKey(sharedStore(), unreadable)).rejects.toThrow('not opened');
  });

  it('is not adopted by a store in SQLite', async () => {
    const deps = { config: defaultSettings(), userDir: '/nowhere', runtime: createRuntime() };
    await expect(adoptSealKey(deps)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

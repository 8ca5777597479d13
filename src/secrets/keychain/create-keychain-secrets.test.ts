import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeVault } from '../../../test/conformance/secrets.ts';
import {
  noKeychain,
  type RealKeychain,
  startKeychain,
} from '../../../test/conformance/secrets-keychain.ts';
import { createKeychainSecrets, type Keyring } from './create-keychain-secrets.ts';

const reason = noKeychain();

describe.skipIf(reason !== undefined)(
  `a real keychain${reason ? ` (skipped: ${reason})` : ''}`,
  () => {
    let keychain: RealKeychain;
    let count = 0;

    beforeAll(() => {
      keychain = startKeychain();
    });
    afterAll(() => keychain.close());

    describeVault('keychain', () => ({
      secrets: createKeychainSecrets(async () => keychain.keyring, `toolcrib-test-${count++}`),
      cleanup: () => undefined,
    }));

    it('keeps one service out of the other', async () => {
      const load = async (): Promise<Keyring> => keychain.keyring;
      await createKeychainSecrets(load, 'toolcrib-test-mine').set('KEY', 'mine');
      expect(await createKeychainSecrets(load, 'toolcrib-test-theirs').get('KEY')).toBeUndefined();
    });
  },
);

describe('keychain', () => {
  it('says what to install when the library is not there', async () => {
    const vault = createKeychainSecrets(() => Promise.reject(new Error('no such module')));
    for (const question of [vault.get('KEY'), vault.keys?.(), vault.remove('KEY')]) {
      await expect(question).rejects.toMatchObject({
        code: 'DEPENDENCY_MISSING',
        extras: { suggestions: expect.arrayContaining(['npm install @napi-rs/keyring']) },
      });
    }
  });

  it('says what to do when the keychain does not answer, in our words', async () => {
    const broken: Keyring = {
      AsyncEntry: class {
        getPassword = () => Promise.reject(new Error('Stack backtrace: secret-in-a-trace'));
        setPassword = () => Promise.reject(new Error('locked'));
        deleteCredential = () => Promise.reject(new Error('locked'));
      },
      findCredentialsAsync: () => Promise.reject(new Error('locked')),
    };
    const vault = createKeychainSecrets(async () => broken);
    const failure = await vault.get('KEY').catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'DEPENDENCY_MISSING' });
    expect(String(failure)).not.toContain('secret-in-a-trace');
    await expect(vault.set('KEY', 'value')).rejects.toThrow(/cannot be reached/);
  });

  it('loads the real library by itself, and answers or says why not', async () => {
    const vault = createKeychainSecrets(undefined, 'toolcrib-test-absent');
    const answer = await vault.get('NO_SUCH_KEY').catch(({ code }) => code);
    expect([undefined, 'DEPENDENCY_MISSING']).toContain(answer);
  });
});

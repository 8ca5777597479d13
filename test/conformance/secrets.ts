/** The suites that every source of secrets passes: one for reading, one for those that can be written. */
import { describe, expect, it } from 'vitest';
import type { Secrets, SecretVault } from '../../src/contract/secrets.ts';

/** Names that every object has but no vault holds. */
const INHERITED = ['constructor', 'toString', '__proto__', 'hasOwnProperty'];

/** Text that a careless format would change. */
const AWKWARD: readonly (readonly [string, string])[] = [
  ['spaces', '  padded  '],
  ['quotes', `a"b'c\\d`],
  ['lines', '-----BEGIN KEY-----\nabc\n-----END KEY-----\n'],
  ['digits', '0123456789'],
  ['a word of YAML', 'true'],
  ['a YAML map', 'a: b # c'],
  ['letters of the world', 'pässwörd-密码-🔑'],
  ['a control character', 'a\tb\u0007c'],
];

export interface OpenSecrets<S> {
  readonly secrets: S;
  cleanup(): void | Promise<void>;
}

type Open<S> = () => OpenSecrets<S> | Promise<OpenSecrets<S>>;

const user =
  <S>(open: Open<S>) =>
  async (test: (secrets: S) => Promise<void>): Promise<void> => {
    const { secrets, cleanup } = await open();
    try {
      await test(secrets);
    } finally {
      await cleanup();
    }
  };

/** `open` gives a source in which `API_TOKEN` is `value-of-the-token`. */
export const describeSecrets = (name: string, open: Open<Secrets>): void => {
  const use = user(open);

  describe(`${name}: secrets`, () => {
    it('says where they are kept', () =>
      use(async ({ label }) => {
        expect(label).toMatch(/\w/);
        expect(label).not.toContain('value-of-the-token');
      }));

    it('hands out the value of a key, and nothing for another', () =>
      use(async (secrets) => {
        expect(await secrets.get('API_TOKEN')).toBe('value-of-the-token');
        expect(await secrets.get('api_token_')).toBeUndefined();
        expect(await secrets.get('')).toBeUndefined();
      }));

    it.each(INHERITED)('does not take %s for a key', (key) =>
      use(async (secrets) => {
        expect(await secrets.get(key)).toBeUndefined();
      }),
    );

    it('lists keys, never values', () =>
      use(async (secrets) => {
        const keys = await secrets.keys?.();
        expect(keys).toContain('API_TOKEN');
        expect(keys?.join()).not.toContain('value-of-the-token');
      }));
  });
};

/** `open` gives an empty vault. */
export const describeVault = (name: string, open: Open<SecretVault>): void => {
  const use = user(open);

  describeSecrets(name, async () => {
    const opened = await open();
    await opened.secrets.set('API_TOKEN', 'value-of-the-token');
    return opened;
  });

  describe(`${name}: vault`, () => {
    it('is empty at first', () =>
      use(async (vault) => {
        expect(await vault.keys?.()).toEqual([]);
        expect(await vault.get('API_TOKEN')).toBeUndefined();
        expect(await vault.remove('API_TOKEN')).toBe(false);
      }));

    it('keeps, replaces and forgets, one key without another', () =>
      use(async (vault) => {
        await vault.set('FIRST', 'one');
        await vault.set('SECOND', 'two');
        await vault.set('FIRST', 'three');
        expect(await vault.get('FIRST')).toBe('three');
        expect([...((await vault.keys?.()) ?? [])].sort()).toEqual(['FIRST', 'SECOND']);
        expect(await vault.remove('FIRST')).toBe(true);
        expect(await vault.remove('FIRST')).toBe(false);
        expect(await vault.get('FIRST')).toBeUndefined();
        expect(await vault.get('SECOND')).toBe('two');
      }));

    it.each(AWKWARD)('keeps %s as they are', (_what, value) =>
      use(async (vault) => {
        await vault.set('AWKWARD', value);
        expect(await vault.get('AWKWARD')).toBe(value);
      }),
    );

    it.each(['', '__proto__', 'a b', '1ST', 'x'.repeat(200), 'new\nline', '-o'])(
      'refuses the key %j',
      (key) =>
        use(async (vault) => {
          await expect(vault.set(key, 'some value')).rejects.toMatchObject({
            code: 'VALIDATION_ERROR',
          });
          expect(await vault.keys?.()).toEqual([]);
        }),
    );

    it('refuses an empty value', () =>
      use(async (vault) => {
        await expect(vault.set('EMPTY', '')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
      }));

    it('loses nothing when many are kept at once', () =>
      use(async (vault) => {
        const keys = Array.from({ length: 20 }, (_, at) => `KEY_${at}`);
        await Promise.all(keys.map((key) => vault.set(key, `value of ${key}`)));
        expect([...((await vault.keys?.()) ?? [])].sort()).toEqual([...keys].sort());
      }));
  });
};

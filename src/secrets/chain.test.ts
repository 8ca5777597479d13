import { describe, expect, it } from 'vitest';
import { describeSecrets } from '../../test/conformance/secrets.ts';
import type { Secrets } from '../contract/secrets.ts';
import { createSecretChain } from './chain.ts';

const holding = (values: Readonly<Record<string, string>>, label?: string): Secrets => ({
  ...(label !== undefined && { label }),
  get: async (key) => (Object.hasOwn(values, key) ? values[key] : undefined),
  keys: async () => Object.keys(values),
});

describeSecrets('chain', () => ({
  secrets: createSecretChain([holding({}, 'a'), holding({ API_TOKEN: 'value-of-the-token' }, 'b')]),
  cleanup: () => undefined,
}));

describe('chain', () => {
  it('asks one after the other, and the first that has the key wins', async () => {
    const chain = createSecretChain([
      holding({ A: 'first' }, 'one'),
      holding({ A: 'second', B: 'b' }, 'two'),
      { get: async () => undefined },
    ]);
    expect(await chain.get('A')).toBe('first');
    expect(await chain.get('B')).toBe('b');
    expect(await chain.get('C')).toBeUndefined();
    expect(await chain.keys?.()).toEqual(['A', 'B']);
    expect(chain.label).toBe('one, two, unnamed');
  });

  it('does not go on to the next when one fails: that would be another secret', async () => {
    const failing: Secrets = { get: () => Promise.reject(new Error('locked')) };
    const chain = createSecretChain([failing, holding({ A: 'the old one' })]);
    await expect(chain.get('A')).rejects.toThrow('locked');
  });

  it('has no secrets without any source', async () => {
    expect(await createSecretChain([]).get('A')).toBeUndefined();
    expect(createSecretChain([]).label).toBe('nowhere');
  });
});

/** What a signature covers: bundles that are nearly right are refused. */
import { describe, expect, it } from 'vitest';
import { openTestKey } from '../../../test/fixtures/signing-key.ts';
import type { KeyHandover, TeamBundle } from '../../contract/team.ts';
import { canonicalJson } from '../../kit/data/canonical-json.ts';
import { signBundle, signHandover, verifyBundle } from './team-bundle.ts';

const [first, second, third] = [openTestKey(), openTestKey(), openTestKey()];
const BUNDLE: TeamBundle = {
  format: 'toolcrib team bundle 1',
  org: 'acme',
  serial: 1,
  issuedAt: 1,
  previous: '',
  entries: [{ kind: 'enforce', name: 'lint' }],
};
const trusted = { org: 'acme', publicKey: first.publicKey };

/** Signs a text as it is, whatever it says. */
const signedText = (text: string, handovers: readonly KeyHandover[] = []) => ({
  bundle: text,
  publicKey: first.publicKey,
  handovers,
  signature: first.sign(`${BUNDLE.format}\n${text}`),
});

describe('verifyBundle', () => {
  it('accepts the bundle of the key, and follows the changes of the key in order', () => {
    expect(verifyBundle(signBundle(BUNDLE, first, []), trusted).bundle).toEqual(BUNDLE);
    const handovers = [
      signHandover(first, { org: 'acme', to: second.publicKey, at: 1 }),
      signHandover(second, { org: 'acme', to: third.publicKey, at: 2 }),
    ];
    const { publicKey } = verifyBundle(signBundle(BUNDLE, third, handovers), trusted);
    expect(publicKey).toBe(third.publicKey);
  });

  it.each<[string, () => unknown, RegExp]>([
    ['no signature', () => ({ ...signBundle(BUNDLE, first, []), signature: '' }), /signature/],
    [
      'the signature of another purpose',
      () => {
        const text = canonicalJson(BUNDLE);
        return { ...signedText(text), signature: first.sign(text) };
      },
      /signature/,
    ],
    ['the key of another', () => signBundle(BUNDLE, second, []), /another key/],
    ['keys in another order', () => signedText(JSON.stringify(BUNDLE)), /canonical/],
    [
      'spaces',
      () => signedText(JSON.stringify(JSON.parse(canonicalJson(BUNDLE)), null, 1)),
      /canonical/,
    ],
    [
      'a key twice',
      () => signedText(canonicalJson(BUNDLE).replace('"serial":1', '"serial":1,"serial":9')),
      /no valid JSON/,
    ],
    [
      'a number in another form',
      () => signedText(canonicalJson(BUNDLE).replace('"serial":1', '"serial":1.0')),
      /canonical|no valid JSON/,
    ],
    [
      'an entry twice',
      () => signBundle({ ...BUNDLE, entries: [...BUNDLE.entries, ...BUNDLE.entries] }, first, []),
      /two entries/,
    ],
    [
      'a rule that allows',
      () =>
        signBundle(
          {
            ...BUNDLE,
            entries: [{ kind: 'rule', name: 'r', rule: { name: 'r', effect: 'allow' } }],
          },
          first,
          [],
        ),
      /cannot be read/,
    ],
    [
      'another organisation',
      () => signBundle({ ...BUNDLE, org: 'other' }, first, []),
      /organisation/,
    ],
    [
      'a change of the key for another organisation',
      () =>
        signBundle(BUNDLE, second, [
          signHandover(first, { org: 'other', to: second.publicKey, at: 1 }),
        ]),
      /not signed by the key before/,
    ],
    [
      'changes of the key out of order',
      () =>
        signBundle(BUNDLE, third, [
          signHandover(second, { org: 'acme', to: third.publicKey, at: 2 }),
          signHandover(first, { org: 'acme', to: second.publicKey, at: 1 }),
        ]),
      /another key/,
    ],
    [
      '`__proto__` as a key',
      () => signedText(canonicalJson(BUNDLE).replace('{', '{"__proto__":{},')),
      /no valid JSON|cannot be read|canonical/,
    ],
  ])('threat: refuses a bundle with %s', (_, bundle, reason) => {
    expect(() => verifyBundle(bundle(), trusted)).toThrow(reason);
  });
});

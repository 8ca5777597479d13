/** Finds the private members of JSON Web Keys (RFC 7518, section 6) in objects and in texts. */
import { NO_SPANS, type Span } from '../span.ts';

/** The private exponent, primes and their derivatives, symmetric keys, and keys of RFC 9964. */
export const JWK_PRIVATE_MEMBERS: ReadonlySet<string> = new Set([
  'd',
  'p',
  'q',
  'dp',
  'dq',
  'qi',
  'k',
  'priv',
]);

const KEY_TYPE = /^(?:RSA|EC|OKP|oct|AKP)$/;
/** An RSA key of 8192 bits has about 10,000 characters. */
const MAX_JWK = 16_384;
const TYPED = /["']?\bkty["']?\s{0,4}:\s{0,4}["'](?:RSA|EC|OKP|oct|AKP)["']/g;
const MEMBER =
  /(?<![\w-])(?:"(?:d|p|q|dp|dq|qi|k|priv)"|'(?:d|p|q|dp|dq|qi|k|priv)'|(?:d|p|q|dp|dq|qi|k|priv))\s{0,4}:\s{0,4}["']([A-Za-z0-9_+/=-]{8,8192})["']/g;

/** Whether an object is a JSON Web Key. */
export const isJwk = (source: object): boolean =>
  'kty' in source && typeof source.kty === 'string' && KEY_TYPE.test(source.kty);

/** The object that a place of a text lies in, braces of inner ones aside. */
const objectAround = (text: string, at: number): Span => {
  const from = Math.max(0, at - MAX_JWK);
  const open = text.slice(from, at).lastIndexOf('{');
  const close = text.slice(at, at + MAX_JWK).indexOf('}');
  return {
    from: open < 0 ? at : from + open,
    to: close < 0 ? Math.min(text.length, at + MAX_JWK) : at + close,
  };
};

/** Finds the values of private members in the keys that are written in a text. */
export const findJwkMembers = (text: string): readonly Span[] => {
  if (!text.includes('kty')) return NO_SPANS;
  const spans: Span[] = [];
  let done = 0;
  for (const { index } of text.matchAll(TYPED)) {
    if (index < done) continue;
    const { from, to } = objectAround(text, index);
    done = to;
    for (const { 0: member, 1: value = '', index: at } of text.slice(from, to).matchAll(MEMBER)) {
      const end = from + at + member.length - 1;
      spans.push({ from: end - value.length, to: end });
    }
  }
  return spans;
};

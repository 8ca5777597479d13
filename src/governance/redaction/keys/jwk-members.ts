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
/** The same in YAML, where each member is a line. Shorter values than of any key are left alone. */
const TYPED_LINE = /^[ \t-]{0,40}["']?kty["']?:[ \t]{1,8}(?:RSA|EC|OKP|oct|AKP)[ \t]*\r?$/gm;
const LINE_MEMBER =
  /^[ \t-]{0,40}["']?(?:d|p|q|dp|dq|qi|k|priv)["']?:[ \t]{1,8}["']?([A-Za-z0-9_+/=-]{16,8192})["']?[ \t]*\r?$/gm;

/** Tells whether an object is a JSON Web Key. */
export const isJwk = (source: object): boolean =>
  'kty' in source && typeof source.kty === 'string' && KEY_TYPE.test(source.kty);

/** Finds the first brace that is not matched from a position on, or -1. */
const unmatched = (text: string, at: number, step: 1 | -1): number => {
  const [own, other] = step === 1 ? ['}', '{'] : ['{', '}'];
  let depth = 0;
  for (let index = at; Math.abs(index - at) < MAX_JWK && index < text.length && index >= 0; ) {
    const char = text[index];
    if (char === other) depth++;
    else if (char === own && depth-- === 0) return index;
    index += step;
  }
  return -1;
};

/** In a text of more keys than this, braces are not counted, which takes time for each. */
const MAX_COUNTED = 64;

/** Finds the object that a place of a text lies in; inner ones do not end it. */
const objectAround = (text: string, at: number, isCounted: boolean): Span => {
  const open = isCounted ? unmatched(text, at, -1) : -1;
  const close = isCounted ? unmatched(text, at, 1) : -1;
  return {
    from: open < 0 ? Math.max(0, at - MAX_JWK) : open,
    to: close < 0 ? Math.min(text.length, at + MAX_JWK) : close,
  };
};

const membersIn = (text: string, { from, to }: Span): readonly Span[] =>
  [...text.slice(from, to).matchAll(MEMBER)].map(({ 0: member, 1: value = '', index }) => {
    const end = from + index + member.length - 1;
    return { from: end - value.length, to: end };
  });

/** Finds the lines around a position up to the next empty ones: a mapping of YAML. */
const linesAround = (text: string, at: number): Span => {
  const from = Math.max(0, at - MAX_JWK);
  const before = text.slice(from, at).lastIndexOf('\n\n');
  const after = text.slice(at, at + MAX_JWK).indexOf('\n\n');
  return {
    from: before < 0 ? from : from + before,
    to: after < 0 ? Math.min(text.length, at + MAX_JWK) : at + after,
  };
};

const linesIn = (text: string, { from, to }: Span): readonly Span[] =>
  [...text.slice(from, to).matchAll(LINE_MEMBER)].map(({ 0: line, 1: value = '', index }) => {
    const start = from + index + line.lastIndexOf(value);
    return { from: start, to: start + value.length };
  });

/** Tells whether a text names the type of a key, whose members may stand in the texts beside it. */
export const namesKeyType = (text: string): boolean =>
  text.includes('kty') && (text.search(TYPED) >= 0 || text.search(TYPED_LINE) >= 0);

/** Finds the values of private members in the keys that are written in a text. */
export const findJwkMembers = (text: string): readonly Span[] => {
  if (!text.includes('kty')) return NO_SPANS;
  const spans: Span[] = [];
  let done = 0;
  let objects = 0;
  for (const { index } of text.matchAll(TYPED)) {
    if (index < done) continue;
    const around = objectAround(text, index, objects++ < MAX_COUNTED);
    done = around.to;
    spans.push(...membersIn(text, around));
  }
  done = 0;
  for (const { index } of text.matchAll(TYPED_LINE)) {
    if (index < done) continue;
    const around = linesAround(text, index);
    done = around.to;
    spans.push(...linesIn(text, around));
  }
  return spans;
};

/** The texts a secret may turn up as. Escapes are not among them: `escape-view.ts` reads those. */
import { unescapedForms } from '../escape-view.ts';

/** A known value shorter than this would black out half of every text. */
export const MIN_SECRET_LENGTH = 6;

const BITS = 6;

/**
 * Gives the part of a base64 text that depends on the secret alone when so many bytes go before it:
 * the characters that share bits with its neighbours are left out.
 */
const base64At = (bytes: Buffer, offset: number): string => {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const from = Math.ceil((offset * 8) / BITS);
  return text.slice(from, Math.floor(((offset + bytes.length) * 8) / BITS));
};

const urlSafe = (base64: string): string => base64.replaceAll('+', '-').replaceAll('/', '_');

/** Writes a text as digits, which no view reads. */
const asDigits = (text: string): readonly string[] => {
  const bytes = Buffer.from(text, 'utf8');
  const hex = bytes.toString('hex');
  const base64 = [bytes.toString('base64'), ...[0, 1, 2].map((offset) => base64At(bytes, offset))];
  return [hex, hex.toUpperCase(), ...base64, ...base64.map(urlSafe)];
};

const MARKUP: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Writes the usual escapes: inside base64 or hex they cannot be read, so they are spelled out. */
const escapes = (text: string): readonly string[] => {
  // Half a surrogate pair has no bytes, and `encodeURIComponent` throws at it.
  const url = encodeURIComponent(Buffer.from(text, 'utf8').toString('utf8'));
  return [
    text,
    url,
    url.replaceAll('%20', '+'),
    JSON.stringify(text).slice(1, -1),
    text.replaceAll(/[&<>"']/g, (mark) => MARKUP[mark] as string),
  ];
};

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const base32 = (bytes: Buffer): string => {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  // The last character shares bits with whatever follows.
  const whole = bits.match(/.{5}/g) ?? [];
  return whole.map((five) => BASE32.charAt(Number.parseInt(five, 2))).join('');
};

const HEX_GAPS = [':', ' ', '-', ', ', ',', ' 0x', ', 0x', ',0x'];

/** Writes bytes as the dumps and encoders of other programs do. */
const asDump = (text: string): readonly string[] => {
  const bytes = Buffer.from(text, 'utf8');
  const pairs = bytes.toString('hex').match(/../g) ?? [];
  const hex = HEX_GAPS.map((gap) => pairs.join(gap));
  const wide = [0, 1, 2].map((offset) => base64At(Buffer.from(text, 'utf16le'), offset));
  const base64 = bytes.toString('base64');
  const twice = [base64, base64.replaceAll('=', '')].map((inner) =>
    base64At(Buffer.from(inner), 0),
  );
  const decimal = [', ', ',', ' '].map((gap) => [...bytes].join(gap));
  const thirtyTwo = base32(bytes);
  return [
    ...hex,
    ...hex.map((dump) => dump.toUpperCase().replaceAll('0X', '0x')),
    ...wide,
    ...twice,
    ...decimal,
    thirtyTwo,
    thirtyTwo.toLowerCase(),
  ];
};

const encoded = (secret: string): readonly string[] => [
  secret,
  ...asDump(secret),
  // A form sends a space as a plus.
  secret.replaceAll(' ', '+'),
  ...[...new Set(escapes(secret))].flatMap(asDigits),
];

/** Writes the secret in other letters, spaced, wide and backwards. */
export const rewrittenForms = (secret: string): ReadonlySet<string> => {
  const chars = [...secret];
  const wide = chars.map((char) =>
    /^[!-~]$/.test(char) ? String.fromCharCode(char.charCodeAt(0) + 0xfee0) : char,
  );
  return new Set([
    secret.toUpperCase(),
    secret.toLowerCase(),
    chars.join(' '),
    wide.join(''),
    chars.reverse().join(''),
  ]);
};

/** What is secret about a connection string is its password, which may turn up by itself. */
const PASSWORD = /^[a-z][a-z0-9+.-]*:\/\/[^\s:/@]*:([^\s/]+)@/i;

/** Returns the secret, also without the line break it was stored with, and the password in it. */
export const secretParts = (secret: string): readonly string[] => {
  const password = PASSWORD.exec(secret)?.[1];
  return [secret, secret.trim(), ...(password === undefined ? [] : unescapedForms(password))];
};

/** Lists all forms worth looking for, each once; none for a secret that is too short. */
export const encodedForms = (secret: string): ReadonlySet<string> => {
  const parts = new Set(secretParts(secret).filter(({ length }) => length >= MIN_SECRET_LENGTH));
  const forms = [...parts].flatMap((part) => [...encoded(part), ...unescapedForms(part)]);
  return new Set(forms.filter(({ length }) => length >= MIN_SECRET_LENGTH));
};

/** Tells from a value and the kind of its name whether the value is a secret. */
import type { NameKind } from './secret-names.ts';
import { PLAIN_VALUES } from './secret-words.ts';

const MIN_RANDOM = 16;
/** No word of `PLAIN_VALUES` is longer. */
const MAX_PLAIN = 16;
const MIN_RANDOM_DIGITS = 2;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/**
 * What stands for a value, by its whole form: a password may begin with `$`, `<`, `{` or `*` as well.
 * Values end at a blank, so what is closed after one is not closed here.
 */
const PLACEHOLDERS: readonly RegExp[] = [
  // `${TOKEN}`, `$(cat token)`, `$TOKEN_2`, `$userToken`, `$1`, and `$` before a bracket
  /^\$(?:[{(]|[A-Z_][A-Z0-9_]{0,63}$|[a-z_][A-Za-z_]{0,63}$|[\d@*]?$)/,
  // `{{ token }}`, `{id}`, and structures, whose fields are judged by themselves
  /^\{(?:\{|["'\s[{]|[A-Za-z_.-]{0,64}\}?$)/,
  // `<token>`, `<your token 2>`
  /^<\/?[A-Za-z_][A-Za-z_ .:|/-]{0,64}\d?>?$/,
  // `****`, `****1234`
  /^\*{2,}[A-Za-z0-9]{0,4}$/,
  // `...`, `…`, `xxxx`, `%TOKEN%`, and what redaction writes
  /^(?:\.{3}|…|x{3,}$|%[A-Z_]{2,64}%$|\[REDACTED)/i,
  // `your-api-key-here`, `sk-...`
  /^(?:<?your[-_][A-Za-z_-]{2,40}>?|[A-Za-z_-]{0,12}(?:\.{3}|…))$/,
];

/** Tells whether a value has the letters and digits of something that a machine made up. */
export const looksRandom = (value: string): boolean => {
  if (value.length < MIN_RANDOM || value.length > 4096 || UUID.test(value)) return false;
  if (!/^[A-Za-z0-9_+/=.~:-]+$/.test(value) || /^(?:\/|\.|[a-z]+:\/\/)/i.test(value)) return false;
  const digits = value.replaceAll(/[^0-9]/g, '').length;
  return (
    digits >= MIN_RANDOM_DIGITS &&
    digits < value.length &&
    (!/^[a-z]+(?:[-_.:/][a-z0-9]+)+$/.test(value) || hasRandomPart(value))
  );
};

/** Tells whether a part is random, as in `sess_9f8e7d6c5b4a3928`. */
const hasRandomPart = (value: string): boolean =>
  value.split(/[-_.:/]/).some((part) => part.length >= 12 && /\d.*[a-z].*\d.*[a-z]/.test(part));

/** Names of numbers that a person types in. */
const TYPED =
  /(?:^|[^a-z])(?:pin|mfa|2fa)(?:[-_ ]?code)?$|[a-z](?:Pin|Mfa|2fa)(?:Code)?$|^(?:pin|mfa|2fa)/i;
const isTypedNumber = (value: string): boolean => /^(?:\d{4,8}|\d{3}[ -]\d{3})$/.test(value);
/** Salts are shorter than other random values. */
const isSalt = (name: string, value: string): boolean =>
  /salt$/i.test(name) &&
  /^(?=[^\d]*\d)(?=[^a-z]*[a-z])[A-Za-z0-9+/=_.$-]{8,256}$/i.test(value) &&
  !/^[a-z]+(?:[-_.][a-z0-9]+)+$/.test(value);
/** Recognises the words of a wallet: 12 to 24 of them. */
const isWordList = (value: string): boolean =>
  /^(?:[a-z]{3,8}[\s,]{1,3}){11,23}[a-z]{3,8}$/.test(value);

/** Tells whether a text under a name that is maybe a secret's has the form of a secret. */
export const hasSecretForm = (name: string, value: string): boolean =>
  looksRandom(value) ||
  (TYPED.test(name) && isTypedNumber(value)) ||
  isSalt(name, value) ||
  (/seed$/i.test(name) && isWordList(value));

/** The version of a package, whatever the package is called. */
const VERSION =
  /^(?:[\^~]|[<>]=?)?v?\d{1,5}(?:\.(?:\d{1,5}|x|\*)){1,2}(?:-[a-z]{1,10}\.?\d{0,4})?(?: <\d{1,5}(?:\.\d{1,5}){0,2})?$/;

/** Recognises values that stand for another one, and versions of packages. */
export const isPlaceholder = (value: string): boolean =>
  VERSION.test(value) ||
  PLACEHOLDERS.some((form) => form.test(value)) ||
  (value.length <= MAX_PLAIN && PLAIN_VALUES.has(value.toLowerCase()));

/** Recognises the working directory of a shell, whose name `PWD` is also used for passwords. */
export const isFolder = (name: string, value: string): boolean =>
  /^(?:old)?pwd$/i.test(name) && /^(?:\/|~|[A-Za-z]:[\\/])/.test(value);

/** Recognises a plural: a number under such a name counts things. */
const isPlural = (name: string): boolean => /[^s]s$/i.test(name);

/** Tells whether a text under a name of this kind is hidden. */
export const isSecretText = (kind: NameKind, name: string, value: string): boolean => {
  if (kind === 'plain' || value.trim() === '' || isPlaceholder(value)) return false;
  if (kind === 'maybe') return hasSecretForm(name, value);
  if (isFolder(name, value)) return false;
  // `tokens: "46080"` is a count.
  return kind === 'password' || !(isPlural(name) && /^\d{1,9}$/.test(value));
};

/** Tells whether a number under a name of this kind is hidden. */
export const isSecretNumber = (kind: NameKind, name: string, value: number): boolean =>
  (kind === 'password' && !isPlural(name)) ||
  (kind === 'maybe' && TYPED.test(name) && isTypedNumber(String(value)));

/**
 * Tells the names of secrets from other names: the words inside a name count, in camelCase,
 * snake_case, kebab-case and headers, so `dbPassword` and `X-Api-Key` are found and `tokenCount`
 * and `monkey` are not.
 */
import { BoundedMap } from '../../kit/data/bounded-map.ts';
import { foldLookAlikes } from './look-alikes.ts';
import {
  DESCRIBING,
  FOREIGN_NOUNS,
  GLUED_ENDS,
  GLUED_STARTS,
  MAYBE_NOUNS,
  MAYBE_PHRASES,
  PASSWORD_NOUNS,
  PLAIN_KEY_KINDS,
  PLAIN_TOKEN_KINDS,
  SECRET_KEY_KINDS,
  SECRET_PHRASES,
  TOKEN_NOUNS,
  WHOLE_WORDS,
} from './secret-words.ts';

/**
 * What a name says of its value. `password`: secret, whatever it is. `token`: secret when it is text.
 * `maybe`: secret when it looks random. `plain`: nothing.
 */
export type NameKind = 'plain' | 'maybe' | 'token' | 'password';

/** A name that values stand under, with what it says of them. */
export interface FieldName {
  readonly name: string;
  readonly kind: NameKind;
}

export const NO_NAME: FieldName = Object.freeze({ name: '', kind: 'plain' });

export interface SecretNamesOptions {
  /** Further names that are secret, also inside longer ones. */
  readonly hidden?: readonly string[];
  /** Names that are not, whatever words they hold. */
  readonly shown?: readonly string[];
}

/** Names come from callers: what is remembered about them must not grow with them. */
const MAX_REMEMBERED = 2000;
const MAX_NAME = 128;

/** Letters that one of the words needs; most names have none of them together. */
const HINT =
  /pass|pwd|secret|token|key|cred|cookie|jwt|bearer|auth|kennwort|contrase|senha|otp|cvv|cvc|mnemonic|phrase|code|sess|sid|pin|answer|pw|salt|hmac|mfa|2fa|seed|signature|psk|xprv|pepper|pat|wif|verifier|assertion|storage|snmp|saml|laravel|wachtwoord|heslo|haslo|jelszo/i;

const singular = (word: string): string =>
  word.length > 3 && word.endsWith('s') && !word.endsWith('ss') && word !== 'creds'
    ? word.slice(0, -1)
    : word;

/**
 * Splits a name into words: `HTTPApiKey2` is `http`, `api`, `key`, `2`. Accents and look-alikes are
 * folded first.
 */
const splitName = (name: string): string[] =>
  foldLookAlikes(name.slice(-MAX_NAME))
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .replaceAll(/([A-Za-z]{3,})([0-9]+)/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) => word.toLowerCase());

const unglued = (word: string): readonly string[] => {
  if (WHOLE_WORDS.has(word)) return [word];
  const start = GLUED_STARTS.find((noun) => word.startsWith(noun) && word.length > noun.length + 1);
  if (start !== undefined) return [start, word.slice(start.length)];
  const one = singular(word);
  const end = GLUED_ENDS.find((noun) => one.endsWith(noun) && one.length > noun.length);
  return end === undefined ? [word] : [word.slice(0, one.length - end.length), end];
};

/** Joins words that were split at a capital, such as `PassWord`. */
const rejoined = (words: readonly string[]): readonly string[] =>
  words.flatMap((word, at) => {
    if (word === 'pass' && ['word', 'words', 'phrase', 'code'].includes(words[at + 1] ?? '')) {
      return [`pass${singular(words[at + 1] as string)}`];
    }
    return words[at - 1] === 'pass' && ['word', 'words', 'phrase', 'code'].includes(word)
      ? []
      : [word];
  });

const wordsOf = (name: string): readonly string[] => rejoined(splitName(name)).flatMap(unglued);

const keyKind = (before: string | undefined): NameKind => {
  if (before === undefined || PLAIN_KEY_KINDS.has(before)) return 'plain';
  return SECRET_KEY_KINDS.has(before) ? 'token' : 'maybe';
};

/** Reads what the noun at a position makes of a name. */
const nounKind = (words: readonly string[], at: number): NameKind => {
  const word = singular(words[at] as string);
  const before = words[at - 1];
  if (PASSWORD_NOUNS.has(word)) return 'password';
  if (word === 'token' && before !== undefined && PLAIN_TOKEN_KINDS.has(before)) return 'plain';
  if (TOKEN_NOUNS.has(word)) return 'token';
  if (word === 'key') return keyKind(before);
  return MAYBE_NOUNS.has(word) ? 'maybe' : 'plain';
};

const phraseEnd = (words: readonly string[], phrase: readonly string[]): number => {
  for (let at = 0; at + phrase.length <= words.length; at++) {
    const isHere = phrase.every(
      (word, offset) => words[at + offset] === word || singular(words[at + offset] ?? '') === word,
    );
    if (isHere) return at + phrase.length;
  }
  return -1;
};

/** Tells whether the words after the noun say that the value is something about the secret. */
const isDescribed = (words: readonly string[], end: number): boolean => {
  const last = words.at(-1);
  if (last === undefined || end >= words.length) return false;
  // The `secret_id` of an AppRole is a secret; the id of a token or key is none.
  if (last === 'id' && words[end - 1] === 'secret') return false;
  return DESCRIBING.has(last);
};

/** Tells whether a field below a secret only describes it, such as `type` or `expiresAt`. */
export const isDescription = (name: string): boolean => {
  const last = splitName(name).at(-1);
  return last !== undefined && DESCRIBING.has(last);
};

const kindOfWords = (words: readonly string[]): NameKind => {
  for (const phrase of SECRET_PHRASES) {
    const end = phraseEnd(words, phrase);
    if (end >= 0) return isDescribed(words, end) ? 'plain' : 'token';
  }
  if (MAYBE_PHRASES.some((phrase) => phraseEnd(words, phrase) === words.length)) return 'maybe';
  for (let at = words.length - 1; at >= 0; at--) {
    const kind = nounKind(words, at);
    if (kind !== 'plain') return isDescribed(words, at + 1) ? 'plain' : kind;
  }
  return 'plain';
};

const sameName = (name: string): string => wordsOf(name).map(singular).join('');

/** Judges names by the built-in vocabulary and by what the user added to it or took from it. */
export const secretNames = ({
  hidden = [],
  shown = [],
}: SecretNamesOptions = {}): ((name: string) => NameKind) => {
  const hiddenNames = new Set(hidden.map(sameName));
  const hiddenPhrases = hidden.map((name) => wordsOf(name).map(singular));
  const shownNames = new Set(shown.map(sameName));
  const hasOwn = hidden.length > 0;

  const judge = (name: string): NameKind => {
    const same = sameName(name);
    if (shownNames.has(same)) return 'plain';
    if (hiddenNames.has(same)) return 'password';
    const words = wordsOf(name);
    for (const phrase of hiddenPhrases) {
      const end = phraseEnd(words, phrase);
      if (end >= 0 && !isDescribed(words, end)) return 'password';
    }
    return FOREIGN_NOUNS.test(name) ? 'password' : kindOfWords(words);
  };

  const remembered = new BoundedMap<string, NameKind>(MAX_REMEMBERED);
  // Apart from the others, and the first ones only: they must not push the others out.
  const plainNames = new Set<string>();
  const isPlain = (name: string): boolean => {
    if (plainNames.has(name)) return true;
    if (hasOwn || HINT.test(name) || /[^ -~]/.test(name)) return false;
    if (plainNames.size < MAX_REMEMBERED && name.length <= MAX_NAME) plainNames.add(name);
    return true;
  };
  return (name) => {
    if (isPlain(name)) return 'plain';
    let kind = remembered.get(name);
    if (kind === undefined) {
      kind = judge(name);
      if (name.length <= MAX_NAME) remembered.set(name, kind);
    }
    return kind;
  };
};

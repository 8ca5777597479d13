/** Decides whether a value that is assigned to the name of a secret is the secret, or code or prose. */
import type { NameKind } from './secret-names.ts';
import { hasSecretForm, isFolder, isPlaceholder, looksRandom } from './secret-values.ts';

/** A type, a call, a member of something: code that hands a secret on without holding it. */
export const TYPE_OR_CODE =
  /^(?:this(?:\??\.#?[A-Za-z_$][\w$]*)+[!?]?|[A-Z][A-Za-z]*[!?]?|[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+[!?]?|string|number|boolean|unknown|str|int|bytes|any|this|self|await|new|function|async|process|os|env|input|args|options)$/;
const WORD = /^[A-Za-z]+$/;
const IDENTIFIER = /^[A-Za-z_$][A-Za-z_$]*$/;

/** A value without quotes, with what stands around it. */
export interface BareValue {
  readonly name: string;
  readonly kind: NameKind;
  readonly value: string;
  /** The character after the value. */
  readonly next: string;
  /** Nothing but the value follows the separator, without a blank: `NAME=value`. */
  readonly isTight: boolean;
  readonly startsLine: boolean;
  readonly separator: string;
}

const ENV_NAME = /^[A-Z][A-Z0-9_]{2,}$/;

/** `SENDGRID_API_KEY` as a value says where the secret is kept. */
const VARIABLE = /^[A-Z]+(?:_[A-Z]+)+$/;
/** A count, a negation, a pattern. */
const NO_BARE_VALUE = /^(?:[\d_.,]{1,12}|-[A-Za-z_$.]+|\/\^.*|.)$/;

/** Codes of digits, which are counts under other names. */
const ONE_TIME_CODE = /(?:otp|cvv|cvc|passcode)$/i;

/** Whether a value without quotes is a secret and not code. */
export const isBareSecret = (bare: BareValue): boolean => {
  const { name, kind, value, next, isTight, separator } = bare;
  if (isPlaceholder(value) || value.toLowerCase() === name.toLowerCase()) return false;
  if (ONE_TIME_CODE.test(name) && /^\d{3,8}$/.test(value)) return true;
  if (kind === 'maybe') return hasSecretForm(name, value);
  const isEnvironment = separator === '=' && isTight && ENV_NAME.test(name);
  if (NO_BARE_VALUE.test(value) && !(kind === 'password' && isTight)) return false;
  if (next === '(' || next === '[' || value.startsWith('=')) return false;
  if (isFolder(name, value)) return false;
  if (isEnvironment) return true;
  if (TYPE_OR_CODE.test(value)) return looksRandom(value);
  const endsThere = next === '' || /[\s&]/.test(next);
  if (!IDENTIFIER.test(value)) return value.length >= 4 && (endsThere || /[;,"'`})]/.test(next));
  if (!endsThere) return false;
  if (separator === '=' && isTight) return true;
  return bare.startsLine && kind === 'password' && WORD.test(value) && next !== ' ';
};

/** Tells whether a value is words that people read: `password: "Enter your password"`. */
export const isSentence = (value: string): boolean =>
  /^[A-Z][a-z]*(?: [A-Za-z,.'’-]+){2,}[.:!?…]?$/.test(value) ||
  /\s\S+\s\S+\s\S+\s\S+\s/.test(value);

/** Tells whether a value in quotes is a secret and not a text that people read. */
export const isQuotedSecret = (name: string, kind: NameKind, value: string): boolean => {
  if (isPlaceholder(value) || value.trim().length < 2) return false;
  if (kind === 'maybe') return hasSecretForm(name, value);
  if (/phrase|mnemonic/i.test(name)) return true;
  if (VARIABLE.test(value) || value.includes('${')) return false;
  return !isSentence(value) && value.toLowerCase() !== name.toLowerCase();
};

/**
 * Tells whether what follows a flag is a secret. Words may be prose about the flag and do not
 * count.
 */
export const isFlagSecret = (kind: NameKind, value: string): boolean =>
  kind === 'maybe'
    ? looksRandom(value)
    : !isPlaceholder(value) && /[0-9!@#%^*+=~$]/.test(value) && value.length >= 4;

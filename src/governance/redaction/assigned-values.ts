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
/** A count, a negation, a pattern, a comment. */
const NO_BARE_VALUE = /^(?:[\d_.,]{1,12}|-[A-Za-z_$.]+|\/[\^*].*|.)$/;

/** Codes of digits, which are counts under other names. */
const ONE_TIME_CODE = /(?:otp|cvv|cvc|passcode)$/i;

/** `password.ts:12:3` is a place in a file. */
const FILE_NAME =
  /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs|swift|vue|svelte|c|h|cc|cpp|hpp|scala|exs?|lua|sh|sql|json|ya?ml|toml|mdx?|css|html)$/i;
/** Files of data have names that a key of theirs may have as well: `"token.yaml": "…"`. */
const DATA_FILE_NAME = /\.(?:json|ya?ml|toml)$/i;

/** Tells whether a name before a colon is a place in a file, or a file and what belongs to it. */
export const isFilePlace = (name: string, isQuoted: boolean): boolean =>
  FILE_NAME.test(name) && !(isQuoted && DATA_FILE_NAME.test(name));

/** A call or an element of something, whole: `os.environ["API_KEY"]`, `config.get(name)`. */
const CALL = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*(?:\[["'\w.-]*\]|\(["'\w., -]*\))$/;
const PUNCTUATION = /[;,)]+$/;
/** A header as a value says where the secret is sent. */
const HEADER_NAME = /^X(?:-[A-Z][a-z]+)+$/;

const isCode = (value: string): boolean => TYPE_OR_CODE.test(value) || CALL.test(value);

/** Recognises `self.password = password`, which hands a value on under its own name. */
const repeatsName = (name: string, value: string): boolean =>
  value.length > 2 && name.toLowerCase().endsWith(value.toLowerCase());

/** Tells whether a value without quotes is a secret and not code. */
export const isBareSecret = (bare: BareValue): boolean => {
  const { name, kind, value, next, isTight, separator } = bare;
  const isEnvironment = separator === '=' && isTight && ENV_NAME.test(name);
  if (isPlaceholder(value)) return false;
  if (!isEnvironment && repeatsName(name, value.replace(PUNCTUATION, ''))) return false;
  if (HEADER_NAME.test(value)) return false;
  if (ONE_TIME_CODE.test(name) && /^\d{3,8}$/.test(value)) return true;
  if (kind === 'maybe') return hasSecretForm(name, value);
  if (NO_BARE_VALUE.test(value) && !(kind === 'password' && isTight)) return false;
  if (next === '(' || next === '[' || value.startsWith('=')) return false;
  if (isFolder(name, value)) return false;
  if (isEnvironment) return true;
  const plain = value.replace(PUNCTUATION, '');
  if (isCode(plain)) return looksRandom(plain);
  const endsThere = next === '' || /[\s&]/.test(next);
  if (!IDENTIFIER.test(value)) return value.length >= 4 && (endsThere || /[;,"'`})\]]/.test(next));
  if (!endsThere) return false;
  if (separator === '=' && isTight) return true;
  return bare.startsLine && kind === 'password' && WORD.test(value) && next !== ' ';
};

/** Tells whether a value is words that people read: `password: "Enter your password"`. */
export const isSentence = (value: string): boolean =>
  /^[A-Z][a-z]*(?: [A-Za-z,.'’-]+){2,}[.:!?…]?$/.test(value) ||
  /\s\S+\s\S+\s\S+\s\S+\s/.test(value);

/** `forgotPassword: '/forgot-password'`, `urn:ietf:params:oauth:token-type:jwt` */
const ROUTE = /^(?:(?:\/[a-z][a-z-]{0,30}){1,8}\/?|urn:[a-z][\w:.-]+)$/;
/** A password may look like a route, where neither the name nor the route says that it is one. */
const ABOUT_ROUTES =
  /forgot|reset|change|recover|update|verify|confirm|url|uri|path|route|page|link|href|endpoint|screen|view/i;
const NAMES_SUBJECT = /pass|pwd|secret|account|auth|login|sign-?in|user|settings|profile/;
const isRoute = (name: string, kind: NameKind, value: string): boolean =>
  ROUTE.test(value) &&
  (kind !== 'password' || ABOUT_ROUTES.test(name) || NAMES_SUBJECT.test(value));

/** Recognises words of another script than the Latin one: a translation. */
const isTranslation = (value: string): boolean => {
  const letters = value.match(/(?!\p{Script=Latin})\p{L}/gu)?.length ?? 0;
  return letters >= 4 && letters > 3 * (value.match(/\d/g)?.length ?? 0);
};

/** Tells whether a value in quotes is a secret and not a text that people read. */
export const isQuotedSecret = (name: string, kind: NameKind, value: string): boolean => {
  if (isPlaceholder(value) || value.trim().length < 2 || isFolder(name, value)) return false;
  if (kind === 'maybe') return hasSecretForm(name, value);
  if (/phrase|mnemonic/i.test(name)) return true;
  if (VARIABLE.test(value) || HEADER_NAME.test(value) || value.includes('${')) return false;
  if (isRoute(name, kind, value) || (kind === 'token' && isTranslation(value))) return false;
  // A map of files to other files.
  if (FILE_NAME.test(name) && /^\.{0,2}\/|^[\w@/-]+\.\w{1,5}$/.test(value)) return false;
  return !isSentence(value) && value.toLowerCase() !== name.toLowerCase();
};

/** `--secret id=npmrc` of docker names the secret. */
const SOURCE = /^(?:id|type|source|src|env|file)=/;

/**
 * Tells whether what follows a flag is a secret. Words may be prose about the flag and do not
 * count.
 */
export const isFlagSecret = (kind: NameKind, value: string): boolean =>
  kind === 'maybe'
    ? looksRandom(value)
    : !isPlaceholder(value) &&
      !SOURCE.test(value) &&
      /[0-9!@#%^*+=~$]/.test(value) &&
      value.length >= 4;

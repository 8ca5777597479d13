/**
 * Detects questions of servers that ask for a credential: passwords, keys, codes, card numbers. The
 * protocol forbids such questions in a form; a server that asks is phishing. Only fields that take free
 * text or numbers can reveal one: a choice or a checkbox cannot.
 */
import { isRecord } from '../../../kit/data/is-record.ts';

export interface SensitiveDeps {
  /** Classifies a field by its name, with the vocabulary of redaction. */
  nameKind(name: string): 'plain' | 'maybe' | 'token' | 'password';
}

type Fields = Readonly<Record<string, unknown>>;

/** Longer texts are searched up to here only. */
const MAX_TEXT = 20_000;
const MAX_PHRASE = 3;
const MIN_SPELT = 4;

/** Words after "token" or "key" that make it a count. */
const COUNTED: ReadonlySet<string> = new Set(
  'limit limits count counts budget usage size length window'.split(' '),
);

/** Payment and identity data: no secrets in the sense of redaction, but forbidden in a form. */
const PERSONAL =
  /\b(?:(?:credit|debit|bank|payment) ?cards?|card ?(?:number|no|nr)|(?:bank )?account ?(?:number|no)|routing ?number|social ?security|ssn|iban|log ?in ?(?:data|details)|security ?code|(?:2fa|mfa|sms|access|login|confirmation|authenticator|one ?time|otp) ?codes?|private ?keys?|wallet ?(?:key|words))\b/;

/** The same in languages that the vocabulary does not cover. */
const FOREIGN =
  /парол|секретн|密码|密碼|口令|令牌|验证码|パスワード|暗証番号|비밀번호|암호|كلمة (?:المرور|السر)|סיסמ|पासवर्ड|รหัสผ่าน|κωδικ|mật khẩu|hasło|heslo|jelszó|lösenord|adgangskode|şifre|parola|wachtwoord|salasana/;

/** Letters of two alphabets in one word disguise it. */
const MIXED =
  /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}]\p{Script=Latin}/u;

const LEET: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
};

/** Removes invisible characters. */
const plainText = (text: string): string =>
  text
    .slice(0, MAX_TEXT)
    .normalize('NFKC')
    .replaceAll(/\p{Cf}|\p{Mn}|[\u115f\u1160\u3164]/gu, '');

const isDigits = (word: string): boolean => /^[0-9]+$/.test(word);

const unleeted = (word: string): string =>
  isDigits(word) ? word : word.replaceAll(/[013457@$]/g, (sign) => LEET[sign] ?? sign);

/** Splits a sentence into words; single letters in a row count as one word as well. */
const wordsOf = (text: string): readonly string[] => {
  const words = text.split(/[^\p{L}\p{N}@$]+/u).filter(Boolean);
  const spelt: string[] = [];
  let run = '';
  for (const word of [...words, '  ']) {
    if (word.length === 1) run += word;
    else {
      if (run.length >= MIN_SPELT) spelt.push(run);
      run = '';
    }
  }
  return [...words, ...spelt].map(unleeted);
};

/** Tells whether a sentence names a credential, in one or several words; counts of tokens are none. */
const namesCredential = (text: string, { nameKind }: SensitiveDeps): boolean => {
  const words = wordsOf(text);
  const seen = new Set<number>();
  for (let length = 1; length <= MAX_PHRASE; length++) {
    for (let at = 0; at + length <= words.length; at++) {
      const indexes = Array.from({ length }, (_, offset) => at + offset);
      // A longer phrase around a name that was judged adds nothing.
      if (indexes.some((index) => seen.has(index))) continue;
      const kind = nameKind(words.slice(at, at + length).join(' '));
      if (kind !== 'password' && kind !== 'token') continue;
      if (kind === 'password' || !COUNTED.has((words[at + length] ?? '').toLowerCase()))
        return true;
      for (const index of indexes) seen.add(index);
    }
  }
  return false;
};

const asksInText = (text: unknown, deps: SensitiveDeps): boolean => {
  if (typeof text !== 'string') return false;
  const plain = plainText(text);
  const lower = plain.toLowerCase();
  return (
    MIXED.test(plain) || FOREIGN.test(lower) || PERSONAL.test(lower) || namesCredential(plain, deps)
  );
};

const isChoice = ({ type, enum: values, oneOf, items }: Fields): boolean =>
  type === 'boolean' || Array.isArray(values) || Array.isArray(oneOf) || isRecord(items);

const isNumber = ({ type }: Fields): boolean => type === 'number' || type === 'integer';

const asksInName = (name: string, field: Fields, deps: SensitiveDeps): boolean => {
  const kind = deps.nameKind(plainText(name));
  // A number under the name of a token counts tokens.
  if (kind === 'token' && isNumber(field)) return false;
  const words = wordsOf(plainText(name).replaceAll(/([a-z])([A-Z])/g, '$1 $2')).join(' ');
  return kind !== 'plain' || PERSONAL.test(words.toLowerCase());
};

const isSensitiveField = (name: string, field: Fields, deps: SensitiveDeps): boolean =>
  field.format === 'password' ||
  field.writeOnly === true ||
  asksInName(name, field, deps) ||
  asksInText(field.title, deps) ||
  asksInText(field.description, deps);

/** Lists the fields of a form that take free text or numbers. */
const openFields = ({ properties }: Fields): readonly (readonly [string, Fields])[] =>
  Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, field]) =>
    isRecord(field) && !isChoice(field) ? [[name, field] as const] : [],
  );

/** Names the part of a question that asks for a credential; returns nothing for a harmless question. */
export const sensitivePart = (
  { message, schema }: { readonly message: string; readonly schema: Fields },
  deps: SensitiveDeps,
): string | undefined => {
  const open = openFields(schema);
  const field = open.find(([name, each]) => isSensitiveField(name, each, deps));
  if (field) return `the field ${JSON.stringify(field[0])}`;
  return open.length > 0 && asksInText(message, deps) ? 'the question itself' : undefined;
};

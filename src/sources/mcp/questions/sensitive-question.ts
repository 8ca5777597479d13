/**
 * Tells questions of servers that ask for a credential: passwords, keys, codes, card numbers. The
 * protocol forbids servers to ask for such in a form; whoever does so is fishing. Only fields that take
 * free text or numbers can hand one over: a choice or a tick cannot.
 */
import { isRecord } from '../../../kit/data/is-record.ts';

export interface SensitiveDeps {
  /** What a name says of its value, by the vocabulary that redaction uses. */
  nameKind(name: string): 'plain' | 'maybe' | 'token' | 'password';
}

type Fields = Readonly<Record<string, unknown>>;

/** Texts that are longer are not searched; nobody would read them to the end either. */
const MAX_TEXT = 20_000;
const MAX_PHRASE = 3;
const MIN_SPELT = 4;

/** What is counted of tokens and keys, and is not one of them. */
const COUNTED: ReadonlySet<string> = new Set(
  'limit limits count counts budget usage size length window'.split(' '),
);

/** Payment and identity, which are no names of secrets in data, but nothing to ask for in a form. */
const PERSONAL =
  /\b(?:(?:credit|debit|bank|payment) ?cards?|card ?(?:number|no|nr)|(?:bank )?account ?(?:number|no)|routing ?number|social ?security|ssn|iban|log ?in ?(?:data|details)|security ?code|(?:2fa|mfa|sms|access|login|confirmation|authenticator|one ?time|otp) ?codes?|private ?keys?|wallet ?(?:key|words))\b/;

/** The same in scripts that the vocabulary does not know. */
const FOREIGN =
  /парол|секретн|密码|密碼|口令|令牌|验证码|パスワード|暗証番号|비밀번호|암호|كلمة (?:المرور|السر)|סיסמ|पासवर्ड|รหัสผ่าน|κωδικ|mật khẩu|hasło|heslo|jelszó|lösenord|adgangskode|şifre|parola|wachtwoord|salasana/;

/** Letters of two alphabets in one word are a disguise. */
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

/** Without what cannot be seen. */
const plainText = (text: string): string =>
  text
    .slice(0, MAX_TEXT)
    .normalize('NFKC')
    .replaceAll(/\p{Cf}|\p{Mn}|[\u115f\u1160\u3164]/gu, '');

const isDigits = (word: string): boolean => /^[0-9]+$/.test(word);

const unleeted = (word: string): string =>
  isDigits(word) ? word : word.replaceAll(/[013457@$]/g, (sign) => LEET[sign] ?? sign);

/** The words of a sentence; letters that stand apart one by one are a word as well. */
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

/** Whether a sentence names a credential, in one word or several; one that counts tokens does not. */
const namesCredential = (text: string, { nameKind }: SensitiveDeps): boolean => {
  const words = wordsOf(text);
  const seen = new Set<number>();
  for (let length = 1; length <= MAX_PHRASE; length++) {
    for (let at = 0; at + length <= words.length; at++) {
      const places = Array.from({ length }, (_, offset) => at + offset);
      // A longer phrase around a name that was judged says nothing new.
      if (places.some((place) => seen.has(place))) continue;
      const kind = nameKind(words.slice(at, at + length).join(' '));
      if (kind !== 'password' && kind !== 'token') continue;
      if (kind === 'password' || !COUNTED.has((words[at + length] ?? '').toLowerCase()))
        return true;
      for (const place of places) seen.add(place);
    }
  }
  return false;
};

const asksInText = (text: unknown, deps: SensitiveDeps): boolean => {
  if (typeof text !== 'string') return false;
  const plain = plainText(text);
  const small = plain.toLowerCase();
  return (
    MIXED.test(plain) || FOREIGN.test(small) || PERSONAL.test(small) || namesCredential(plain, deps)
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

/** The fields of a form that a person fills in freely. */
const openFields = ({ properties }: Fields): readonly (readonly [string, Fields])[] =>
  Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, field]) =>
    isRecord(field) && !isChoice(field) ? [[name, field] as const] : [],
  );

/** Returns what is asked for that must not be; nothing for a question that may be put. */
export const sensitivePart = (
  { message, schema }: { readonly message: string; readonly schema: Fields },
  deps: SensitiveDeps,
): string | undefined => {
  const open = openFields(schema);
  const field = open.find(([name, each]) => isSensitiveField(name, each, deps));
  if (field) return `the field ${JSON.stringify(field[0])}`;
  return open.length > 0 && asksInText(message, deps) ? 'the question itself' : undefined;
};

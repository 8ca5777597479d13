/** Canary secrets of many alphabets, the ways they are written, and a search for them in whatever came out. */
import { createHash } from 'node:crypto';

const bytesOf = (at: number): Buffer => createHash('sha512').update(`canary ${at}`).digest();

const fromLetters =
  (letters: string, length: number) =>
  (at: number): string => {
    const all = [...letters];
    return [...bytesOf(at).subarray(0, length)].map((byte) => all[byte % all.length]).join('');
  };

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** One alphabet after the other; each canary differs from all others. */
const ALPHABETS: readonly ((at: number) => string)[] = [
  fromLetters(LETTERS, 24),
  (at) => bytesOf(at).toString('hex').slice(0, 40),
  (at) => bytesOf(at).toString('base64').slice(0, 44),
  fromLetters('0123456789', 14),
  fromLetters(`${LETTERS}!#$%&()*+,-./:;<=>?@[]^_{|}~`, 20),
  fromLetters(`${LETTERS}"'\\\`<>&%`, 24),
  (at) => `correct horse ${fromLetters(LETTERS, 10)(at)} staple`,
  fromLetters('äöüßéèñçåøæþðĳœабвгдежзиклмн', 16),
  fromLetters('密码钥匙秘文字漢語日本한국어비밀번호', 12),
  fromLetters('🔑🔒🗝🧿🦊🐙🌋🎲🧨🪐', 9),
  (at) => `line one ${fromLetters(LETTERS, 8)(at)}\nline two ${at}\r\n\tthe end`,
  (at) => `%41&amp;\\u0041${fromLetters(LETTERS, 12)(at)}%2F\\n`,
];

export const canaries = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) =>
    (ALPHABETS[at % ALPHABETS.length] as (at: number) => string)(at),
  );

const escaped = (text: string): string =>
  Array.from(
    { length: text.length },
    (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');

const html = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

/** The ways a tool may write a secret. */
export const writtenForms = (secret: string): readonly string[] => {
  const bytes = Buffer.from(secret);
  return [
    secret,
    encodeURIComponent(secret),
    new URLSearchParams({ x: secret }).toString().slice(2),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    Buffer.from(`x${secret}yz`).toString('base64'),
    Buffer.from(`xy${secret}z`).toString('base64'),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    JSON.stringify(secret).slice(1, -1),
    html(secret),
    escaped(secret),
  ];
};

/** What must not be found: the same without the letters that depend on what stands beside a secret. */
const tracesOf = (secret: string): readonly string[] =>
  writtenForms(secret).map((form, at) => {
    if (at === 5 || at === 6) return form.slice(4, -4);
    return at === 3 || at === 4 ? form.replaceAll('=', '').slice(0, -1) : form;
  });

const START = 6;

/** Bytes as text: a database holds UTF-8 in the middle of anything. */
const raw = (text: string | Buffer): string => Buffer.from(text as string).toString('latin1');

/** Finds traces of any of the secrets; written apart from the code it judges. */
export const createCanarySearch = (secrets: readonly string[]) => {
  const byStart = new Map<string, Set<string>>();
  for (const trace of secrets.flatMap(tracesOf).map(raw)) {
    const start = trace.slice(0, START);
    byStart.set(start, (byStart.get(start) ?? new Set()).add(trace));
  }
  return (output: string | Buffer): readonly string[] => {
    const text = raw(output);
    const found = new Set<string>();
    for (let at = 0; at + START <= text.length; at++) {
      for (const trace of byStart.get(text.slice(at, at + START)) ?? []) {
        if (text.startsWith(trace, at)) found.add(trace);
      }
    }
    return [...found];
  };
};

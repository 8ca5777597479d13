/**
 * Finds secrets in command lines by the flags of well-known programs: `curl -u user:SECRET`,
 * `mysql -pSECRET`. Flags that are named as secrets are (`--password`) are found by their names.
 */
import { type FlagValue, SECRET_FLAGS, type SecretFlag } from './secret-flags.ts';
import { isPlaceholder } from './secret-values.ts';
import { NO_SPANS, type Span } from './span.ts';

/** A part of a word of a command. */
export interface WordSpan extends Span {
  /** The number of the word, counted from the one after the program. */
  readonly word: number;
}

/** `7z -pX a`: shorter texts need no search. */
export const MIN_COMMAND = 8;
const MAX_COMMAND = 4096;
const MAX_PROGRAM = 200;
const NAMES = [...SECRET_FLAGS.keys()].join('|');
const PROGRAM = new RegExp(`(?<![\\w.-])(?:${NAMES})(?=(?:\\.exe)?[ \\t])`, 'g');
/** The end of a command, a blank, or a word, which may have quoted parts. */
const WORD =
  /([\r\n;|&<>()]+)|[ \t]+|(?:"(?:[^"\\]|\\[\s\S])*"?|'[^']*'?|\\[\s\S]|[^\s"'\\;|&<>()])+/g;
/** What manuals write in the place of a secret. */
const SAMPLE = /^(?:(?:your|my)[-_]?)?(?:password|passwd|pass|pwd|pw|secret|token|cookie)$/i;

/** Finds the secret inside the value of a flag. */
const within = (kind: FlagValue, value: string): Span | undefined => {
  const to = value.length;
  switch (kind) {
    case 'secret':
      return { from: 0, to };
    case 'cookie':
      return value.includes('=') ? { from: 0, to } : undefined;
    case 'source':
      return value.startsWith('pass:') ? { from: 5, to } : undefined;
    default: {
      const at = value.indexOf({ pair: ':', comma: ',', percent: '%', slash: '/' }[kind]);
      return at < 0 ? undefined : { from: at + 1, to };
    }
  }
};

/** Leaves out the quotes around a value. */
const unquoted = (value: string): Span => {
  const isQuoted = /^["']/.test(value);
  const isClosed = isQuoted && value.length > 1 && value.at(-1) === value.charAt(0);
  return { from: isQuoted ? 1 : 0, to: value.length - (isClosed ? 1 : 0) };
};

const secretIn = (kind: FlagValue, value: string): Span | undefined => {
  const { from, to } = unquoted(value);
  const span = within(kind, value.slice(from, to));
  if (!span) return undefined;
  const secret = value.slice(from + span.from, from + span.to);
  const isReal = secret !== '' && !/^[`-]/.test(secret) && !SAMPLE.test(secret);
  return isReal && !isPlaceholder(secret)
    ? { from: from + span.from, to: from + span.to }
    : undefined;
};

/**
 * Finds where the value of a flag starts in its own word; 0 when it is the next word, -1 when it
 * has none.
 */
const valueStart = (word: string, { flags, place }: SecretFlag): number => {
  for (const flag of flags) {
    if (word === flag) return place === 'same' ? -1 : 0;
    if (!word.startsWith(flag) || place === 'next') continue;
    if (!flag.startsWith('--') && flag.length === 2) return flag.length;
    if (word.charAt(flag.length) === '=') return flag.length + 1;
  }
  // `curl -su user:secret`: the last of several letters takes the value.
  const last = /^-[A-Za-z]{1,6}([A-Za-z])$/.exec(word)?.[1];
  return last !== undefined && place === undefined && flags.includes(`-${last}`) ? 0 : -1;
};

/** Finds the secrets among the words that follow the name of a program. */
export const secretWords = (program: string, words: readonly string[]): readonly WordSpan[] => {
  const spans: WordSpan[] = [];
  for (const flag of SECRET_FLAGS.get(program) ?? []) {
    if (flag.after !== undefined && !words.includes(flag.after)) continue;
    for (const [at, word] of words.entries()) {
      const start = word.startsWith('-') ? valueStart(word, flag) : -1;
      if (start < 0) continue;
      const number = start === 0 ? at + 1 : at;
      const span = secretIn(flag.value, (words[number] ?? '').slice(start));
      if (span) spans.push({ word: number, from: start + span.from, to: start + span.to });
    }
  }
  return spans;
};

/** Gives the program that the first word of an argument vector names. */
export const programOf = (word: string): string | undefined => {
  if (word.length > MAX_PROGRAM) return undefined;
  const name = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
  const program = name.endsWith('.exe') ? name.slice(0, -4) : name;
  return SECRET_FLAGS.has(program) ? program : undefined;
};

interface Words {
  readonly texts: string[];
  readonly starts: number[];
  readonly end: number;
}

/** Splits a command up to its end as a shell does. */
const wordsFrom = (text: string, start: number): Words => {
  const texts: string[] = [];
  const starts: number[] = [];
  const command = text.slice(start, start + MAX_COMMAND);
  let end = command.length;
  for (const { 0: word, 1: stop, index } of command.matchAll(WORD)) {
    if (stop !== undefined) {
      end = index;
      break;
    }
    if (/^[ \t]/.test(word)) continue;
    texts.push(word);
    starts.push(start + index);
  }
  return { texts, starts, end: start + end };
};

/** Finds the next flag from a position on; -1 when there is none. */
const nextFlag = (text: string, from: number): number => {
  let at = text.indexOf(' -', from);
  // A dash between blanks or before a number is no flag.
  while (at >= 0 && text.charCodeAt(at + 2) < 65 && text.charCodeAt(at + 2) !== 45) {
    at = text.indexOf(' -', at + 2);
  }
  return at;
};

const inLine = (text: string, { from, to }: Span, spans: Span[]): void => {
  const line = text.slice(from, to);
  let done = 0;
  for (const { 0: program, index } of line.matchAll(PROGRAM)) {
    if (index < done) continue;
    const words = wordsFrom(line, index + program.length);
    done = words.end;
    for (const secret of secretWords(program, words.texts)) {
      const start = from + (words.starts[secret.word] as number);
      spans.push({ from: start + secret.from, to: start + secret.to });
    }
  }
};

/** Finds secrets in all commands of a text. Only lines with a flag in them are looked at. */
export const findCommandSecrets = (text: string): readonly Span[] => {
  let at = nextFlag(text, 0);
  if (at < 0) return NO_SPANS;
  const spans: Span[] = [];
  while (at >= 0) {
    const end = text.indexOf('\n', at);
    const to = end < 0 ? text.length : end;
    inLine(text, { from: text.lastIndexOf('\n', at) + 1, to }, spans);
    at = nextFlag(text, to);
  }
  return spans;
};

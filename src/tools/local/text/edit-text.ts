/** The plain edits: case, order of lines, encodings and digests. None of them needs a language. */
import { createHash } from 'node:crypto';
import { ToolFailure } from '../../../contract/errors.ts';
import { linesOf } from './count-text.ts';
import { reverseText, segmentText } from './segment-text.ts';

export interface EditOptions {
  readonly locale?: string | undefined;
  readonly descending?: boolean | undefined;
  readonly algorithm?: 'sha256' | 'sha384' | 'sha512' | undefined;
}

type Edit = (text: string, options: EditOptions) => string;

const unreadable = (message: string, suggestion: string): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', message, {
    suggestions: [suggestion],
    issues: [{ path: ['text'], message }],
  });

const titleCase: Edit = (text, { locale }) => {
  let written = '';
  for (const { text: part, isWord } of segmentText(text, 'word')) {
    const [first = ''] = part;
    written += isWord
      ? first.toLocaleUpperCase(locale) + part.slice(first.length).toLocaleLowerCase(locale)
      : part;
  }
  return written;
};

/** Letters that are no base letter with a mark, so that decomposing does not make them ASCII. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
};

const slugify: Edit = (text) =>
  text
    .toLowerCase()
    .replace(/[ßæœøđðþłı]/g, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');

const sortLines: Edit = (text, { locale = 'en', descending = false }) => {
  const { compare } = new Intl.Collator(locale, { numeric: true });
  const sorted = linesOf(text).toSorted(compare);
  return (descending ? sorted.toReversed() : sorted).join('\n');
};

const decodeBase64: Edit = (text) => {
  const letters = text.replace(/\s/g, '').replace(/-/g, '+').replace(/_/g, '/');
  const body = letters.replace(/={1,2}$/, '');
  if (!/^[A-Za-z0-9+/]*$/.test(body) || body.length % 4 === 1) {
    throw unreadable('The text is not base64.', 'Give base64 or its URL-safe form, complete.');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(body, 'base64'));
  } catch {
    throw unreadable('The base64 holds bytes that are no text.', 'Decode it as a file instead.');
  }
};

const encodeUrl: Edit = (text) => {
  try {
    return encodeURIComponent(text);
  } catch {
    throw unreadable('The text holds half of a character pair.', 'Send well-formed Unicode.');
  }
};

const decodeUrl: Edit = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unreadable(
      'The text holds a "%" that is no UTF-8 escape.',
      'Write a plain "%" as "%25".',
    );
  }
};

export const EDITS = {
  uppercase: (text, { locale }) => text.toLocaleUpperCase(locale),
  lowercase: (text, { locale }) => text.toLocaleLowerCase(locale),
  title_case: titleCase,
  slugify,
  trim: (text) => text.trim(),
  reverse: reverseText,
  sort_lines: sortLines,
  dedupe_lines: (text) => [...new Set(linesOf(text))].join('\n'),
  base64_encode: (text) => Buffer.from(text, 'utf8').toString('base64'),
  base64_decode: decodeBase64,
  url_encode: encodeUrl,
  url_decode: decodeUrl,
  hash: (text, { algorithm = 'sha256' }) =>
    createHash(algorithm).update(text, 'utf8').digest('hex'),
} as const satisfies Record<string, Edit>;

export type EditName = keyof typeof EDITS;

export const isEdit = (operation: string): operation is EditName => Object.hasOwn(EDITS, operation);

/**
 * A text with its escapes read (percent, HTML, backslash) or its lines joined, which remembers where
 * every character came from. A secret written in such a way is found in the view and cut out of the
 * original, whatever part of it was escaped and in whatever case.
 */
import type { Span } from './span.ts';

/** One place where view and original differ. */
interface Piece {
  readonly at: number;
  readonly length: number;
  readonly from: number;
  readonly to: number;
}

export interface View {
  readonly text: string;
  /** The span of the original that a span of the view stands for. */
  origin(span: Span): Span;
}

const HEX = '[0-9A-Fa-f]';
/** Whole UTF-8 sequences, so that each stands for one character. */
const PERCENT = [
  `%[0-7]${HEX}`,
  `%[CDcd]${HEX}%[89ABab]${HEX}`,
  `%[Ee]${HEX}(?:%[89ABab]${HEX}){2}`,
  `%[Ff][0-7](?:%[89ABab]${HEX}){3}`,
].join('|');
const HTML = `&(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX]${HEX}{1,6});`;
const BACKSLASH = `\\\\(?:u${HEX}{4}|u\\{${HEX}{1,6}\\}|x${HEX}{2}|[nrtbf"'\\\\/])`;

const ESCAPE = new RegExp(`${PERCENT}|${HTML}|${BACKSLASH}`, 'g');
/** Line breaks, with the indentation that follows, as in a wrapped base64 text or a YAML block. */
const LINE_BREAK = /\r?\n[ \t]*/g;

const NAMED: ReadonlyMap<string, string> = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&apos;', "'"],
  ['\\n', '\n'],
  ['\\r', '\r'],
  ['\\t', '\t'],
  ['\\b', '\b'],
  ['\\f', '\f'],
]);

const codePoint = (digits: string, base: number): string =>
  String.fromCodePoint(Math.min(Number.parseInt(digits, base), 0x10ffff));

const meaning = (found: string): string => {
  if (found.startsWith('%')) {
    return Buffer.from(found.replaceAll('%', ''), 'hex').toString('utf8');
  }
  const named = NAMED.get(found);
  if (named !== undefined) return named;
  if (found.startsWith('&#')) {
    const hex = /^&#[xX]/.test(found);
    return codePoint(found.slice(hex ? 3 : 2, -1), hex ? 16 : 10);
  }
  if (found.length === 2) return found.slice(1);
  return codePoint(found.replaceAll(/[\\ux{}]/g, ''), 16);
};

/** The last piece that starts at or before a place of the view. */
const pieceBefore = (pieces: readonly Piece[], at: number): Piece | undefined => {
  let low = 0;
  let high = pieces.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pieces[middle] as Piece).at <= at) low = middle + 1;
    else high = middle;
  }
  return pieces[low - 1];
};

/** Where the character at a place of the view stood. */
const origin = (pieces: readonly Piece[], at: number): Span => {
  const piece = pieceBefore(pieces, at);
  if (!piece) return { from: at, to: at + 1 };
  const beyond = at - piece.at - piece.length;
  if (beyond < 0) return piece;
  return { from: piece.to + beyond, to: piece.to + beyond + 1 };
};

/** `undefined` when nothing was replaced. */
const viewBy = (
  text: string,
  pattern: RegExp,
  read: (found: string) => string,
): View | undefined => {
  const pieces: Piece[] = [];
  let view = '';
  let done = 0;
  for (const { 0: found, index } of text.matchAll(pattern)) {
    view += text.slice(done, index);
    const meant = read(found);
    done = index + found.length;
    pieces.push({ at: view.length, length: meant.length, from: index, to: done });
    view += meant;
  }
  if (pieces.length === 0) return undefined;
  return {
    text: view + text.slice(done),
    origin: ({ from, to }) => ({
      from: origin(pieces, from).from,
      to: origin(pieces, to - 1).to,
    }),
  };
};

/** The text with its escapes read once; `undefined` when it has none. */
export const unescapedView = (text: string): View | undefined =>
  text.includes('\\') || text.includes('%') || text.includes('&')
    ? viewBy(text, ESCAPE, meaning)
    : undefined;

/** Control, soft-hyphen, zero-width, bidirectional and filler characters; tabs and line ends are seen. */
const UNSEEN = String.raw`\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0`;
/**
 * What a terminal or a reader does not show: colours and other sequences, the characters above, tags.
 * A secret with some of them inside looks whole.
 */
const INVISIBLE = new RegExp(
  [
    String.raw`(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]`,
    String.raw`(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]{0,512}(?:\x07|\x1b\\|\x9c)`,
    String.raw`\x1b[ -/]{0,8}[0-~]`,
    // A line that a shell or a program goes on in the next one.
    String.raw`\\\r?\n`,
    `[${UNSEEN}]`,
    String.raw`[\u{e0000}-\u{e0fff}]`,
  ].join('|'),
  'gu',
);
/** Whether there can be any; tags are pairs that start with one of the last four. */
const MAYBE_INVISIBLE = new RegExp(String.raw`[${UNSEEN}\udb40-\udb43]`);

/** The text without what nobody sees; `undefined` when all of it is seen. */
export const visibleView = (text: string): View | undefined =>
  MAYBE_INVISIBLE.test(text) || (text.includes('\n') && /\\\r?\n/.test(text))
    ? viewBy(text, INVISIBLE, () => '')
    : undefined;

/** The text as a terminal shows it that goes back for each backspace; `undefined` without any. */
export const erasedView = (text: string): View | undefined => {
  if (!text.includes('\b')) return undefined;
  const codes = new Uint16Array(text.length);
  const places = new Int32Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== 8) {
      codes[length] = code;
      places[length++] = at;
    } else if (length > 0 && codes[length - 1] !== 10) {
      length--;
    }
  }
  return {
    text: Buffer.from(codes.buffer, 0, length * 2).toString('utf16le'),
    origin: ({ from, to }) => ({
      from: places[from] as number,
      to: (places[to - 1] as number) + 1,
    }),
  };
};

/** The text in one line; `undefined` when it is. */
export const joinedView = (text: string): View | undefined =>
  text.includes('\n') ? viewBy(text, LINE_BREAK, () => '') : undefined;

/** How often an escaped text may have been escaped again. */
export const MAX_LAYERS = 3;

/** The texts that reading escapes, again and again, and joining lines makes of one. */
export const unescapedForms = (text: string): readonly string[] => {
  const forms = [text];
  let current = text;
  for (let layer = 0; layer < MAX_LAYERS; layer++) {
    const view = unescapedView(current);
    if (!view) break;
    current = view.text;
    forms.push(current);
  }
  return [...forms, ...forms.flatMap((form) => joinedView(form)?.text ?? [])];
};

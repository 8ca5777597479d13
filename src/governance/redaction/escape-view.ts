/**
 * A text with its escapes read (percent, HTML, backslash) or its lines joined, which remembers where
 * every character came from. A secret written in such a way is found in the view and cut out of the
 * original, whatever part of it was escaped and in whatever case.
 */
import { cutBefore } from './cut-text.ts';
import { NO_SPANS, type Span } from './span.ts';

/** One place where view and original differ. */
interface Piece {
  readonly at: number;
  readonly length: number;
  readonly from: number;
  readonly to: number;
}

export interface View {
  readonly text: string;
  /** Gives the span of the original that a span of the view stands for. */
  origin(span: Span): Span;
}

/** The view of a part of a text. */
export interface PartView extends View {
  readonly isWhole: boolean;
  /** Tells whether a span lies inside: one at a border that is no end of the text may be cut off there. */
  holds(span: Span): boolean;
}

/** So much of a text before and after what a view replaces is part of the view. No token is longer. */
const REACH = 8192;

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

const ESCAPE = new RegExp(`${PERCENT}|${HTML}|${BACKSLASH}`, 'y');
/** Line breaks, with the indentation that follows, as in a wrapped base64 text or a YAML block. */
const LINE_BREAK = /\r?\n[ \t]*/y;

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

const meaning = (sequence: string): string => {
  if (sequence.startsWith('%')) {
    return Buffer.from(sequence.replaceAll('%', ''), 'hex').toString('utf8');
  }
  const named = NAMED.get(sequence);
  if (named !== undefined) return named;
  if (sequence.startsWith('&#')) {
    const hex = /^&#[xX]/.test(sequence);
    return codePoint(sequence.slice(hex ? 3 : 2, -1), hex ? 16 : 10);
  }
  if (sequence.length === 2) return sequence.slice(1);
  return codePoint(sequence.replaceAll(/[\\ux{}]/g, ''), 16);
};

/** Finds the last piece that starts at or before a position of the view. */
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

/**
 * Finds where the character at a position of the view was in the original; the view starts at
 * `start` of it.
 */
const origin = (pieces: readonly Piece[], start: number, at: number): Span => {
  const piece = pieceBefore(pieces, at);
  if (!piece) return { from: start + at, to: start + at + 1 };
  const beyond = at - piece.at - piece.length;
  if (beyond < 0) return piece;
  return { from: piece.to + beyond, to: piece.to + beyond + 1 };
};

/** What a view replaces: the characters that may start a stretch, and the sticky pattern of one. */
interface Replaced {
  /** For each UTF-16 code 1 if a stretch may start with it. A loop over codes is faster than a pattern. */
  readonly starts: Uint8Array;
  readonly pattern: RegExp;
}

/** Gives what a stretch stands for. */
type Read = (stretch: string) => string;

const startsOf = (codes: Iterable<readonly [number, number]>): Uint8Array => {
  const starts = new Uint8Array(0x1_00_00);
  for (const [from, to] of codes) starts.fill(1, from, to + 1);
  return starts;
};

const only = (marks: string): Uint8Array =>
  startsOf(Array.from(marks, (mark) => [mark.charCodeAt(0), mark.charCodeAt(0)] as const));

/** Lists the stretches that a view replaces. */
const stretchesOf = (text: string, { starts, pattern }: Replaced): readonly Span[] => {
  let stretches: Span[] | undefined;
  for (let at = 0; at < text.length; at++) {
    if (starts[text.charCodeAt(at)] === 0) continue;
    pattern.lastIndex = at;
    if (!pattern.test(text)) continue;
    const to = pattern.lastIndex;
    stretches ??= [];
    stretches.push({ from: at, to });
    at = to - 1;
  }
  return stretches ?? NO_SPANS;
};

/** Makes a view of a part of a text that replaces the stretches in that part. */
const partView = (
  text: string,
  part: Span,
  { stretches, read }: { stretches: readonly Span[]; read: Read },
): PartView => {
  const pieces: Piece[] = [];
  const parts: string[] = [];
  let length = 0;
  let readTo = part.from;
  for (const { from, to } of stretches) {
    const unescaped = read(text.slice(from, to));
    length += from - readTo;
    parts.push(text.slice(readTo, from), unescaped);
    pieces.push({ at: length, length: unescaped.length, from, to });
    length += unescaped.length;
    readTo = to;
  }
  parts.push(text.slice(readTo, part.to));
  const view = parts.join('');
  const startsText = part.from === 0;
  const endsText = part.to === text.length;
  return {
    text: view,
    isWhole: startsText && endsText,
    origin: ({ from, to }) => ({
      from: origin(pieces, part.from, from).from,
      to: origin(pieces, part.from, to - 1).to,
    }),
    holds: ({ from, to }) => (startsText || from > 0) && (endsText || to < view.length),
  };
};

/** Makes views of those parts of a text in which something is replaced; none when nothing is. */
const viewsBy = (text: string, replaced: Replaced, read: Read): readonly PartView[] => {
  const stretches = stretchesOf(text, replaced);
  const views: PartView[] = [];
  for (let first = 0; first < stretches.length; ) {
    let next = first + 1;
    while (
      next < stretches.length &&
      (stretches[next] as Span).from - (stretches[next - 1] as Span).to <= REACH * 2
    ) {
      next++;
    }
    const group = stretches.slice(first, next);
    const from = cutBefore(text, (group[0] as Span).from - REACH);
    const to = Math.min(text.length, (group.at(-1) as Span).to + REACH);
    views.push(partView(text, { from, to }, { stretches: group, read }));
    first = next;
  }
  return views;
};

/** Makes a view of all of a text. */
const wholeView = (text: string, replaced: Replaced, read: Read): View =>
  partView(text, { from: 0, to: text.length }, { stretches: stretchesOf(text, replaced), read });

const ESCAPES: Replaced = { starts: only('\\%&'), pattern: ESCAPE };

/** Makes views of the parts of a text that have escapes, with these read once. */
export const unescapedViews = (text: string): readonly PartView[] =>
  text.includes('\\') || text.includes('%') || text.includes('&')
    ? viewsBy(text, ESCAPES, meaning)
    : [];

/** Control, soft-hyphen, zero-width, bidirectional and filler characters; tabs and line ends are seen. */
const UNSEEN: readonly (readonly [number, number])[] = [
  [0, 0x08],
  [0x0b, 0x0c],
  [0x0e, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
];
const UNSEEN_CLASS = UNSEEN.map(
  ([from, to]) => `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`,
).join('');

/**
 * What a terminal or a reader does not show: colours and other sequences, the characters above, tags.
 * A secret with some of them inside looks whole.
 */
const INVISIBLE: Replaced = {
  // A line may go on after a backslash; tags are pairs that start with one of the last four.
  starts: startsOf([...UNSEEN, [0x5c, 0x5c], [0xdb40, 0xdb43]]),
  pattern: new RegExp(
    [
      String.raw`(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]`,
      String.raw`(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]{0,512}(?:\x07|\x1b\\|\x9c)`,
      String.raw`\x1b[ -/]{0,8}[0-~]`,
      // A line that a shell or a program goes on in the next one.
      String.raw`\\\r?\n`,
      `[${UNSEEN_CLASS}]`,
      String.raw`[\u{e0000}-\u{e0fff}]`,
    ].join('|'),
    'uy',
  ),
};

/** Makes views of the parts of a text that hold invisible characters, without these. */
export const visibleViews = (text: string): readonly PartView[] =>
  viewsBy(text, INVISIBLE, () => '');

/**
 * Makes the view that a terminal shows, which goes back for each backspace; `undefined` without
 * any.
 */
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

const LINE_BREAKS: Replaced = { starts: only('\r\n'), pattern: LINE_BREAK };

/** Makes a view in one line; `undefined` when the text is one. */
export const joinedView = (text: string): View | undefined =>
  text.includes('\n') ? wholeView(text, LINE_BREAKS, () => '') : undefined;

/** How often an escaped text may have been escaped again. */
export const MAX_LAYERS = 3;

/** Lists the texts that a text becomes when its escapes are decoded repeatedly and its lines are joined. */
export const unescapedForms = (text: string): readonly string[] => {
  const forms = [text];
  let current = text;
  for (let layer = 0; layer < MAX_LAYERS; layer++) {
    const view = wholeView(current, ESCAPES, meaning);
    if (view.text === current) break;
    current = view.text;
    forms.push(current);
  }
  return [...forms, ...forms.flatMap((form) => joinedView(form)?.text ?? [])];
};

/**
 * Finds well-known credentials by their shape, also when a terminal, a mail program or a backslash has
 * broken them into lines. Three characters rule nearly every place out; a pattern runs only after a
 * literal start.
 */
import { MIN_SHAPE_LENGTH, SECRET_SHAPES, type SecretShape } from './secret-shapes.ts';
import { isCovered, NO_SPANS, type Span } from './span.ts';

const MAX_TOKEN = 600;
const MAX_BREAKS = 4;
/** A shorter part before a line break is a word. */
const MIN_FIRST_PART = 8;
const PART = /[A-Za-z0-9_.+/=-]+/y;
const BREAK = /\\?\r?\n[ \t]{0,16}/y;
/** The rest of a token in the next line: alone as a word, with digits and letters. */
const REST =
  /\\?\r?\n[ \t]{0,16}(?=[A-Za-z_-]{0,32}\d)(?=[\d_-]{0,32}[A-Za-z])[A-Za-z0-9_+/-]{6,255}={0,2}(?=[\s"'`]|$)/y;

/** Finds where a sticky pattern that starts at `at` ends; -1 when it does not match there. */
const endOf = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
};

/** Lists the parts of what may be a token, in order. */
const partsFrom = (text: string, from: number): readonly Span[] => {
  const parts: Span[] = [];
  for (let at = from; parts.length <= MAX_BREAKS && at - from < MAX_TOKEN; ) {
    const to = endOf(PART, text, at);
    if (to < 0) break;
    parts.push({ from: at, to });
    at = endOf(BREAK, text, to);
    if (at < 0) break;
  }
  return parts;
};

/**
 * Finds where a token ends that fits its pattern only when its lines are joined; -1 when there is
 * none.
 */
const joinedEnd = (body: RegExp, text: string, from: number): number => {
  const parts = partsFrom(text, from);
  const first = parts[0];
  if (!first || first.to - first.from < MIN_FIRST_PART) return -1;
  let joined = text.slice(first.from, first.to);
  // As few lines as it takes: the next one may be something else.
  for (const part of parts.slice(1)) {
    const before = joined.length;
    joined += text.slice(part.from, part.to);
    const end = endOf(body, joined, 0);
    if (end > before) return part.from + end - before;
  }
  return -1;
};

/**
 * Finds where a token that starts at `from` ends, given where it ends in its first line (-1:
 * nowhere).
 */
const wrappedEnd = (body: RegExp, text: string, { from, to }: Span): number => {
  if (to < 0) return joinedEnd(body, text, from);
  const next = text.charCodeAt(to);
  if (next !== 10 && next !== 13 && next !== 92) return to;
  return Math.max(to, endOf(REST, text, to));
};

interface Candidate {
  readonly start: string;
  readonly inside: boolean;
  readonly lead: RegExp | undefined;
  readonly body: RegExp;
  readonly wraps: boolean;
}

/** Two ASCII characters as one number. */
const PAIRS = 128 * 128;

const sticky = (pattern: string, ignoreCase: boolean): RegExp =>
  new RegExp(pattern, ignoreCase ? 'iy' : 'y');

const candidatesOf = ({ starts, lead, body, inside, wraps }: SecretShape): Candidate[] => {
  const compiled = {
    inside: inside === true,
    lead: lead === undefined ? undefined : sticky(lead, true),
    body: sticky(body, false),
    wraps: wraps === true,
  };
  return starts.map((start) => ({ start, ...compiled }));
};

const isWordCode = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

const match = ({ inside, lead, body, wraps }: Candidate, text: string, at: number): Span | null => {
  if (!inside && at > 0 && isWordCode(text.charCodeAt(at - 1))) return null;
  const from = lead ? endOf(lead, text, at) : at;
  if (from < 0) return null;
  const whole = endOf(body, text, from);
  const to = wraps ? wrappedEnd(body, text, { from, to: whole }) : whole;
  return to < 0 ? null : { from, to };
};

/** What was found by now, and the last of it by pattern. */
interface Finds {
  readonly spans: Span[];
  readonly lastBy: Map<RegExp, Span>;
}

export class ShapeFinder {
  /** For each pair of characters, which of the lists below to try; 0 for none. */
  readonly #lists = new Uint8Array(PAIRS);
  readonly #candidates: Candidate[][] = [[]];
  /** For each list and third character 1 if one of its starts goes on like that: `th` is common. */
  readonly #thirds: Uint8Array;

  constructor(shapes: readonly SecretShape[] = SECRET_SHAPES) {
    for (const candidate of shapes.flatMap(candidatesOf)) this.#add(candidate);
    this.#thirds = new Uint8Array(this.#candidates.length * 128);
    for (const [list, candidates] of this.#candidates.entries()) {
      for (const { start } of candidates) {
        const first = list * 128;
        if (start.length === 2) this.#thirds.fill(1, first, first + 128);
        else this.#thirds[first + start.charCodeAt(2)] = 1;
      }
    }
  }

  find(text: string): readonly Span[] {
    const lists = this.#lists;
    const thirds = this.#thirds;
    let finds: Finds | undefined;
    const end = text.length - MIN_SHAPE_LENGTH / 2;
    let before = text.charCodeAt(0);
    for (let at = 0; at < end; at++) {
      const code = text.charCodeAt(at + 1);
      const list = before < 128 && code < 128 ? (lists[(before << 7) | code] as number) : 0;
      before = code;
      if (list === 0) continue;
      const third = text.charCodeAt(at + 2);
      if (third > 127 || thirds[(list << 7) | third] === 0) continue;
      for (const candidate of this.#candidates[list] as Candidate[]) {
        if (!text.startsWith(candidate.start, at)) continue;
        // A text of nothing but starts would be matched again from each of them.
        if (isCovered(finds?.lastBy.get(candidate.body), at)) continue;
        const span = match(candidate, text, at);
        if (!span) continue;
        finds ??= { spans: [], lastBy: new Map() };
        finds.spans.push(span);
        finds.lastBy.set(candidate.body, span);
      }
    }
    return finds?.spans ?? NO_SPANS;
  }

  #add(candidate: Candidate): void {
    const { start } = candidate;
    const pair = (start.charCodeAt(0) << 7) | start.charCodeAt(1);
    const list = this.#lists[pair] as number;
    if (list > 0) (this.#candidates[list] as Candidate[]).push(candidate);
    else this.#lists[pair] = this.#candidates.push([candidate]) - 1;
  }
}

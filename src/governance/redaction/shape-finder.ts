/**
 * Finds well-known credentials by their shape. One look at two characters rules nearly every place
 * out; only where a literal start stands does a pattern run.
 */

import { endOf, wrappedEnd } from './keys/wrapped-tokens.ts';
import { MIN_SHAPE_LENGTH, SECRET_SHAPES, type SecretShape } from './secret-shapes.ts';
import { isCovered, NO_SPANS, type Span } from './span.ts';

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

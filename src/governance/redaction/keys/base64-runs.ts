/**
 * Finds long stretches of base64 characters in a text. Only every fortieth character is looked at
 * until one of them may lie inside such a stretch, so ordinary text costs next to nothing.
 */
import type { Span } from '../span.ts';

/** Shorter stretches are words, paths and names. */
export const MIN_RUN = 40;

export const isBase64 = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 47 && code <= 57) ||
  code === 43;

/** Lists the stretches of at least `MIN_RUN` base64 characters, in order, without their padding. */
export const base64Runs = (text: string): readonly Span[] | undefined => {
  let runs: Span[] | undefined;
  let end = 0;
  for (let at = MIN_RUN - 1; at < text.length; at = end + MIN_RUN - 1) {
    if (!isBase64(text.charCodeAt(at))) {
      end = at + 1;
      continue;
    }
    let from = at;
    while (from > end && isBase64(text.charCodeAt(from - 1))) from--;
    let to = at + 1;
    while (to < text.length && isBase64(text.charCodeAt(to))) to++;
    if (to - from >= MIN_RUN) {
      runs ??= [];
      runs.push({ from, to });
    }
    end = to;
  }
  return runs;
};

/** Stretches of a text that have to go, and how they are taken out of it. */

export interface Span {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** Shorter stretches may be searched again from each place inside. */
const MIN_COVERED = 1024;

/**
 * Tells whether a place lies in the first half of a long span, so that a search from there finds little more.
 */
export const isCovered = (span: Span | undefined, at: number): boolean =>
  span !== undefined && span.to - span.from >= MIN_COVERED && at < (span.from + span.to) / 2;

export const NO_SPANS: readonly Span[] = Object.freeze([]);

/** Sorts spans and joins those that touch or overlap. */
export const mergeSpans = (spans: readonly Span[]): readonly Span[] => {
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
};

/** Puts `instead` in the place of each span; they are merged already. */
export const replaceSpans = (text: string, spans: readonly Span[], instead: string): string => {
  let clean = '';
  let at = 0;
  for (const { from, to } of spans) {
    clean += text.slice(at, from) + instead;
    at = to;
  }
  return clean + text.slice(at);
};

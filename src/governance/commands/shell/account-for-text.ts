/**
 * Checks the parser: every character of a shell string must be part of a word that was judged, or
 * an operator, a reserved word, a blank or a comment. Text that the parser skipped, or joined where
 * bash would not, is refused here.
 */
import { refuse } from '../refusal.ts';

export interface Span {
  readonly pos: number;
  readonly end: number;
  /** A word: the next one must not touch it. */
  readonly isWord: boolean;
}

/** Matches what may be between words. A reserved word must not touch another one. */
const BETWEEN =
  /[ \t\n]|\\\n|;;&|;;|;&|&&|\|\||\|&|&>>?|<<<|<<-?|>>|>&|>\||<>|<&|[;|(){}!<>]|(?<![^\s;&|()])(?:if|then|elif|else|fi|for|in|do|done|while|until|case|esac|time|-p|--|\[\[|\]\]|-[a-z]|[!=]?=|=~|-(?:nt|ot|ef))(?![^\s;&|()])/y;

/** A comment starts where a word could. */
const COMMENT = /(?<![^\s;&|()])#[^\n]*/y;

const stray = (): never =>
  refuse(
    'A part of the command could not be accounted for.',
    'Write it more plainly: one blank between words, quotes around odd characters.',
  );

const accountForGap = (source: string, from: number, to: number): void => {
  let at = from;
  while (at < to) {
    const pattern = [COMMENT, BETWEEN].find((each) => {
      each.lastIndex = at;
      return each.test(source);
    });
    if (pattern === undefined) return void stray();
    at = pattern.lastIndex;
  }
  if (at > to) stray();
};

/** Refuses a region of the source that the spans and what may stand between them do not cover. */
export const accountForText = (
  source: string,
  region: Omit<Span, 'isWord'>,
  spans: readonly Span[],
): void => {
  let last: Span = { pos: region.pos, end: region.pos, isWord: false };
  for (const span of [...spans].sort((a, b) => a.pos - b.pos)) {
    if (span.pos < last.end || (span.isWord && last.isWord && span.pos === last.end)) stray();
    accountForGap(source, last.end, span.pos);
    last = span;
  }
  accountForGap(source, last.end, region.end);
};

/**
 * The strict check behind the parser: every character of a shell string lies in a word that was
 * judged, or is an operator, a reserved word, a blank or a comment. What a parser skipped, or glued
 * together and bash would not, shows up here.
 */
import { refuse } from '../refusal.ts';

export interface Span {
  readonly pos: number;
  readonly end: number;
  /** A word: the next one must not touch it. */
  readonly isWord: boolean;
}

/** What may stand between words. A reserved word must stand alone. */
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
    const found = [COMMENT, BETWEEN].find((pattern) => {
      pattern.lastIndex = at;
      return pattern.test(source);
    });
    if (found === undefined) return void stray();
    at = found.lastIndex;
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

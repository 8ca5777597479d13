/**
 * Parses a shell string, or refuses it: odd characters, size, constructs that make the parser slow,
 * and everything that the parser only recovers from.
 */
import { type ParsedScript, parse } from 'unbash';
import { refuse } from '../refusal.ts';

const MAX_LENGTH = 65_536;

/** The parser's time grows with the square of these. */
const MAX_OCCURRENCES: readonly (readonly [string, number])[] = [
  ['{', 2_000],
  ['<<', 500],
];

/** Controls except tab and newline, line separators, odd blanks, direction marks, half characters. */
const ODD =
  /[\p{Zl}\p{Zp}\p{Cs}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|(?![\t\n])\p{Cc}/u;

/** Refuses text that reads differently to people, to parsers and to shells. */
export const assertPlainText = (text: string): void => {
  if (text.length > MAX_LENGTH) {
    refuse('The command is too long.', `Keep it below ${MAX_LENGTH} characters.`);
  }
  if (ODD.test(text)) {
    refuse(
      'The command holds control, invisible or direction-changing characters.',
      'Use printable characters, plain blanks and newlines only.',
    );
  }
};

const occurs = (text: string, part: string): number => text.split(part).length - 1;

export const readScript = (source: string): ParsedScript => {
  assertPlainText(source);
  for (const [part, max] of MAX_OCCURRENCES) {
    if (occurs(source, part) > max) {
      refuse('The command is too involved to be judged.', 'Split it into smaller commands.');
    }
  }
  const script = parse(source);
  if (script.errors !== undefined || script.shebang !== undefined || script.commands.length === 0) {
    refuse('The command is not complete shell syntax.', 'Close every quote, bracket and block.');
  }
  return script;
};

/**
 * Date formats in both common notations: that of luxon (`yyyy-MM-dd`) and that of moment and dayjs
 * (`YYYY-MM-DD`). The second is recognized by tokens that the first does not have, and translated token
 * by token.
 */
import type { DateTime } from 'luxon';

/** Tokens of the moment family as luxon spells them. */
const TOKENS: ReadonlyMap<string, string> = new Map([
  ...'MMMM MMM MM M HH H hh h mm m ss s SSS WW W X x yyyy yy'
    .split(' ')
    .map((same) => [same, same] as const),
  ['YYYY', 'yyyy'],
  ['YY', 'yy'],
  ['Y', 'y'],
  ['Q', 'q'],
  ['DDDD', 'ooo'],
  ['DDD', 'o'],
  ['DD', 'dd'],
  ['Do', 'd'],
  ['D', 'd'],
  ['dddd', 'cccc'],
  ['ddd', 'ccc'],
  ['dd', 'ccc'],
  ['E', 'c'],
  ['GGGG', 'kkkk'],
  ['GG', 'kk'],
  ['SS', 'uu'],
  ['S', 'uuu'],
  ['A', 'a'],
  ['a', 'a'],
  ['ZZ', 'ZZZ'],
  ['Z', 'ZZ'],
  ['zz', 'ZZZZ'],
  ['z', 'ZZZZ'],
]);

const LITERAL = /\[[^\]]*\]|'[^']*'/g;
/** Longest first: `DD` before `D`. */
const PIECES = new RegExp(
  `\\[[^\\]]*\\]|${[...TOKENS.keys()].toSorted((a, b) => b.length - a.length).join('|')}|.`,
  'gsu',
);

/**
 * Recognizes the moment notation: luxon has no `Y`, `A`, `ddd` or `Do`; its `D` is a whole date, alone or
 * with a time.
 */
const isMomentStyle = (format: string): boolean => {
  const bare = format.replaceAll(LITERAL, '');
  if (/^D{1,4} [tT]{1,4}$/.test(bare)) return false;
  return /Y|A|D|ddd/.test(bare) || /\[[^\]]*\]/.test(format);
};

const piecesOf = (format: string): readonly string[] => format.match(PIECES) ?? [];

/** Quotes `T` before the hours: it is the letter of ISO 8601, not luxon's token for a time. */
const withIsoLetter = (format: string): string => format.replaceAll(/(d|o)T(?=[Hh])/g, "$1'T'");

const literalOf = (piece: string): string =>
  piece.startsWith('[') && piece.endsWith(']') && piece.length > 1 ? piece.slice(1, -1) : piece;

const quoted = (literal: string): string =>
  /\p{L}/u.test(literal) ? `'${literal.replaceAll("'", '')}'` : literal;

/** Translates a format to luxon's notation. */
export const toLuxonFormat = (format: string): string =>
  isMomentStyle(format)
    ? piecesOf(format)
        .map((piece) => TOKENS.get(piece) ?? quoted(literalOf(piece)))
        .join('')
    : withIsoLetter(format);

/** Writes an ordinal: 1st, 2nd, 3rd, 4th … 11th, 12th, 13th. */
const ordinal = (day: number): string => {
  const ending = new Intl.PluralRules('en', { type: 'ordinal' }).select(day);
  return `${day}${{ one: 'st', two: 'nd', few: 'rd' }[ending as 'one' | 'two' | 'few'] ?? 'th'}`;
};

/** Tokens that luxon does not have. */
const SPECIAL: ReadonlyMap<string, (moment: DateTime) => string> = new Map([
  ['Do', (moment) => (moment.locale?.startsWith('en') ? ordinal(moment.day) : `${moment.day}`)],
  ['a', (moment) => moment.toFormat('a').toLowerCase()],
  ['dd', (moment) => moment.toFormat('ccc').slice(0, 2)],
]);

const writePiece = (moment: DateTime, piece: string): string => {
  const special = SPECIAL.get(piece);
  if (special) return special(moment);
  const token = TOKENS.get(piece);
  return token === undefined ? literalOf(piece) : moment.toFormat(token);
};

/** Writes a date in a format of either notation. */
export const writeDate = (moment: DateTime, format: string): string =>
  isMomentStyle(format)
    ? piecesOf(format)
        .map((piece) => writePiece(moment, piece))
        .join('')
    : moment.toFormat(withIsoLetter(format));

/** Tells whether a format has `Do`, which reads "1st"; luxon reads only the number. */
export const hasOrdinal = (format: string): boolean =>
  isMomentStyle(format) && piecesOf(format).includes('Do');

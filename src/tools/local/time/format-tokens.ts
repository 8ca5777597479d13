/** Understands both ways people write date formats: luxon's own and that of moment and dayjs. */

/** Tokens of the moment family that luxon spells otherwise, longest first. */
const TRANSLATED: readonly (readonly [string, string])[] = [
  ['YYYY', 'yyyy'],
  ['YY', 'yy'],
  ['DDDD', 'ooo'],
  ['DDD', 'o'],
  ['DD', 'dd'],
  ['Do', 'd'],
  ['D', 'd'],
  ['dddd', 'cccc'],
  ['ddd', 'ccc'],
  ['A', 'a'],
  ['ZZ', 'ZZZ'],
  ['Z', 'ZZ'],
];

/** `YYYY` and `DD` mean nothing to luxon, so whoever writes them thinks of the other family. */
const isMomentStyle = (format: string): boolean => {
  const withoutLiterals = format.replaceAll(/\[[^\]]*\]|'[^']*'/g, '');
  return /Y|DD|\[/.test(withoutLiterals) || /\[[^\]]*\]/.test(format);
};

const translateOne = (format: string, at: number): readonly [text: string, length: number] => {
  const literal = /^\[([^\]]*)\]/.exec(format.slice(at));
  if (literal) return [`'${(literal[1] ?? '').replaceAll("'", '')}'`, literal[0].length];
  const known = TRANSLATED.find(([token]) => format.startsWith(token, at));
  if (known) return [known[1], known[0].length];
  return [format.charAt(at), 1];
};

/** The format as luxon reads it. */
export const toLuxonFormat = (format: string): string => {
  if (!isMomentStyle(format)) return format;
  let translated = '';
  for (let at = 0; at < format.length; ) {
    const [text, length] = translateOne(format, at);
    translated += text;
    at += length;
  }
  return translated;
};

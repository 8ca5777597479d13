/**
 * Finds characters that a person does not see and a model reads. Some are allowed where an emoji or a
 * script needs them.
 */
import type { LockFinding } from '../../../contract/lock.ts';
import type { Visible } from '../visible.ts';

type Sort = 'tag' | 'bidi' | 'selector' | 'control' | 'private' | 'blank';

const ODD = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{DI}\u2028\u2029\u2800]/gu;
const PLAIN = '\t\n\r';
/** Most texts hold only these characters and need no further check. */
const ALL_PLAIN = /^[\x20-\x7e\t\n\r]*$/;
const WORDS: Readonly<Record<Sort, string>> = {
  tag: 'tag characters, which spell out hidden text',
  bidi: 'characters that turn the direction of writing',
  selector: 'variation selectors in a place that has no variant',
  control: 'control characters, which a terminal obeys',
  private: 'private characters, which have no agreed meaning',
  blank: 'characters of no width',
};
/** Icon fonts use these. */
const MILD: ReadonlySet<Sort> = new Set(['private']);
const MAX_SPELLED = 200;

const sortOf = (code: number): Sort => {
  if (code >= 0xe0000 && code <= 0xe007f) return 'tag';
  if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)) return 'bidi';
  if ((code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef)) return 'selector';
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return 'control';
  if (code >= 0xd800 && code <= 0xdfff) return 'control';
  const isPrivate = (code >= 0xe000 && code <= 0xf8ff) || code >= 0xf0000;
  return isPrivate ? 'private' : 'blank';
};

const JOINERS = '\u200c\u200d';
const MARKS = '\u200e\u200f\u061c';
const PICTURE = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u;
const PICTURE_NEXT = /^\p{Extended_Pictographic}/u;
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;
const JOINING =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Mongolian}]$/u;
const VARIANT_OF = /[\p{Emoji}\p{S}\p{Script=Han}]$/u;
/** The flags of England, Scotland and Wales. */
const FLAG =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/gu;
const CONTEXT = 4;

interface Occurrence {
  readonly character: string;
  readonly before: string;
  readonly after: string;
  readonly isRightToLeft: boolean;
}

/** Tells whether an emoji or the script around it needs the character. */
const isNeeded = ({ character, before, after, isRightToLeft }: Occurrence): boolean => {
  if (JOINERS.includes(character)) {
    return JOINING.test(before) || (PICTURE.test(before) && PICTURE_NEXT.test(after));
  }
  if (MARKS.includes(character)) return isRightToLeft;
  return sortOf(Number(character.codePointAt(0))) === 'selector' && VARIANT_OF.test(before);
};

const spelled = (text: string): string =>
  [...text]
    .map((character) => Number(character.codePointAt(0)) - 0xe0000)
    .filter((code) => code >= 0x20 && code < 0x7f)
    .slice(0, MAX_SPELLED)
    .map((code) => String.fromCharCode(code))
    .join('');

const countOdd = (text: string): ReadonlyMap<Sort, number> => {
  const counts = new Map<Sort, number>();
  const isRightToLeft = RIGHT_TO_LEFT.test(text);
  for (const { 0: character, index } of text.matchAll(ODD)) {
    if (PLAIN.includes(character)) continue;
    const end = index + character.length;
    const before = text.slice(Math.max(0, index - CONTEXT), index);
    const after = text.slice(end, end + CONTEXT);
    if (isNeeded({ character, before, after, isRightToLeft })) continue;
    const sort = sortOf(Number(character.codePointAt(0)));
    counts.set(sort, (counts.get(sort) ?? 0) + 1);
  }
  return counts;
};

export const findInvisible = (
  original: string,
  path: string,
  visible: Visible,
): readonly LockFinding[] => {
  if (ALL_PLAIN.test(original)) return [];
  const text = original.replaceAll(FLAG, '');
  return [...countOdd(text)].map(([sort, count]) => {
    const hidden = sort === 'tag' ? `: "${visible.text(spelled(text))}"` : '';
    return {
      kind: MILD.has(sort) ? 'suspicious' : 'invisible_characters',
      path,
      message: `${count} ${WORDS[sort]}${hidden}`,
    };
  });
};

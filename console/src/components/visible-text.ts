/**
 * Finds what the eye would miss or be misled by: control characters, text that changes direction,
 * zero-width and other invisible characters. A hostile input must not look harmless in an approval.
 */
export interface TextPart {
  readonly text: string;
  /** `U+202E` when the part is one such character; absent for plain text. */
  readonly code?: string;
}

/** The blank of Braille is a symbol by class, and as invisible as a space. */
const HIDDEN =
  /[^\S\n\t ]|[\u2800\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A line break or a tab shows itself. */
const SHOWN = new Set(['\n', '\t']);

export const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Tells whether this is the selector that gives an emoji its colours; anywhere else it is suspect. */
const isEmojiStyle = (text: string, at: number): boolean =>
  text.startsWith('\u{FE0F}', at) &&
  // Only what stands right before it: a look at the whole text each time would stop the page.
  /\p{Extended_Pictographic}$/u.test(text.slice(Math.max(0, at - 2), at));

export const visibleParts = (text: string): readonly TextPart[] => {
  const parts: TextPart[] = [];
  let done = 0;
  for (const { 0: character, index } of text.matchAll(HIDDEN)) {
    if (SHOWN.has(character) || isEmojiStyle(text, index)) continue;
    if (index > done) parts.push({ text: text.slice(done, index) });
    parts.push({ text: character, code: codeOf(character) });
    done = index + character.length;
  }
  if (done < text.length) parts.push({ text: text.slice(done) });
  return parts;
};

/** Writes hidden characters as codes, for places that hold plain text only, such as options of a drop-down. */
export const plainVisible = (text: string): string =>
  visibleParts(text)
    .map(({ text: part, code }) => (code === undefined ? part : `[${code}]`))
    .join('');

export const countHidden = (text: string): number =>
  visibleParts(text).filter(({ code }) => code !== undefined).length;

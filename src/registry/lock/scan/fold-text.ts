/** Normalizes text to what a model reads: no invisible characters, look-alike letters, emphasis or case. */

const INVISIBLE = /[\p{Cf}\p{Mn}\p{DI}\p{Co}]/gu;
const EMPHASIS = /[*_`\u201c\u201d"]+/g;
const BLANKS = /\s+/g;
const APOSTROPHES = /[\u2018\u2019\u02bc]/g;
const FOREIGN = /[\u0370-\u04ff\u0500-\u052f\u0131\u1d00-\u1d7f]/g;
const MAX_LENGTH = 200_000;

/** Cyrillic, Greek and small-capital letters, each with the Latin letter that it looks like. */
const PAIRS: readonly (readonly [letters: string, latin: string])[] = [
  ['аαᴀ', 'a'],
  ['ʙв', 'b'],
  ['сϲᴄ', 'c'],
  ['ԁᴅ', 'd'],
  ['еєεᴇ', 'e'],
  ['ɡ', 'g'],
  ['һн', 'h'],
  ['іїιı', 'i'],
  ['јϳᴊ', 'j'],
  ['кκᴋ', 'k'],
  ['ӏ', 'l'],
  ['мᴍ', 'm'],
  ['пᴨ', 'n'],
  ['оοσᴏ', 'o'],
  ['рρᴘ', 'p'],
  ['ԛ', 'q'],
  ['ѕ', 's'],
  ['тτᴛ', 't'],
  ['υᴜ', 'u'],
  ['ѵνᴠ', 'v'],
  ['ԝѡωᴡ', 'w'],
  ['хχ', 'x'],
  ['уүγ', 'y'],
  ['ᴢ', 'z'],
];

const LATIN: ReadonlyMap<string, string> = new Map(
  PAIRS.flatMap(([letters, latin]) => [...letters].map((letter) => [letter, latin] as const)),
);

/** Replaces letters of other scripts by the Latin letters that they look like. */
export const foldLetters = (text: string): string =>
  text.replaceAll(FOREIGN, (letter) => LATIN.get(letter) ?? letter);

export const foldText = (text: string): string =>
  foldLetters(
    text
      .slice(0, MAX_LENGTH)
      .normalize('NFKD')
      .slice(0, MAX_LENGTH)
      .replaceAll(INVISIBLE, '')
      .replaceAll(APOSTROPHES, "'")
      .toLowerCase(),
  )
    .replaceAll(EMPHASIS, ' ')
    .replaceAll(BLANKS, ' ');

/**
 * Cuts a text into pieces the language library can read in bounded time. It grows with the square of
 * a word's length and worse, so runs without a space are broken, and no piece is longer than a page.
 */

const PIECE = 8_000;
const LONGEST_RUN = 100;

/** Only monsters are touched: no word, and hardly an address, is that long. */
const breakRuns = (text: string): string =>
  text.replace(
    /\S{101,}/gu,
    (run) => run.match(new RegExp(`.{1,${LONGEST_RUN}}`, 'gsu'))?.join(' ') ?? '',
  );

/** Where to cut: after a paragraph, a sentence, a word, or wherever it has to be. */
const cutOf = (text: string, from: number): number => {
  const end = from + PIECE;
  if (end >= text.length) return text.length;
  const half = from + PIECE / 2;
  for (const mark of ['\n\n', '. ', '\n', ' ']) {
    const at = text.lastIndexOf(mark, end - mark.length);
    if (at > half) return at + mark.length;
  }
  return end;
};

export const splitPieces = (text: string): readonly string[] => {
  const tame = breakRuns(text);
  const pieces: string[] = [];
  for (let at = 0; at < tame.length; ) {
    const end = cutOf(tame, at);
    const piece = tame.slice(at, end);
    if (piece.trim() !== '') pieces.push(piece);
    at = end;
  }
  return pieces;
};

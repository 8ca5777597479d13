/** Breaks lines before the terminal does: what it wraps by itself could pose as a line of the page. */

/** Anything but ASCII counts as two columns, so that no line is ever wrapped by the terminal itself. */
const columnsOf = (character: string): number => (character.charCodeAt(0) < 0x80 ? 1 : 2);

/** The rest of a broken line starts with a mark, so that it cannot pose as a line of its own. */
export const wrapLine = (line: string, width: number): readonly string[] => {
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const character of line) {
    const columns = columnsOf(character);
    if (used + columns > width) {
      pieces.push(piece);
      piece = '↪ ';
      used = 3;
    }
    piece += character;
    used += columns;
  }
  return [...pieces, piece];
};

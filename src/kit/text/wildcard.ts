/**
 * Matches text with the pieces of a pattern that was split at its `*`. Uses no regular expression and
 * never goes back behind the last `*`, so that no pattern of a user can make it slow.
 */
export const matchesWildcard = (pieces: readonly string[], text: string): boolean => {
  const head = pieces[0] as string;
  if (pieces.length === 1) return text === head;
  if (!text.startsWith(head)) return false;
  const tail = pieces[pieces.length - 1] as string;
  let at = head.length;
  for (let index = 1; index < pieces.length - 1; index += 1) {
    const piece = pieces[index] as string;
    const start = text.indexOf(piece, at);
    if (start < 0) return false;
    at = start + piece.length;
  }
  return text.length - tail.length >= at && text.endsWith(tail);
};

/** Makes a test of whole texts by a pattern in which `*` stands for any characters. */
export const wildcard = (pattern: string): ((text: string) => boolean) => {
  const pieces = pattern.split('*');
  return (text) => matchesWildcard(pieces, text);
};

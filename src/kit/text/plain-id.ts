/** Ids that somebody chose: every store can keep them, a line of a log holds them, and a person can type them. */

/** Controls, marks that nobody sees, halves of characters, and line and paragraph separators. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Tells whether an id has 1 to `max` characters that can be seen. */
export const isPlainId = (id: string, max: number): boolean =>
  id.length > 0 && id.length <= max && !UNSEEN.test(id);

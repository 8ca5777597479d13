/** Chooses where a long text may be cut without changing what its parts look like. */
import { isBase64 } from './keys/base64-runs.ts';

/** A blank or line break this near is preferred to a cut inside a word. */
const MAX_WORD = 1024;
/** A block of base64 lines is not cut unless it is longer. */
const MAX_BLOCK = 1 << 18;
const BASE64_LINE = /^[ \t"'>|+-]{0,8}[A-Za-z0-9+/]{40,100}={0,2}[",]{0,2}\r?$/;

/** Finds where the line of a position starts. */
const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;

/**
 * Finds the nearest place at or before `at` where a line starts that is no continued block of base64: what
 * such a block is can be seen by its first line only. Without a line break near, a place after a blank.
 */
export const cutBefore = (text: string, at: number): number => {
  if (at <= 0) return 0;
  const least = Math.max(0, at - MAX_WORD);
  const head = text.slice(least, at);
  if (least > 0 && !head.includes('\n')) return least + wordStart(head);
  let start = lineStart(text, at);
  while (start > 0 && start > at - MAX_BLOCK) {
    const before = lineStart(text, start - 1);
    if (start - before > 128 || !BASE64_LINE.test(text.slice(before, start - 1))) break;
    start = before;
  }
  // The line before the block says what it is.
  return start > 0 && start < lineStart(text, at) ? lineStart(text, start - 1) : start;
};

/** Finds the position after the last blank; the end when there is none. */
const wordStart = (text: string): number => {
  for (let at = text.length; at > 0; at--) if (text.charCodeAt(at - 1) <= 32) return at;
  return text.length;
};

/**
 * Finds where the slice that starts at `from` ends. Inside base64 without a line break it is a
 * multiple of four characters long, so that both parts can be decoded.
 */
export const sliceEnd = (text: string, from: number, length: number): number => {
  const end = from + length;
  if (end >= text.length) return text.length;
  const cut = cutBefore(text, end);
  if (cut > from + length / 2 && cut < end) return cut;
  let start = end;
  while (start > from && isBase64(text.charCodeAt(start - 1))) start--;
  return end - ((end - start) % 4);
};

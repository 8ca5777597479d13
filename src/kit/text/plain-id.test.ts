import { describe, expect, it } from 'vitest';
import { isPlainId } from './plain-id.ts';

describe('an id that somebody chose', () => {
  it.each(['nightly', 'order 7/ä', 'token:ci/run-1', '日報'])('benign: %j is taken', (id) => {
    expect(isPlainId(id, 20)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['more characters than allowed', 'a'.repeat(21)],
    ['NUL', 'a\0b'],
    ['a line break', 'a\nb'],
    ['an escape sequence', 'a\u001b[2Jb'],
    ['a bidirectional mark', 'a\u202eb'],
    ['a character of no width', 'a\u200bb'],
    ['half a character', 'a\ud800b'],
    ['a line separator', 'a\u2028b'],
  ])('hostile: one with %s is refused', (_what, id) => {
    expect(isPlainId(id, 20)).toBe(false);
  });
});

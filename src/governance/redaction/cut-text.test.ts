import { describe, expect, it } from 'vitest';
import { cutBefore, sliceEnd } from './cut-text.ts';

const LINE = 'An ordinary line of text.\n';
const BLOCK_LINE = `${'aB3+xYz/'.repeat(8)}\n`;

describe('places where a long text may be cut', () => {
  it('the start of a line', () => {
    const text = LINE.repeat(10);
    expect(cutBefore(text, LINE.length * 4 + 7)).toBe(LINE.length * 4);
    expect(cutBefore(text, -5)).toBe(0);
  });

  it('the start of a word in a text of one line', () => {
    expect(cutBefore('some words in one line '.repeat(100), 2000)).toBe(1996);
    expect(cutBefore('some words in one line', 8)).toBe(0);
    expect(cutBefore('x'.repeat(5000), 3000)).toBe(3000);
  });

  it('the line before a block of base64, which says what the block is', () => {
    const head = `${LINE.repeat(3)}-----BEGIN CERTIFICATE-----\n`;
    const text = head + BLOCK_LINE.repeat(20);
    expect(cutBefore(text, head.length + BLOCK_LINE.length * 9 + 3)).toBe(LINE.length * 3);
  });

  it('a multiple of four characters in base64 without line breaks', () => {
    for (let before = 0; before < 4; before++) {
      const text = `${'-'.repeat(before)}${'aB3x'.repeat(3000)}`;
      expect((sliceEnd(text, 0, 8192) - before) % 4).toBe(0);
    }
  });

  it('slices make up the whole text, and each gets on', () => {
    for (const text of [LINE.repeat(999), BLOCK_LINE.repeat(999), 'x'.repeat(50_000), '']) {
      let from = 0;
      for (let slices = 0; from < text.length && slices < 100; slices++) {
        from = sliceEnd(text, from, 4096);
      }
      expect(from).toBe(text.length);
    }
  });
});

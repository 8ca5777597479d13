/** Segments: windows give what the whole text gives, however long the segments are. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSegmenter, wordsOf } from './segments.ts';

const GRANULARITIES = ['grapheme', 'word', 'sentence'] as const;

const whole = (text: string, granularity: (typeof GRANULARITIES)[number]) =>
  [...new Intl.Segmenter('en', { granularity }).segment(text)].map(({ segment }) => segment);

const windowed = (text: string, granularity: (typeof GRANULARITIES)[number]) =>
  [...createSegmenter(granularity)(text)].map(({ text: segment }) => segment);

describe.each(GRANULARITIES)('%s', (granularity) => {
  it('is the same with and without windows', () => {
    const part = fc.constantFrom(
      ...[
        'can',
        "'t ",
        'Dr. ',
        'No! ',
        '1.5',
        '\r\n',
        '👨‍👩‍👧',
        '🇩🇪',
        'e\u0301',
        'שלום ',
        '(x) ',
        'a'.repeat(300),
      ],
    );
    const text = fc.array(part, { maxLength: 200 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (any) => {
        expect(windowed(any, granularity)).toEqual(whole(any, granularity));
      }),
      { numRuns: 60, interruptAfterTimeLimit: 3_000 },
    );
  });

  it('loses nothing of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 900 }), (any) => {
        expect(windowed(any, granularity).join('')).toBe(any);
      }),
      { numRuns: 60, interruptAfterTimeLimit: 3_000 },
    );
  });
});

describe('wordsOf', () => {
  it('leaves out what is no word', () => {
    expect(wordsOf("Don't, stop! 漢字", createSegmenter('word'))).toEqual([
      "Don't",
      'stop',
      '漢字',
    ]);
  });
});

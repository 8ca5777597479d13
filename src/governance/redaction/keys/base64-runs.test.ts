import { describe, expect, it } from 'vitest';
import { base64Runs, MIN_RUN } from './base64-runs.ts';

const RUN = 'aB3+/xYz'.repeat(8);

const runsIn = (text: string): readonly string[] =>
  (base64Runs(text) ?? []).map(({ from, to }) => text.slice(from, to));

describe('the search for stretches of base64', () => {
  it('finds a stretch wherever it starts', () => {
    for (let before = 0; before <= MIN_RUN * 2; before++) {
      expect(runsIn(`${'- '.repeat(before)}${RUN}==`)).toEqual([RUN]);
    }
  });

  it('finds every one of several, in order', () => {
    expect(runsIn(`${RUN} ${RUN}a\n${RUN}bc`)).toEqual([RUN, `${RUN}a`, `${RUN}bc`]);
  });

  it('finds one of exactly the least length and none that is shorter', () => {
    expect(runsIn('x'.repeat(MIN_RUN))).toEqual(['x'.repeat(MIN_RUN)]);
    expect(base64Runs('x'.repeat(MIN_RUN - 1))).toBeUndefined();
    expect(base64Runs(`${'x'.repeat(MIN_RUN - 1)} `.repeat(9))).toBeUndefined();
  });

  it('finds none in words', () => {
    expect(base64Runs('plain words of no interest, and a path: /usr/lib/node '.repeat(20))).toBe(
      undefined,
    );
  });
});

import { expect, it } from 'vitest';
import { formatSpan } from './format-span.ts';

it.each([
  [-5, '0 s'],
  [1500, '1 s'],
  [119_000, '119 s'],
  [120_000, '2 min'],
  [3_600_000, '60 min'],
  [7_300_000, '2 h'],
  [3 * 86_400_000, '3 d'],
])('%d ms is %s', (ms, text) => {
  expect(formatSpan(ms)).toBe(text);
});

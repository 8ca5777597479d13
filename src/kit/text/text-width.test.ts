import { describe, expect, it } from 'vitest';
import { cutToWidth, padToWidth, textWidth } from './text-width.ts';

describe('the width of a text on a terminal', () => {
  it.each([
    ['', 0],
    ['read_file', 9],
    ['检索', 4],
    ['ファイル', 8],
    ['파일', 4],
    ['é', 1],
    ['e\u0301', 1],
    ['🚀 up', 5],
    ['👩‍👩‍👧', 2],
    ['ａｂ', 4],
    ['✓ …·▾', 5],
  ])('%s takes %i columns', (text, columns) => {
    expect(textWidth(text)).toBe(columns);
  });

  it('is kept by cutting, which cuts no character in two', () => {
    expect(cutToWidth('read_file', 9)).toBe('read_file');
    expect(cutToWidth('read_file', 5)).toBe('read…');
    expect(cutToWidth('检索文件', 6)).toBe('检索…');
    expect(cutToWidth('检索文件', 4)).toBe('检…');
    expect(cutToWidth('e\u0301e\u0301e\u0301', 2)).toBe('e\u0301…');
    expect(cutToWidth('abc', 0)).toBe('');
    expect(cutToWidth('abc', 1)).toBe('…');
  });

  it('is filled up with spaces', () => {
    expect(padToWidth('检索', 6)).toBe('检索  ');
    expect(padToWidth('检索', 6, 'start')).toBe('  检索');
    expect(padToWidth('long', 2)).toBe('long');
  });
});

import { describe, expect, it } from 'vitest';
import { bar } from './bar.ts';

describe('bar', () => {
  it('fills the width for the largest value and is in proportion below it', () => {
    expect(bar(100, 100, 10)).toBe('██████████');
    expect(bar(50, 100, 10)).toBe('█████░░░░░');
  });

  it('shows something for anything above nothing, and nothing for nothing', () => {
    expect(bar(1, 10_000, 10)).toBe('█░░░░░░░░░');
    expect(bar(0, 100, 10)).toBe('░░░░░░░░░░');
    expect(bar(0, 0, 4)).toBe('░░░░');
  });

  it('never overflows', () => {
    expect(bar(300, 100, 5)).toBe('█████');
    expect(bar(-5, 100, 5)).toBe('░░░░░');
    expect(bar(1, 1, 0)).toBe('');
  });
});

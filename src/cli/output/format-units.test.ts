import { describe, expect, it } from 'vitest';
import {
  bar,
  counted,
  formatBytes,
  formatCost,
  formatDuration,
  formatSpan,
  formatTime,
} from './format-units.ts';

describe('formatDuration', () => {
  it.each([
    [0, '0 µs'],
    [0.25, '250 µs'],
    [3.05, '3.0 ms'],
    [420.4, '420 ms'],
    [1500, '1.5 s'],
    [95_000, '1 min 35 s'],
    [0.9996, '1.0 ms'],
    [9.96, '10 ms'],
    [999.6, '1.0 s'],
    [59_960, '1 min 0 s'],
    [119_600, '2 min 0 s'],
    [5_400_000, '1 h 30 min'],
  ])('writes %d ms', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

describe('formatBytes', () => {
  it.each([
    [0, '0 B'],
    [-5, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [16_777_216, '16.8 MB'],
    [128_000_000, '128 MB'],
    [5e15, '5000 TB'],
  ])('writes %d bytes', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});

describe('formatCost', () => {
  it('shows six digits, as the ledger has them', () => {
    expect(formatCost(0)).toBe('free');
    expect(formatCost(0.0000012)).toBe('$0.000001');
    expect(formatCost(1.5)).toBe('$1.5');
  });
});

it('counted writes the noun in singular or plural', () => {
  expect(counted(1, 'tool')).toBe('1 tool');
  expect(counted(1200, 'tool')).toBe('1,200 tools');
});

it('formatTime shows time to the second, in UTC', () => {
  expect(formatTime(Date.UTC(2026, 10, 15, 9, 7, 1, 999))).toBe('2026-11-15 09:07:01Z');
});

describe('bar', () => {
  it('fills the width for the largest value and is in proportion below it', () => {
    expect(bar(100, 100, 10)).toBe('██████████');
    expect(bar(50, 100, 10)).toBe('█████░░░░░');
  });

  it('fills a character for any value above 0, and none for 0', () => {
    expect(bar(1, 10_000, 10)).toBe('█░░░░░░░░░');
    expect(bar(0, 100, 10)).toBe('░░░░░░░░░░');
    expect(bar(0, 0, 4)).toBe('░░░░');
  });

  it('stays within its width for values above the largest and below zero', () => {
    expect(bar(300, 100, 5)).toBe('█████');
    expect(bar(-5, 100, 5)).toBe('░░░░░');
    expect(bar(1, 1, 0)).toBe('');
  });
});

it.each([
  [-5, '0 s'],
  [1500, '1 s'],
  [119_000, '119 s'],
  [120_000, '2 min'],
  [3_600_000, '60 min'],
  [7_300_000, '2 h'],
  [3 * 86_400_000, '3 d'],
])('formatSpan writes %d ms as %s', (ms, text) => {
  expect(formatSpan(ms)).toBe(text);
});

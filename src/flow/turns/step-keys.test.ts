import { describe, expect, it } from 'vitest';
import { StepKeys } from './step-keys.ts';

describe('the keys of the steps of a run', () => {
  it('numbers steps without a key, and leaves named ones out of the count of numbers', () => {
    const keys = new StepKeys();
    expect([keys.next(undefined), keys.next('mail'), keys.next(undefined)]).toEqual([
      '1',
      'mail',
      '2',
    ]);
  });

  it('counts every step, and remembers only those that it is told to keep', () => {
    const keys = new StepKeys();
    keys.note(keys.next(undefined), false);
    keys.note(keys.next('mail'), true);
    expect(keys.count).toBe(2);
    expect([keys.has('1'), keys.has('mail')]).toEqual([false, true]);
  });

  it.each([
    ['the key of another step', 'mail'],
    ['a number, which could be that of a step without a key', '2'],
    ['an empty one', ''],
    ['one with a colon, as undos have', 'undo:1'],
    ['one of more than a thousand characters', 'a'.repeat(1_001)],
  ])('refuses %s', (_what, key) => {
    const keys = new StepKeys();
    keys.note(keys.next('mail'), true);
    expect(() => keys.next(key)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
  });
});

import { describe, expect, it } from 'vitest';
import { createExecutionIds } from './ids.ts';

describe('execution ids', () => {
  it('are unique, sort by age, and stay so when the clock steps back', () => {
    let now = 1_800_000_000_000;
    const next = createExecutionIds();
    const ids = Array.from({ length: 100 }, () => next(now));
    now += 5;
    ids.push(next(now));
    now -= 100;
    ids.push(next(now));
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
  });

  it('cannot be guessed from the one before: their ends share nothing', () => {
    const next = createExecutionIds();
    const ends = Array.from({ length: 2000 }, () => next(1_800_000_000_000).slice(-12));
    expect(new Set(ends).size).toBe(ends.length);
    for (const end of ends) expect(end).toMatch(/^[0-9a-z]{12}$/);
  });
});

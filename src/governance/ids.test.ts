import { describe, expect, it } from 'vitest';
import { createExecutionIds } from './ids.ts';

describe('execution ids', () => {
  it('are unique, sort by age, and go on when the clock steps back', () => {
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
});

import { describe, expect, it } from 'vitest';
import { createExecutionIds } from './ids.ts';

describe('execution ids', () => {
  it('are unique, sort by age, and go on when the clock steps back', () => {
    let now = 1_800_000_000_000;
    const next = createExecutionIds(() => now);
    const ids = Array.from({ length: 100 }, () => next());
    now += 5;
    ids.push(next());
    now -= 100;
    ids.push(next());
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
  });
});

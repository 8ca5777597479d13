import { describe, expect, it } from 'vitest';
import { lazy, lazyAsync } from './lazy.ts';

describe('lazy', () => {
  it('makes its value at the first call only, also when that is undefined', () => {
    let made = 0;
    const value = lazy(() => {
      made += 1;
      return undefined;
    });
    expect(made).toBe(0);
    value();
    value();
    expect(made).toBe(1);
  });

  it('shares one promise among concurrent calls, and tries again after a failure', async () => {
    let tries = 0;
    const value = lazyAsync(async () => {
      tries += 1;
      if (tries === 1) throw new Error('not yet');
      return tries;
    });
    const both = await Promise.allSettled([value(), value()]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(tries).toBe(1);
    expect(await Promise.all([value(), value()])).toEqual([2, 2]);
    expect(tries).toBe(2);
  });
});

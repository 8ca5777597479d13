import { afterEach, describe, expect, it, vi } from 'vitest';
import { createRuntime } from './create-runtime.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the wall clock of a call', () => {
  it('is read again when a millisecond has passed, also when it was set back', () => {
    const { nowAt } = createRuntime();
    const systemClock = vi.spyOn(Date, 'now').mockReturnValue(5000);
    expect(nowAt?.(10)).toBe(5000);
    systemClock.mockReturnValue(4000);
    expect(nowAt?.(10.9)).toBe(5000);
    expect(nowAt?.(11)).toBe(4000);
  });

  it.each([{ now: () => 7 }, { elapsed: () => 7 }])(
    'is that of the runtime which replaces a clock, read each time: %o',
    (clock) => {
      expect(createRuntime(clock).nowAt).toBeUndefined();
    },
  );
});

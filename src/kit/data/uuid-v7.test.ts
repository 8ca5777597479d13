import { describe, expect, it } from 'vitest';
import { uuidV7 } from './uuid-v7.ts';

describe('a UUID of version 7', () => {
  it('has the form of RFC 9562, holds its time, and sorts by it', () => {
    const early = uuidV7(0x0123_4567_89ab);
    expect(early).toMatch(/^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(early < uuidV7(0x0123_4567_89ac)).toBe(true);
    expect(uuidV7(5)).not.toBe(uuidV7(5));
  });
});

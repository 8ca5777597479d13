import { describe, expect, it } from 'vitest';
import { collect } from './command-actions.ts';

describe('an option that holds several values between commas', () => {
  it('takes them without the blanks around them, and leaves out empty ones', () => {
    expect(collect(' mail, reports ,,')).toEqual(['mail', 'reports']);
  });

  it('adds the values of each repetition', () => {
    expect(collect('c', collect('a,b'))).toEqual(['a', 'b', 'c']);
  });
});

import { describe, expect, it } from 'vitest';
import { wantsColour } from './start-cli.ts';

const terminal = { isTTY: true };
const pipe = {};

describe('wantsColour', () => {
  it('is true only on a terminal', () => {
    expect(wantsColour({}, [], terminal)).toBe(true);
    expect(wantsColour({}, [], pipe)).toBe(false);
    expect(wantsColour({ TERM: 'dumb' }, [], terminal)).toBe(false);
  });

  it('NO_COLOR and --no-color win over everything', () => {
    expect(wantsColour({ NO_COLOR: '1', FORCE_COLOR: '1' }, [], terminal)).toBe(false);
    expect(wantsColour({ FORCE_COLOR: '1' }, ['--no-color'], terminal)).toBe(false);
  });

  it('ignores an empty NO_COLOR', () => {
    expect(wantsColour({ NO_COLOR: '' }, [], terminal)).toBe(true);
  });

  it('FORCE_COLOR colours a pipe, and 0 forbids it', () => {
    expect(wantsColour({ FORCE_COLOR: '1' }, [], pipe)).toBe(true);
    expect(wantsColour({ FORCE_COLOR: '0' }, [], terminal)).toBe(false);
  });
});

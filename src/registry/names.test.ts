import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wireName } from './names.ts';

const free = () => false;
/** True for a name that every model provider accepts. */
const isWireName = (name: string): boolean => /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(name);

describe('wireName', () => {
  it.each([
    ['read_file', 'read_file'],
    ['web-search', 'web-search'],
    ['file:write', 'file_write'],
    ['mcp:git.hub:search', 'mcp_git_hub_search'],
    ['7zip', '_7zip'],
  ])('%s becomes %s', (name, wire) => {
    expect(wireName(name, free)).toBe(wire);
  });

  it('keeps 64 characters and cuts the rest behind a hash of the whole name', () => {
    const long = 'a'.repeat(64);
    expect(wireName(long, free)).toBe(long);
    const [one, two] = [wireName(`${long}b`, free), wireName(`${long}c`, free)];
    expect(one).toHaveLength(64);
    expect(one).not.toBe(two);
    expect(wireName(`${long}b`, free)).toBe(one);
  });

  it('gives two names that look alike to models different wire names', () => {
    const taken = new Set([wireName('a.b', free)]);
    const second = wireName('a:b', (wire) => taken.has(wire));
    expect(second).toMatch(/^a_b_[0-9a-f]{8}$/);
  });

  it('finds another one when even the hashed one is taken', () => {
    const taken = new Set(['a_b', wireName('a:b', (wire) => wire === 'a_b')]);
    const third = wireName('a:b', (wire) => taken.has(wire));
    expect(taken.has(third)).toBe(false);
    expect(isWireName(third)).toBe(true);
  });

  it('is valid and unique for arbitrary names', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,90}$/);
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 40 }), (names) => {
        const taken = new Set<string>();
        for (const one of names) {
          const wire = wireName(one, (candidate) => taken.has(candidate));
          expect(wire).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
          taken.add(wire);
        }
        expect(taken.size).toBe(names.length);
      }),
    );
  });
});

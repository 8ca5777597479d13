/** Threat "Formats": regexes that backtrack run in linear time here, or are refused. */
import { describe, expect, it } from 'vitest';
import { compileLinear } from './linear-pattern.ts';

describe('compileLinear', () => {
  it('finds, tests and replaces', async () => {
    const pattern = await compileLinear('b+(?<tail>c)');
    expect(pattern.test('abbc')).toBe(true);
    expect(pattern.find('abbc')).toEqual({ start: 1, end: 4 });
    expect(pattern.find('abb')).toBeUndefined();
    expect(pattern.replaceAll('abbc bc', '[$1$<tail>]')).toEqual({ text: 'a[cc] [cc]', count: 2 });
  });

  it('gives positions in UTF-16 units', async () => {
    expect((await compileLinear('b')).find('𝒳éb')).toEqual({ start: 3, end: 4 });
  });

  it('ignores case and matches at lines with the options for them', async () => {
    expect((await compileLinear('É', { ignoreCase: true })).test('é')).toBe(true);
    expect((await compileLinear('^b$')).test('a\nb')).toBe(false);
    expect((await compileLinear('^b$', { multiline: true })).test('a\nb')).toBe(true);
  });

  it.each(['(a+)+$', '^(a|a)*$', '(a|aa)+$', '(.*a){20}$'])(
    'runs %s on hostile text in no time',
    { timeout: 5000 },
    async (source) => {
      const pattern = await compileLinear(source);
      expect(pattern.find(`${'a'.repeat(50_000)}!`)).toBeUndefined();
    },
  );

  it.each(['(', '(a)\\1', 'a(?=b)', '(?<!a)b', 'a{5000}', '[z-a]', 'x'.repeat(10_001)])(
    'refuses %s without repeating it',
    async (source) => {
      await expect(compileLinear(source)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        message: expect.not.stringContaining(`${source}:`),
      });
    },
  );
});

import { describe, expect, it } from 'vitest';
import { parseConfigText } from './parse-config-text.ts';

/** The problems as `line:column path: message`. */
const faults = async (text: string) =>
  (await parseConfigText(text)).problems.map(
    ({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`,
  );

describe('parseConfigText', () => {
  it('gives data and the position of every key and value', async () => {
    const parsed = await parseConfigText('# hi\na:\n  b: [1, x]\n  "c d": &n true\n  e: *n\n');
    expect(parsed.problems).toEqual([]);
    expect(parsed.value).toEqual({ a: { b: [1, 'x'], 'c d': true, e: true } });
    expect(parsed.position(['a'], 'key')).toEqual({ line: 2, column: 1 });
    expect(parsed.position(['a', 'b'], 'value')).toEqual({ line: 3, column: 6 });
    expect(parsed.position(['a', 'b', 1], 'value')).toEqual({ line: 3, column: 10 });
    expect(parsed.position(['a', 'e'], 'value')).toEqual({ line: 5, column: 6 });
    expect(parsed.position(['z'], 'key')).toBeUndefined();
  });

  it.each(['', '\n\n', '# only a comment\n', '---\n', '{}'])(
    'reads %j as an empty mapping',
    async (text) => {
      expect(await parseConfigText(text)).toMatchObject({ value: {}, problems: [] });
    },
  );

  it('keeps keys as they are written', async () => {
    const { value } = await parseConfigText('007: 1\ntrue: 2\n1e3: 3\n');
    expect(Object.keys(value).toSorted()).toEqual(['007', '1e3', 'true']);
  });

  it('reads yes as text, not as true as in YAML 1.1', async () => {
    const { value } = await parseConfigText('%YAML 1.1\n---\na: yes\nb: 010\n');
    expect(value).toEqual({ a: 'yes', b: 10 });
  });

  it.each([
    ['just text', '1:1 : expected a mapping of sections, e.g. "tools:"'],
    ['- a\n- b', '1:1 : expected a mapping of sections, e.g. "tools:"'],
    ['a: 1\nb: 2\na: 3', '3:1 a: a is set twice; keep one'],
    [
      'a: b: c',
      '1:4 : nested mappings are not allowed in compact mappings; put a text that holds ": " in quotes, or check the indentation',
    ],
    ['[1, 2', '1:6 : flow sequence must end with a ]'],
    ['a: 1\n---\nb: 2', '2:1 : a file holds one document; keep one'],
    ['? [a, b]\n: 1', '1:3 : a key must be plain text'],
    ['a: *nobody', '1:4 a: there is no anchor of this name'],
    ['\ta: 1', '1:1 : tabs are not allowed as indentation; use spaces'],
  ])('refuses %j and says where', async (text, expected) => {
    expect(await faults(text)).toEqual([expected]);
  });

  it('quotes nothing of the text in its messages', async () => {
    for (const text of [
      '}hunter2: 1',
      'a: @hunter2',
      'a: "hunter2',
      'a: {hunter2: 1',
      'a: `hunter2',
    ]) {
      const found = await faults(text);
      expect(found.length).toBeGreaterThan(0);
      expect(found.join()).not.toContain('hunter2');
    }
  });
});

describe('hostile YAML', () => {
  it.each([
    '!!js/function "() => 1"',
    '!!js/regexp /a/',
    '!env SECRET',
    '!!binary aGk=',
    '!!python/object:x {}',
  ])('refuses the tag %s', async (value) => {
    const found = await faults(`a:\n  b: ${value}\n`);
    expect(found).toEqual(['2:6 : tags are not allowed']);
  });

  it('accepts the standard tags of YAML', async () => {
    expect((await parseConfigText('a: !!str 12\nb: !!int "3"\n')).value).toEqual({ a: '12', b: 3 });
  });

  it.each(['__proto__', 'constructor', 'prototype'])('refuses the key %s', async (key) => {
    expect(await faults(`tools:\n  ${key}:\n    enabled: false\n`)).toEqual([
      `2:3 tools: the key ${key} is not allowed`,
    ]);
    expect(await faults(`tools: {x: [{"${key}": {polluted: 1}}]}`)).toHaveLength(1);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('refuses the billion laughs in bounded time', async () => {
    const levels = Array.from({ length: 9 }, (_, index) => {
      const item = index === 0 ? 'lol' : `*l${index - 1}`;
      return `l${index}: &l${index} [${Array(9).fill(item).join(', ')}]`;
    });
    const before = performance.now();
    const found = await faults(levels.join('\n'));
    expect(performance.now() - before).toBeLessThan(10_000);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/holds more than 50000 values once its aliases are followed$/);
  });

  it('refuses a circular anchor', async () => {
    const found = await faults('a: &a [*a]\n');
    expect(found).toEqual([expect.stringMatching(/nested deeper than 32 levels$/)]);
    expect((await faults('a: &a {b: *a, c: *a}\n')).length).toBeLessThanOrEqual(20);
  });

  it.each([
    ['brackets', `a: ${'['.repeat(100_000)}`],
    ['braces', `a: ${'{a: '.repeat(30_000)}`],
    ['dashes', `${'- '.repeat(60_000)}a`],
    ['question marks', `${'? '.repeat(60_000)}a`],
    ['indentation', Array.from({ length: 400 }, (_, n) => `${' '.repeat(n)}a:`).join('\n')],
  ])('refuses nesting by %s, which would take the process down', async (_, text) => {
    expect(await faults(text)).toEqual([expect.stringMatching(/nested deeper than 32 levels$/)]);
  });

  it('reports a flood of mistakes as a few, in bounded time', async () => {
    const before = performance.now();
    expect(await faults('a: 1\n'.repeat(20_000))).toHaveLength(20);
    expect((await faults('&a '.repeat(20_000))).length).toBeLessThanOrEqual(20);
    expect(await faults(`a: [${'x,'.repeat(60_000)}]`)).toEqual([
      expect.stringMatching(/holds more than 50000 values$/),
    ]);
    expect(performance.now() - before).toBeLessThan(10_000);
  });
});

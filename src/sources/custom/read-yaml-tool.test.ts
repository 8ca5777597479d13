/** Definitions in YAML: what is refused, and where it is said to be. */
import { describe, expect, it } from 'vitest';
import type { BadToolFile } from './file-problem.ts';
import { readStrictYaml } from './read-yaml-tool.ts';

const problems = (text: string) =>
  readStrictYaml('x.yml', text).then(
    () => [],
    (error: BadToolFile) => error.problems,
  );

describe('threat: YAML that is not what it seems', () => {
  it.each([
    ['an alias', 'a: &x 1\nb: *x', 'anchors are not allowed', 1, 7],
    ['an alias bomb', 'a: &a [1]\nb: &b [*a, *a]\nc: [*b, *b]', 'anchors', 1, 7],
    ['a tag', 'a: !!js/function "x"', 'tag', 1, 4],
    ['a known tag', 'a: 1\nb: !!str 2', 'tag', 2, 10],
    ['a key twice', 'a: 1\nb: 2\na: 3', 'a is set twice', 3, 1],
    ['a key twice, spelled differently', 'a: 1\n"a": 2', 'set twice', 2, 1],
    ['a key twice, deep inside', 'x:\n  - k: 1\n    k: 2', 'set twice', 3, 5],
    ['a merge', 'a: 1\n<<: {b: 2}', 'merge keys', 2, 1],
    ['__proto__', '__proto__: {x: 1}', '__proto__ is not allowed', 1, 1],
    ['constructor', 'a:\n  constructor: 1', 'constructor is not allowed', 2, 3],
    ['a key that is a map', '? {a: 1}\n: 2', 'plain text', 1, 3],
    ['two documents', 'a: 1\n---\nb: 2', 'one document', 2, 1],
    ['broken text', 'a: [1, 2\nb: 3', '', 2, 1],
  ])('%s', async (_, text, message, line, column) => {
    const [first] = await problems(text);
    expect(first).toMatchObject({ file: 'x.yml', line, column });
    expect(first?.message).toContain(message);
  });

  it('nesting that would take the process down', async () => {
    const [first] = await problems(`a: ${'['.repeat(20_000)}`);
    expect(first?.message).toMatch(/nested deeper/);
  });

  it('more values than a definition can need', async () => {
    const [first] = await problems(`a: [${'1,'.repeat(60_000)}1]`);
    expect(first?.message).toMatch(/holds more than/);
  });

  it('never quotes the faulty text', async () => {
    for (const text of ['a: "sk-secret', 'a: %sk-secret', 'a: @sk-secret', '- a\nsk-secret: b']) {
      const found = await problems(text);
      expect(found.length).toBeGreaterThan(0);
      expect(JSON.stringify(found)).not.toContain('sk-secret');
    }
  });
});

describe('plain YAML', () => {
  it('gives data and the position of every value', async () => {
    const { value, positionOf, scalar } = await readStrictYaml('x.yml', 'a: 1\nb:\n  - c: "x"\n');
    expect(value).toEqual({ a: 1, b: [{ c: 'x' }] });
    expect(positionOf(['b', 0, 'c'])).toEqual({ line: 3, column: 8 });
    expect(positionOf(['b', 0, 'missing'])).toEqual({ line: 3, column: 5 });
    expect(positionOf([])).toEqual({ line: 1, column: 1 });
    expect(scalar(['b', 0, 'c'])?.value).toBe('x');
    expect(scalar(['b'])).toBeUndefined();
  });

  it('an empty file gives no value', async () => {
    expect((await readStrictYaml('x.yml', '')).value).toBeNull();
  });
});

/** validate_yaml: syntax, streams, schemas, and hostile documents. */
import { describe, expect, it } from 'vitest';
import { runExample, runTool, titlesOf } from '../../../test/fixtures/run-tool.ts';
import { fakeContext } from '../../../test/fixtures/tool-context.ts';
import { validateYaml } from './validate-yaml.ts';

const validate = (data: string, schema?: unknown) =>
  runTool(validateYaml, schema === undefined ? { data } : { data, schema }, fakeContext());

describe('validate_yaml example', () => {
  it.each(titlesOf(validateYaml))('%s', async (title) => {
    await runExample(validateYaml, title, fakeContext());
  });
});

describe('validate_yaml', () => {
  it.each([
    '',
    '# only a comment\n',
    'a: 1\n',
    '- 1\n- {b: [c]}\n',
    'text',
    'a: &x 1\nb: *x\n',
    '"ü"',
  ])('accepts %j', async (data) => {
    expect(await validate(data)).toEqual({ valid: true, errors: [], warnings: [] });
  });

  it.each([
    ['a: [1, 2\n', 2],
    ['a: 1\n b: 2\n', 1],
    ['a:\n\t- 1\n', 2],
    ['a: "open\n', 2],
    ['a: *missing\n', 1],
  ])('refuses %j and tells the line', async (data, line) => {
    const { valid, errors } = await validate(data);
    expect(valid).toBe(false);
    expect(errors[0]).toMatchObject({ line, column: expect.any(Number) });
    expect(errors[0]?.message).not.toBe('');
  });

  it('refuses keys that occur twice, at any depth', async () => {
    const data = 'list:\n  - name: x\n    "name": y\n  - {a: 1, b: {c: 1, c: 2}}\n';
    expect(await validate(data)).toEqual({
      valid: false,
      errors: [
        { path: '/list/0/name', message: 'The key occurs twice', line: 3, column: 5 },
        { path: '/list/1/b/c', message: 'The key occurs twice', line: 4, column: 22 },
      ],
      warnings: [],
    });
    expect((await validate('1: a\n"1": b\n')).valid).toBe(true);
  });

  it('flags tags that nothing resolves', async () => {
    const { valid, warnings } = await validate('a: !!js/function "x"\nb: !Ref y\nc: !!str 1\n');
    expect(valid).toBe(true);
    expect(warnings.map(({ line }) => line)).toEqual([1, 2]);
    expect(warnings[1]?.message).toContain('!Ref');
  });
});

describe('validate_yaml with streams and schemas', () => {
  const schema = { type: 'object', required: ['kind'], properties: { n: { type: 'integer' } } };

  it('checks each document and says which', async () => {
    expect(await validate('kind: a\n---\nn: x\n---\nkind: c\n', schema)).toEqual({
      valid: false,
      errors: [
        {
          path: '',
          message: "must have required property 'kind'",
          line: 3,
          column: 1,
          document: 2,
        },
        { path: '/n', message: 'must be integer', line: 3, column: 4, document: 2 },
      ],
      warnings: [],
    });
  });

  it('points into sequences, and checks what aliases stand for', async () => {
    const list = { items: { type: 'object', properties: { v: { type: 'string' } } } };
    expect(await validate('- v: ok\n- v:\n    1\n', list)).toMatchObject({
      errors: [{ path: '/1/v', line: 3, column: 5 }],
    });
    expect(await validate('- &a {v: 1}\n- *a\n', list)).toMatchObject({
      errors: [{ path: '/0/v' }, { path: '/1/v' }],
    });
  });

  it('reads an empty text as one empty document', async () => {
    expect((await validate('', schema)).valid).toBe(false);
    expect((await validate('', { type: 'null' })).valid).toBe(true);
  });

  it('refuses a schema that is wrong itself', async () => {
    await expect(validate('a: 1', { type: 'strnig' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });
});

describe('threat: hostile documents of validate_yaml', () => {
  it('refuses an alias bomb', { timeout: 15_000 }, async () => {
    const levels = Array.from({ length: 12 }, (_, n) =>
      n === 0 ? 'a0: &a0 [x, x]' : `a${n}: &a${n} [${`*a${n - 1},`.repeat(9)} *a${n - 1}]`,
    );
    await expect(validate(levels.join('\n'))).rejects.toMatchObject({ code: 'SECURITY_VIOLATION' });
  });

  it('lets an honest number of aliases pass', async () => {
    const uses = Array.from({ length: 500 }, (_, n) => `k${n}: *base\n`).join('');
    expect((await validate(`base: &base {a: 1}\n${uses}`)).valid).toBe(true);
  });

  it.each(['['.repeat(200_000), '- '.repeat(200_000), '{a: '.repeat(100_000), '? '.repeat(9_000)])(
    'refuses an endless nesting at once',
    { timeout: 15_000 },
    async (data) => {
      expect(await validate(data)).toMatchObject({
        valid: false,
        errors: [{ message: 'Nested deeper than 500 levels', line: 1 }],
      });
    },
  );

  it('counts nesting by indentation like that by brackets', { timeout: 20_000 }, async () => {
    const nested = (levels: number) =>
      Array.from({ length: levels }, (_, n) => `${' '.repeat(n)}k:\n`).join('');
    expect(await validate(nested(400))).toMatchObject({ valid: true });
    expect(await validate(nested(1800))).toMatchObject({
      valid: false,
      errors: [{ message: 'Nested deeper than 500 levels', line: 501 }],
    });
  });

  it('does not take brackets in text for nesting', async () => {
    const data = `a: "${'['.repeat(2000)}"\nb: x${'['.repeat(2000)}\nc: ${'a-b '.repeat(900)}\n`;
    expect((await validate(data)).valid).toBe(true);
    const list = `[${Array.from({ length: 2000 }, () => '{a: 1}').join(', ')}]`;
    expect((await validate(list)).valid).toBe(true);
  });

  it('reads a large map in bounded time', { timeout: 20_000 }, async () => {
    const data = Array.from({ length: 20_000 }, (_, n) => `k${n}: ${n}\n`).join('');
    expect((await validate(data)).valid).toBe(true);
  });

  it('pollutes no prototype', async () => {
    await validate(
      '__proto__: {polluted: true}\nconstructor: {prototype: {polluted: true}}\n',
      true,
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

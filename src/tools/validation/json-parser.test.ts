import fc from 'fast-check';
import { jsonrepair } from 'jsonrepair';
import { describe, expect, it } from 'vitest';
import { fakeContext } from '../../../test/fixtures/tool-context.ts';
import type { ModelRequest } from '../../contract/model.ts';
import { findJson } from './find-json.ts';
import { jsonParser } from './json-parser.ts';
import { readJson } from './read-json.ts';

const run = (text: string, schema?: Record<string, unknown>, context = fakeContext()) =>
  jsonParser.run({ text, ...(schema && { schema }) }, context) as Promise<Record<string, unknown>>;

const modelSaying = (object: unknown) => {
  const asked: ModelRequest[] = [];
  const charged: unknown[] = [];
  const context = fakeContext({
    model: {
      configured: true,
      generate: async (request) => {
        asked.push(request);
        return { text: '', object, model: 'm', inputTokens: 5, outputTokens: 7, costUsd: 0.001 };
      },
    },
    charge: (usage) => charged.push(usage),
  });
  return { asked, charged, context };
};

describe('json_parser', () => {
  it.each(jsonParser.examples ?? [])('example: $title', async ({ input, output }) => {
    const { text, schema } = input as { text: string; schema?: Record<string, unknown> };
    expect(await run(text, schema)).toMatchObject(output as object);
  });

  it.each([
    ['{"a": 1, "b": [1, 2', { a: 1, b: [1, 2] }],
    ['{"a": {"b": 1}, "c": {"d": 2}', { a: { b: 1 }, c: { d: 2 } }],
    ['Here:\n[{"id": 1}, {"id": 2}, {"id"', [{ id: 1 }, { id: 2 }, { id: null }]],
    ['{"a": "cut in a wor', { a: 'cut in a wor' }],
  ])('warns that %s was cut off, and gives all that is there', (text, data) => {
    const found = readJson(text, jsonrepair);
    expect(found).toMatchObject({ data, method: 'repaired' });
    expect(found?.warnings[0]).toContain('ends before its JSON does');
  });

  it.each([
    ["{name: 'Ada', born: 1815,}", 'repaired'],
    ['Use [brackets and {"a": 1} then', 'extracted'],
    ['Log [12:30 {"a": 1}', 'extracted'],
    ['{"a": 1}', 'direct_parse'],
  ])('benign: %s was not cut off', (text, method) => {
    expect(readJson(text, jsonrepair)).toMatchObject({ method, warnings: [] });
  });

  it.each([
    ['[1, 2]', [1, 2], 'direct_parse'],
    ['"just text"', 'just text', 'direct_parse'],
    [' \ufeff{"a": 1}\n', { a: 1 }, 'direct_parse'],
    ['first {"a":1} then {"b":{"c":[2]}} end', { b: { c: [2] } }, 'extracted'],
    ['a [note] and {"a": "}]{["} done', { a: '}]{[' }, 'extracted'],
    ['unclosed [ here\n{"a": 1}', { a: 1 }, 'extracted'],
    ['he said "hi {"a": 1}', { a: 1 }, 'extracted'],
    ['it is [1, "unterminated\n{"ok": true}', { ok: true }, 'extracted'],
    ['{"a": 1, "b": [1, 2', { a: 1, b: [1, 2] }, 'repaired'],
    ['// note\n{a: 1, /* x */ b: True}', { a: 1, b: true }, 'repaired'],
  ])('reads %j by the named method', async (text, data, method) => {
    expect(await run(text)).toMatchObject({ data, method });
  });

  it('warns of keys given twice and of numbers that lose digits', async () => {
    const { warnings } = await run('{"a": 1, "a": 2, "n": 12345678901234567890}');
    expect(warnings).toHaveLength(2);
  });

  it.each([
    '{"__proto__": {"x": 1}}',
    '{"\\u005f_proto__": {}}',
    'so: {"a": [1e999]}',
    'x {"a": {"constructor": 1}} y',
    "{__proto__: 1, 'a': 2}",
  ])('refuses prototype keys, escaped or not, and endless numbers: %s', async (text) => {
    await expect(run(text)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('says what to do when the text holds no JSON', async () => {
    await expect(run('just words')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(run('Ada is 36', { type: 'object' })).rejects.toMatchObject({
      code: 'MODEL_NOT_CONFIGURED',
    });
  });

  it('asks the model with a schema: for prose, and for data that does not fit', async () => {
    const schema = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] };
    for (const text of ['Ada is 36', '{"age": "thirty-six"}']) {
      const { asked, charged, context } = modelSaying({ age: 36 });
      expect(await run(text, schema, context)).toMatchObject({
        data: { age: 36 },
        method: 'model_extraction',
        valid: true,
      });
      expect([asked[0]?.schema, charged]).toEqual([schema, [{ tokens: 12, cost: 0.001 }]]);
    }
    const { asked, context } = modelSaying({ age: 1 });
    expect(await run('{"age": 36}', schema, context)).toMatchObject({ method: 'direct_parse' });
    expect(asked).toEqual([]);
  });

  it.each(['[', '{', '[{', '"', '{"a":', '}]', '[]', '\\', '[[]]'])(
    'hostile: %s a hundred thousand times ends with an answer or a code',
    async (piece) => {
      const text = `x${piece.repeat(100_000)}`;
      try {
        expect(await run(text)).toHaveProperty('data');
      } catch (error) {
        expect(error).toHaveProperty('code');
      }
    },
    20_000,
  );

  it('gets every JSON container back out of prose around it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue(), { minLength: 1 }), async (value) => {
        const text = JSON.stringify(value);
        if (/"(?:__proto__|constructor|prototype)":/.test(text)) return;
        const { data } = await run(`Here it is: ${text}. Bye!`);
        expect(JSON.stringify(data)).toBe(text);
      }),
      { numRuns: 100 },
    );
  });
});

describe('findJson', () => {
  it('finds the outermost pieces, longest first', () => {
    const text = 'a {"b": [1]} c [2, 3] d';
    expect(findJson(text).spans.map(({ start, end }) => text.slice(start, end))).toEqual([
      '{"b": [1]}',
      '[2, 3]',
    ]);
  });
});

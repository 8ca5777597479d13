import { describe, expect, it } from 'vitest';
import { oneOperation, openapiTools } from '../../../../test/fixtures/openapi-source.ts';
import { addressFrom, resolveAddress } from './document-address.ts';
import { DocumentPool } from './document-pool.ts';

describe('reading OpenAPI documents', () => {
  it.each([
    ['{}', 'no "openapi"'],
    ['{"openapi":"4.0.0"}', 'version is 4.0.0'],
    ['[1]', 'no "openapi"'],
    ['just text', 'no object'],
    ['a: [', 'line 1'],
    ['{"openapi":"3.0.0","paths":{}}', 'no operations'],
  ])('%s is refused', async (text, reason) => {
    await expect(openapiTools({ 'a.json': text })).rejects.toThrow(reason);
  });

  it('a file that is missing is named', async () => {
    await expect(openapiTools({}, { document: 'specs/none.yaml' })).rejects.toThrow(
      'specs/none.yaml is missing',
    );
  });

  it('YAML with aliases, numbers as keys and a byte order mark is read', async () => {
    const yaml = `\uFEFFopenapi: 3.0.0
x-id: &id { name: id, in: query, schema: { type: integer } }
paths:
  /a: { get: { operationId: a, parameters: [*id], responses: { 200: { description: ok } } } }`;
    const { tools } = await openapiTools({ 'a.yaml': yaml });
    expect(tools.map(({ name }) => name)).toEqual(['a']);
  });

  it('the text of a document can stand in the place of its address', async () => {
    const document = oneOperation({
      parameters: [{ $ref: 'parts/limit.json' }, { $ref: '#/x-id' }],
      'x-id': 1,
    });
    const parts = {
      'unused.json': {},
      'parts/limit.json': { name: 'limit', in: 'query', schema: { type: 'integer' } },
    };
    const yaml = 'openapi: 3.0.0\npaths: { /a: { get: { operationId: call } } }\n';
    const asked: string[][] = [];
    for (const text of [JSON.stringify(document), yaml]) {
      const { tools, asked: files } = await openapiTools(parts, { document: text });
      expect(tools.map(({ name }) => name)).toEqual(['call']);
      asked.push([...files]);
    }
    expect(asked).toEqual([['parts/limit.json'], []]);
  });

  it('threat: the text of a document reads no file above the project', async () => {
    const document = JSON.stringify(oneOperation({ parameters: [{ $ref: '../secret.json' }] }));
    expect((await openapiTools({}, { document })).asked).toEqual([]);
  });

  it('a reference that leads nowhere costs no more than its schema', async () => {
    const parameters = [{ $ref: 'none.json#/x' }, { name: 'a', in: 'query', schema: {} }];
    const { tools } = await openapiTools({ 'a.json': oneOperation({ parameters }) });
    expect(tools.length).toBe(1);
  });

  it.each([
    ['b.json#/x', 'https://x.com/d/a.json', 'https://x.com/d/b.json'],
    ['../b.json', 'https://x.com/d/a.json?k=1', 'https://x.com/b.json'],
    ['#/x', 'd/a.json', 'd/a.json'],
    ['./c/b.json', 'd/a.json', 'd/c/b.json'],
    ['my%20file.json', 'd/a.json', 'd/my file.json'],
    ['https://x.com/b.json', 'd/a.json', 'https://x.com/b.json'],
    ['/b.json', 'd/a.json', undefined],
    ['file:b.json', 'https://x.com/a.json', undefined],
  ])('%s in %s is %s', (reference, base, expected) => {
    expect(resolveAddress(reference, base)).toBe(expected);
  });

  it.each([
    ['d/a.json', 'd/a.json', ''],
    ['d/a.json', 'd/c/b.json', 'c/b.json'],
    ['a.json', 'c/b.json', 'c/b.json'],
    ['d/a.json', 'https://x.com/b.json', 'https://x.com/b.json'],
    ['https://x.com/d/a.json?k=1', 'https://x.com/d/b.json?v=2', 'b.json?v=2'],
    ['https://x.com/d/a.json', 'https://y.com/d/b.json', 'https://y.com/d/b.json'],
  ])('from %s, %s is %s', (root, address, expected) => {
    expect(addressFrom(root, address)).toBe(expected);
  });

  it('two sources of one document share it in memory', async () => {
    const pool = new DocumentPool();
    const { signal } = new AbortController();
    const parse = (text: string): Promise<object> => pool.parse(Buffer.from(text), signal);
    expect(await parse('{"a":1}')).toBe(await parse('{"a":1}'));
    expect(await parse('{"a":2}')).toEqual({ a: 2 });
  });
});

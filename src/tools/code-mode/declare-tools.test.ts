import { describe, expect, it } from 'vitest';
import { SCHEMA_CASES } from '../../../test/fixtures/schema-cases.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import type { CatalogEntry } from '../../contract/catalog.ts';
import type { JsonSchema } from '../../contract/schema.ts';
import { apiTools } from './api-tools.ts';
import { COMMON_DECLARATIONS, createDeclareTools } from './declare-tools.ts';
import { SchemaTypes } from './schema-type.ts';
import { TypeChecker } from './type-checker.ts';

const entry = (name: string, more: Partial<CatalogEntry> = {}): CatalogEntry => ({
  tool: aTool({ name }),
  wireName: name.replaceAll(/[^\w-]/g, '_'),
  enabled: true,
  deprecated: false,
  ...more,
});

const catalogOf = (entries: readonly CatalogEntry[], schema: JsonSchema = { type: 'object' }) => ({
  list: () => entries,
  search: () => [],
  inputSchema: () => schema,
  outputSchema: () => undefined,
});

const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');

describe('schemas as types', () => {
  it.each(SCHEMA_CASES)('$name', ({ schema, type, named = [] }) => {
    const types = new SchemaTypes(schema as JsonSchema, 'T');
    expect(flat(types.typeOf(schema))).toBe(type);
    expect([...types.named.values()].map(flat)).toEqual(named);
  });

  it('formats: a schema of endless nesting or width ends', () => {
    let deep: unknown = { type: 'string' };
    for (let n = 0; n < 5_000; n += 1) deep = { type: 'array', items: deep };
    expect(new SchemaTypes({}, 'T').typeOf(deep)).toContain('Array<unknown>');
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`p${n}`, {}]));
    const type = new SchemaTypes({}, 'T').typeOf({ type: 'object', properties: wide });
    expect(type).toContain('p19999?: unknown');
  });
});

describe('the names of the API', () => {
  it('are identifiers, and no two are the same', () => {
    const names = ['a-b', 'a.b', 'a_b', 'delete', 'a:b'];
    const entries = names.map((name, at) =>
      entry(name, { wireName: ['a-b', 'a_b_x1', 'a_b', 'delete', 'a-b_'][at] ?? '' }),
    );
    const named = apiTools(catalogOf(entries)).map(({ identifier, tool }) => [
      identifier,
      tool.name,
    ]);
    expect(named).toEqual([
      ['a_b', 'a_b'],
      ['a_b_', 'a:b'],
      ['a_b_2', 'a-b'],
      ['a_b_x1', 'a.b'],
      ['delete', 'delete'],
    ]);
  });

  it('leave out what is off, in quarantine, or runs code itself', () => {
    const quarantine = { reason: 'new', findings: [] } as const;
    const entries = [
      entry('off', { enabled: false }),
      entry('new', { quarantine }),
      entry('run_code'),
      entry('search_api'),
      entry('fine'),
    ];
    expect(apiTools(catalogOf(entries)).map(({ identifier }) => identifier)).toEqual(['fine']);
  });
});

describe('declarations', () => {
  it('are the same text each time, and cannot be broken out of', () => {
    const description = 'Ends */ here‮ and\nthere';
    const tools = apiTools(catalogOf([{ ...entry('a'), tool: aTool({ name: 'a', description }) }]));
    const declareTools = createDeclareTools();
    const text = declareTools(tools);
    expect(text).toBe(createDeclareTools()(tools));
    expect(text).toContain('/** Ends * / here and there */');
    expect(declareTools(tools)).toBe(text);
  });

  it('compile as TypeScript for every schema', async () => {
    const checker = new TypeChecker({ maxMs: 60_000 });
    const declareTools = createDeclareTools();
    const tools = SCHEMA_CASES.map(({ schema }, at) => ({
      identifier: `tool_${at}`,
      tool: aTool({ name: `tool_${at}` }),
      input: schema as JsonSchema,
      output: schema as JsonSchema,
    }));
    const declarations = `${declareTools(tools)}\n${COMMON_DECLARATIONS}`;
    // As code, because only what is wrong with the code is told.
    const asCode = `export default 1;\n${declarations.replaceAll('declare const', 'declare let')}`;
    expect(await checker.check(asCode, '')).toEqual({ checked: true, issues: [] });
    const wrong = await checker.check('return tools.tool_0({ nope: 1 });', declarations);
    expect(wrong).toMatchObject({
      checked: true,
      issues: [{ path: ['code', 1, expect.any(Number)] }],
    });
    await checker.close();
  }, 90_000);

  it('are not type-checked without a compiler, and the result says so', async () => {
    const checker = new TypeChecker({ compilerFiles: () => [] });
    const verdict = await checker.check('return 1;', '');
    const unchecked = { checked: false, reason: expect.stringContaining('npm install') };
    expect(verdict).toEqual(unchecked);
    const another = new TypeChecker({ compilerFiles: () => ['node:path'] });
    expect(await another.check('return 1;', '')).toEqual(unchecked);
    await another.close();
  });

  it('types that take for ever to check end the check, not the process', async () => {
    const checker = new TypeChecker({ maxMs: 1 });
    expect((await checker.check('return 1;', '')).checked).toBe(false);
    await checker.close();
  }, 30_000);
});

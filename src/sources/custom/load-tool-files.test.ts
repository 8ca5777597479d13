/** Odd files, what a definition may say besides, and a cache that does not grow for ever. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCompileCache } from './compile-cache.ts';
import { formatFileProblem } from './file-problem.ts';
import { isToolFile, loadToolFiles } from './load-tool-files.ts';

const load = async (files: Readonly<Record<string, string | Uint8Array>>, told?: unknown) => {
  const entries = Object.entries(files).map(([file, data]) => [file, Buffer.from(data)] as const);
  const loaded = await loadToolFiles({
    files: new Map(entries),
    cache: createCompileCache(undefined),
    runCode: async () => told,
    defaultSandbox: 'container',
  });
  return { tools: loaded.tools, problems: loaded.problems.map(formatFileProblem) };
};

const MODULE = 'export default {};';

describe('tool files', () => {
  it.each([
    ['a.yml', true],
    ['a.YAML', true],
    ['a.ts', true],
    ['a.mts', true],
    ['a.d.ts', false],
    ['a.test.ts', false],
    ['a.spec.mts', false],
    ['a.js', false],
    ['lib/a.yml', false],
  ])('%s: %s', (file, expected) => {
    expect(isToolFile(file)).toBe(expected);
  });

  it('refuses bytes that are no text', async () => {
    const { problems } = await load({ 'a.yml': new Uint8Array([0x6e, 0xff, 0xfe]) });
    expect(problems).toEqual(['a.yml:1:1: is not UTF-8 text']);
  });

  it('keeps the optional fields of a definition', async () => {
    const text = [
      ...['name: x', 'description: d', 'schema: {type: object}', 'version: 2.1.0', 'author: Ada'],
      ...['license: MIT', 'documentation: long', 'output: {type: string}', 'tags: [a]'],
      ...['timeoutMs: 900', 'sandbox: process', 'runtime: node'],
      "code: 'export const run = () => 1;'",
    ].join('\n');
    expect((await load({ 'x.yml': text })).tools[0]).toMatchObject({
      version: '2.1.0',
      author: 'Ada',
      license: 'MIT',
      documentation: 'long',
      output: { type: 'string' },
      tags: ['a', 'file:x.yml'],
      timeoutMs: 900,
      sandbox: { type: 'process', timeLimit: 900 },
      sandboxed: true,
    });
  });

  it('uses the configured sandbox for a tool that names none', async () => {
    const yaml = 'name: x\ndescription: d\nschema: {type: object}\ncode: export const run = 1';
    const fields = { name: 'y', description: 'd', tier: 'read_only', input: { type: 'object' } };
    const files = { 'x.yml': yaml, 'y.ts': MODULE };
    const { tools, problems } = await load(files, [{ fields, functions: ['run'] }]);
    expect(problems).toEqual([]);
    expect(tools.map(({ sandbox }) => sandbox?.type)).toEqual(['container', 'container']);
  });

  it('errors in quoted code are reported at its start', async () => {
    const text = 'name: x\ndescription: d\nschema: {type: object}\ncode: "let 2b;"';
    expect((await load({ 'x.yml': text })).problems[0]).toMatch(/^x\.yml:4:7: Syntax error/);
  });

  it('plain JavaScript is not read as TypeScript', async () => {
    const text =
      'name: x\ndescription: d\nschema: {type: object}\nruntime: node\ncode: |\n  let a: number;\n';
    expect((await load({ 'x.yml': text })).problems[0]).toMatch(/^x\.yml:6:8: /);
  });

  it('imports data, and nothing it has no reader for', async () => {
    const code = (file: string) =>
      `name: x\ndescription: d\nschema: {type: object}\ncode: |\n  import a from './${file}';\n  export const run = () => a;\n`;
    const json = await load({ 'x.yml': code('a.json'), 'a.json': '{"n": 1}' });
    expect(json.problems).toEqual([]);
    const other = await load({ 'x.yml': code('a.wasm'), 'a.wasm': 'x' });
    expect(other.problems[0]).toContain('files can be imported');
  });
});

describe('threat: a module that lies about what it is', () => {
  const whole = { name: 'x', description: 'd', tier: 'read_only', input: { type: 'object' } };
  it.each([
    ['nothing', undefined],
    ['text', 'tools'],
    ['a list of text', ['tool']],
    ['too many', Array.from({ length: 101 }, () => ({ fields: whole, functions: ['run'] }))],
    ['no list of functions', [{ fields: whole, functions: 'run' }]],
    ['fields by inheritance', [{ functions: ['run'] }]],
    ['an unknown tier', [{ fields: { ...whole, tier: 'root' }, functions: ['run'] }]],
    ['a source of its own', [{ fields: { ...whole, source: 'builtin' }, functions: ['run'] }]],
    ['no sandbox', [{ fields: { ...whole, sandboxed: false }, functions: ['run'] }]],
    ['trusted code', [{ fields: { ...whole, sandbox: 'worker' }, functions: ['run'] }]],
  ])('%s', async (_, told) => {
    const { tools, problems } = await load({ 'x.ts': MODULE }, told);
    expect([tools.length, problems.length > 0]).toEqual([0, true]);
    expect(problems[0]).toMatch(/^x\.ts:1:1: /);
  });

  it('accepts a module with an honest description', async () => {
    const told = [{ fields: { ...whole, aliases: ['y'], idempotent: true }, functions: ['run'] }];
    expect((await load({ 'x.ts': MODULE }, told)).tools[0]).toMatchObject({
      source: 'custom',
      aliases: ['y'],
      idempotent: true,
    });
  });
});

describe('the compile cache', () => {
  it('removes the oldest entries once there are too many', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'toolcrib-cache-'));
    const names = Array.from({ length: 500 }, (_, n) => join(folder, `${n}.json`));
    await Promise.all(names.map((name) => writeFile(name, '{}')));
    const cache = createCompileCache(folder);
    await cache.put('new', { code: 'c', map: 'm', exports: [] });
    expect(await readdir(folder)).toHaveLength(250);
    expect(await cache.get('new')).toEqual({ code: 'c', map: 'm', exports: [] });
    await rm(folder, { recursive: true });
  });
});

/** A rule counts only if it fails on broken input: one clean and one broken fixture for each. */
import { describe, expect, it } from 'vitest';
import { checkAmbient } from './check-ambient.ts';
import { checkComments } from './check-comments.ts';
import { checkCopies } from './check-copies.ts';
import { checkCycles } from './check-cycles.ts';
import { checkDrivers } from './check-drivers.ts';
import { checkExports } from './check-exports.ts';
import { checkFragments } from './check-fragments.ts';
import { checkLayers } from './check-layers.ts';
import { checkFolders, checkLengths, longFiles } from './check-lengths.ts';
import { checkLoading } from './check-loading.ts';
import { checkMatchers } from './check-matchers.ts';
import { checkNames } from './check-names.ts';
import { checkSharedLines } from './check-shared-lines.ts';
import { checkWaits } from './check-waits.ts';
import { readLayerTable } from './layer-table.ts';
import type { SourceText } from './source-text.ts';

/** Files by path. */
const tree = (files: Record<string, string>): readonly SourceText[] =>
  Object.entries(files).map(([path, text]) => ({ path, text }));

const table = readLayerTable(
  [
    'prose before',
    '| folder | may import |',
    '|---|---|',
    '| `contract` | nothing: no library either |',
    '| `pipeline` | `contract`, `governance` |',
    '| `governance` | `contract` |',
    '| `stores`, `tools` | `contract`; no sibling driver |',
    '| `crib.ts` | `stores`, `pipeline` |',
    '',
    '| `other` | `table` |',
  ].join('\n'),
);

describe('layer table', () => {
  it('gives every folder of a row the rule of the row, and stops where the table stops', () => {
    expect([...table.keys()]).toEqual([
      'contract',
      'pipeline',
      'governance',
      'stores',
      'tools',
      'crib.ts',
    ]);
    expect(table.get('contract')).toMatchObject({ libraries: false, drawer: false });
    expect(table.get('tools')).toMatchObject({ libraries: true, drawer: true });
    expect([...(table.get('pipeline')?.mayImport ?? [])]).toEqual(['contract', 'governance']);
  });

  it('refuses a page without the table', () => {
    expect(() => readLayerTable('| a | b |\n|---|---|\n')).toThrow('No table');
  });
});

describe('layers', () => {
  const clean = {
    'src/contract/tool.ts': "import type { A } from './a.ts';",
    'src/pipeline/x.ts': "import { z } from 'zod';\nimport { b } from '../governance/b.ts';",
    'src/crib.ts': "import { s } from './stores/s.ts';\nimport('./pipeline/x.ts');",
  };
  const broken = (path: string, text: string) =>
    checkLayers(tree({ ...clean, [path]: text }), table);

  it('lets imports through that point the right way', () => {
    expect(checkLayers(tree(clean), table)).toEqual([]);
  });

  it.each([
    ['a value', "import { x } from '../pipeline/x.ts';"],
    ['a type', "import type { X } from '../pipeline/x.ts';"],
    ['a re-export', "export { x } from '../pipeline/x.ts';"],
    ['a dynamic import', "const f = () => import('../pipeline/x.ts');"],
    ['an import type', "type X = import('../pipeline/x.ts').X;"],
  ])('refuses %s that points upward', (_, text) => {
    expect(broken('src/governance/y.ts', text)).toEqual([
      'src/governance/y.ts:1 governance may not import pipeline (src/pipeline/x.ts)',
    ]);
  });

  it.each([
    ['a library', "import type { z } from 'zod';", 'src/contract/y.ts:1 contract imports zod'],
    ['a built-in', "import 'node:fs';", 'src/contract/y.ts:1 contract imports node:fs'],
  ])('keeps the contract free of %s', (_, text, problem) => {
    expect(broken('src/contract/y.ts', text)).toEqual([problem]);
  });

  it('refuses a folder that is not in the table', () => {
    expect(broken('src/extras/y.ts', '')).toEqual(['src/extras is not in the layer table']);
  });

  it('refuses names that are worked out, tests, missing endings and paths out of src', () => {
    expect(broken('src/tools/y.ts', 'const f = (n: string) => import(n);')).toHaveLength(1);
    expect(broken('src/tools/y.ts', "import { x } from './x.test.ts';")).toHaveLength(1);
    expect(broken('src/tools/y.ts', "import { x } from './x.js';")).toHaveLength(1);
    expect(broken('src/tools/y.ts', "import { x } from '../../test/x.ts';")).toHaveLength(1);
  });

  it('leaves tests and words in strings and comments alone', () => {
    const text = "import { x } from '../pipeline/x.ts';";
    expect(broken('src/governance/y.test.ts', text)).toEqual([]);
    expect(broken('src/governance/y.ts', `// ${text}\nexport const a = \`${text}\`;`)).toEqual([]);
  });
});

describe('drivers', () => {
  const clean = {
    'src/crib.ts': "import './stores/memory.ts';\nimport './stores/sqlite/open.ts';",
    'src/stores/memory.ts': "import './row.ts';",
    'src/stores/row.ts': "import './text.ts';",
    'src/stores/sqlite/open.ts': "import '../row.ts';\nimport './table.ts';",
  };

  it('lets drivers share private files of the drawer', () => {
    expect(checkDrivers(tree(clean), table)).toEqual([]);
  });

  it.each([
    ['a sibling file', 'src/stores/sqlite/open.ts', '../memory.ts'],
    ['a sibling folder', 'src/stores/memory.ts', './sqlite/table.ts'],
    ['a driver from a shared file', 'src/stores/row.ts', './sqlite/table.ts'],
  ])('refuses %s', (_, path, specifier) => {
    const problems = checkDrivers(tree({ ...clean, [path]: `import '${specifier}';` }), table);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('imports the driver stores/');
  });
});

describe('cycles', () => {
  it('finds none in a chain', () => {
    const files = {
      'src/a.ts': "import './b.ts';",
      'src/b.ts': "import './c.ts';",
      'src/c.ts': '',
    };
    expect(checkCycles(tree(files))).toEqual([]);
  });

  it('finds one that is made of types', () => {
    const files = {
      'src/a.ts': "import './b.ts';",
      'src/b.ts': "import type { C } from './c.ts';",
      'src/c.ts': "import type { B } from './b.ts';",
    };
    expect(checkCycles(tree(files))).toEqual(['src/b.ts → src/c.ts → src/b.ts']);
  });
});

describe('lengths', () => {
  const lines = (count: number) => 'x\n'.repeat(count);

  it('lets 400 lines of source and 500 of tests pass', () => {
    const files = { 'src/a.ts': lines(400), 'src/a.test.ts': lines(500), 'test/b.ts': lines(500) };
    expect(checkLengths(tree(files))).toEqual([]);
  });

  it('refuses one more', () => {
    const files = { 'src/a.ts': lines(401), 'src/a.test.ts': lines(501), 'test/b.ts': lines(501) };
    expect(checkLengths(tree(files))).toHaveLength(3);
  });

  it('refuses folders of more than 25 sources, but not for their tests', () => {
    const named = (folder: string, count: number, end: string) =>
      Array.from({ length: count }, (_, at) => [`${folder}/f${at}${end}`, '']);
    const files = [...named('src/a', 26, '.ts'), ...named('src/b', 25, '.ts')];
    const all = Object.fromEntries([...files, ...named('src/b', 9, '.test.ts')]);
    expect(checkFolders(tree(all))).toEqual(['src/a has 26 files, 25 are allowed']);
  });

  it('names sources beyond 250 lines', () => {
    expect(longFiles(tree({ 'src/a.ts': lines(250), 'src/b.ts': lines(251) }))).toEqual([
      'src/b.ts 251',
    ]);
  });
});

describe('fragments', () => {
  const lines = (count: number, text = '') => `${text}\n${'x\n'.repeat(count - 1)}`;
  const user = lines(30, "import { part } from './part.ts';");
  const clean = { 'src/a/user.ts': user, 'src/a/part.ts': lines(25) };

  it('lets a file of 25 lines stand, and a shorter one that two files use', () => {
    expect(checkFragments(tree(clean))).toEqual([]);
    const shared = { ...clean, 'src/a/part.ts': lines(24), 'src/b/c.ts': "import '../a/part.ts';" };
    expect(checkFragments(tree(shared))).toEqual([]);
  });

  it('refuses a shorter one that one file of its folder uses, also when tests use it', () => {
    const test = "import { part } from './part.ts';";
    const files = { ...clean, 'src/a/part.ts': lines(24), 'src/a/part.test.ts': test };
    expect(checkFragments(tree(files))).toEqual([
      'src/a/part.ts has 24 lines and belongs into src/a/user.ts, its only user',
    ]);
  });

  it.each([
    ['is loaded when it is needed', { 'src/a/user.ts': "const f = () => import('./part.ts');" }],
    ['has its user elsewhere', { 'src/a/user.ts': '', 'src/b/c.ts': "import '../a/part.ts';" }],
    ['would make its user too long', { 'src/a/user.ts': lines(227, "import './part.ts';") }],
  ])('lets one stand that %s', (_, more) => {
    expect(checkFragments(tree({ ...clean, 'src/a/part.ts': lines(24), ...more }))).toEqual([]);
  });

  it('lets one stand that has a reason', () => {
    const kept = new Map([['src/a/part.ts', 'a reason']]);
    expect(checkFragments(tree({ ...clean, 'src/a/part.ts': lines(24) }), kept)).toEqual([]);
  });
});

describe('comments', () => {
  it.each([
    ['a block', '/** What this file answers for. */\nexport const a = 1;'],
    ['a line', '// What this file answers for.\nexport const a = 1;'],
    ['a comment below #!', '#!/usr/bin/env node\n/** What this file answers for. */\nmain();'],
  ])('accepts %s', (_, text) => {
    expect(checkComments(tree({ 'src/a.ts': text }))).toEqual([]);
  });

  it.each([
    ['no comment', 'export const a = 1;'],
    ['a comment that comes late', 'export const a = 1;\n/** What this file answers for. */'],
    ['a comment without words', '/** ---- */\nexport const a = 1;'],
  ])('refuses %s', (_, text) => {
    expect(checkComments(tree({ 'src/a.ts': text }))).toHaveLength(1);
    expect(checkComments(tree({ 'src/a.test.ts': text }))).toEqual([]);
  });

  it.each([
    ['inside a function', 'export const f = () => {\n  // TODO later\n  return 1;\n};'],
    ['beside a statement', 'export const a = 1; // FIXME'],
    ['before a brace', 'export const f = () => {\n  g();\n  /* XXX */\n};'],
    ['at the end', 'export const a = 1;\n// FIXME'],
  ])('refuses a note about unfinished work %s', (_, text) => {
    const source = `/** What this file answers for. */\n${text}`;
    expect(checkComments(tree({ 'src/a.ts': source }))).toHaveLength(1);
  });

  it.each([
    ['a statement', '/** For b. */\n/** For a. */\nexport const a = 1;'],
    ['a member', 'interface A {\n  /** For b. */\n  /** For a. */\n  readonly a: 1;\n}'],
  ])('refuses two doc comments on %s', (_, text) => {
    const source = `/** What this file answers for. */\nimport './b.ts';\n${text}`;
    expect(checkComments(tree({ 'src/a.ts': source }))).toHaveLength(1);
  });

  it('accepts the opening of a file above the doc comment of its first statement', () => {
    const source = '/** What this file answers for. */\n/** For a. */\nexport const a = 1;';
    expect(checkComments(tree({ 'src/a.ts': source }))).toEqual([]);
  });

  it('leaves the word in a string alone', () => {
    const source = "/** What this file answers for. */\nexport const a = '// TODO';";
    expect(checkComments(tree({ 'src/a.ts': source }))).toEqual([]);
  });
});

describe('exports', () => {
  const pack = {
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' }, './x': './x.json' },
    bin: { toolcrib: 'dist/cli/main.js' },
  };
  const clean = {
    'src/index.ts': "export { a } from './a.ts';",
    'src/cli/main.ts': '',
    'src/a.ts': 'export const a = 1;',
  };
  const broken = (path: string, text: string) =>
    checkExports(tree({ ...clean, [path]: text }), pack);

  it('accepts named exports and published entries', () => {
    expect(checkExports(tree(clean), pack)).toEqual([]);
  });

  it.each([
    ['export *', "export * from './b.ts';"],
    ['export * as', "export * as b from './b.ts';"],
    ['a default value', 'const a = 1;\nexport default a;'],
    ['a default function', 'export default function f() {}'],
    ['a renamed default', 'const a = 1;\nexport { a as default };'],
  ])('refuses %s', (_, text) => {
    expect(broken('src/a.ts', text)).toHaveLength(1);
  });

  it('refuses a barrel that is no published entry', () => {
    expect(broken('src/stores/index.ts', '')).toEqual([
      'src/stores/index.ts is a barrel: only published entries may be called index.ts',
    ]);
  });

  it('refuses to import an entry from inside', () => {
    expect(broken('src/a.ts', "import { a } from './contract/index.ts';")).toEqual([
      'src/a.ts:1 imports the entry src/contract/index.ts; import the file',
    ]);
  });

  it('refuses an entry and a program that do not exist', () => {
    expect(checkExports(tree({ 'src/a.ts': '' }), pack)).toEqual([
      'published, missing: src/index.ts',
      'published, missing: src/cli/main.ts',
    ]);
  });
});

describe('loading', () => {
  it('accepts constants, filled containers and work inside functions', () => {
    const text = [
      "const NAMES = new Set(['a']);",
      'export const f = async () => { let n = 0; await g(); n += 1; const m = new Map(); return [m, n]; };',
      'export class A { readonly items = []; }',
      'export type B = string;',
      "declare module 'untyped' { export const c: number; }",
    ].join('\n');
    expect(checkLoading(tree({ 'src/a.ts': text }))).toEqual([]);
  });

  it.each([
    ['let', 'let a = 1;'],
    ['an exported var', 'export var a = 1;'],
    ['an empty map', 'const seen = new Map<string, number>();'],
    ['an empty list', 'const seen: string[] = [];'],
    ['an empty object', 'const seen = {} as Record<string, number>;'],
    ['a call', 'start();'],
    ['a namespace', 'namespace A { export const b = 1; }'],
    ['a loop', 'for (const a of [1]) a;'],
    ['an await', 'const a = await f();'],
  ])('refuses %s', (_, text) => {
    expect(checkLoading(tree({ 'src/a.ts': text }))).toHaveLength(1);
    expect(checkLoading(tree({ 'src/cli/main.ts': text }))).toEqual([]);
  });
});

describe('ambient', () => {
  it('accepts what is handed in, conversions and words in text', () => {
    const text = [
      'export const f = (runtime: Runtime, env: Env) => [runtime.now(), env.HOME, new Date(0)];',
      "export const g = 'process.env, console.log and Date.now()'; // Math.random()",
    ].join('\n');
    expect(checkAmbient(tree({ 'src/a.ts': text }))).toEqual([]);
  });

  it.each([
    ['process.env', 'src/config/read-environment.ts', 'f(process.env.HOME);'],
    ["process['env']", 'src/config/read-environment.ts', "f(process['env']);"],
    ['a destructured env', 'src/config/read-environment.ts', 'const { env: e } = process;'],
    ['an imported env', 'src/config/read-environment.ts', "import { env } from 'node:process';"],
    ['console', 'src/cli/print.ts', "console.error('a');"],
    ['Date.now', 'src/crib/create-runtime.ts', 'const f = Date.now;'],
    ['new Date()', 'src/crib/create-runtime.ts', 'f(new Date());'],
    ['Math.random', 'src/crib/create-runtime.ts', 'f(Math.random());'],
    ['performance.now', 'src/crib/create-runtime.ts', 'f(performance.now());'],
  ])('keeps %s to %s', (_, allowed, text) => {
    expect(checkAmbient(tree({ [allowed]: text }))).toEqual([]);
    expect(checkAmbient(tree({ 'src/tools/a.ts': text }))).toHaveLength(1);
  });
});

describe('matchers', () => {
  const found = (text: string) => checkMatchers(tree({ 'src/a.test.ts': text }));

  it.each([
    'expect(a).toMatchObject({ b: 1 });',
    'expect(a).toMatchObject({ b: expect.stringMatching(/c/) });',
    'expect(a).toMatchObject(refusal(/c/));',
    'expect(a).toMatch(/c/);',
  ])('may be %s', (text) => {
    expect(found(text)).toEqual([]);
  });

  it.each([
    'expect(a).toMatchObject({ b: /c/ });',
    'expect(a).toMatchObject({ b: { d: [1, /c/] } });',
    'await expect(a).rejects.toMatchObject({ message: /c/ });',
    'expect(a).toMatchObject([{ b: /c/ }]);',
  ])('may not be %s', (text) => {
    expect(found(text)).toHaveLength(1);
  });
});

describe('waits', () => {
  it('may not give up after one second', () => {
    const found = (text: string) => checkWaits(tree({ 'src/a.test.ts': text })).length;
    expect(found('await vi.waitFor(() => expect(a).toBe(1));')).toBe(1);
    expect(found('await vi.waitUntil(() => a === 1);')).toBe(1);
    expect(found('await vi.waitFor(() => expect(a).toBe(1), SOON);')).toBe(0);
    expect(found('await eventually(() => expect(a).toBe(1));')).toBe(0);
  });
});

describe('names', () => {
  it('accepts kebab-case that says what it is', () => {
    const files = { 'src/pipeline/validate-input.ts': '', 'src/a1.test.ts': 'interface Item {}' };
    expect(checkNames(tree(files))).toEqual([]);
  });

  it.each([
    'src/pipeline/validateInput.ts',
    'src/Pipeline/a.ts',
    'src/string_case.ts',
    'src/utils/a.ts',
    'src/path-helpers.ts',
    'src/common.ts',
    'src/types.ts',
    'src/session-manager.ts',
  ])('refuses %s', (path) => {
    expect(checkNames(tree({ [path]: '' }))).toHaveLength(1);
  });

  it.each(['class CallManager {}', 'interface ITool {}', 'export class PathUtils {}'])(
    'refuses %s',
    (text) => {
      expect(checkNames(tree({ 'src/a.ts': text }))).toHaveLength(1);
    },
  );
});

describe('copies', () => {
  const own = (name: string, record: string, key: string) =>
    `const ${name} = (${record}: Entry, ${key}: string) => Object.hasOwn(${record}, ${key}) ? ${record}[${key}] : undefined;`;

  it('finds a function of the same name whose variables are called differently', () => {
    const files = tree({ 'src/a.ts': own('own', 'a', 'b'), 'src/b.ts': own('own', 'tree', 'key') });
    expect(checkCopies(files)).toEqual(['src/b.ts:1 own is a copy of src/a.ts:1 own']);
  });

  it('finds a long function under any name, and takes comments and blanks for nothing', () => {
    const body =
      'return [text.trim(), text.length, text.at(0), text.at(1), text.at(2), text.at(3)];';
    const files = tree({
      'src/a.ts': `export const one = (text: string) => { ${body} };`,
      'src/b.ts': `function two() { return 1 }\nexport const three = (text: string) => {\n // why\n ${body}\n};`,
    });
    expect(checkCopies(files)).toEqual(['src/b.ts:2 three is a copy of src/a.ts:1 one']);
  });

  it('finds a long method of another class, and leaves short ones alone', () => {
    const method = (name: string) =>
      `class ${name} { close() { this.#closing ??= this.#end(); return this.#closing; } pick(list: readonly string[]) { return list.filter((each) => each !== '').map((each) => each.trim()).concat(list.map((each) => each.toUpperCase())); } }`;
    const files = tree({ 'src/a.ts': method('A'), 'src/b.ts': method('B') });
    expect(checkCopies(files)).toEqual(['src/b.ts:1 pick is a copy of src/a.ts:1 pick']);
  });

  it('leaves other bodies, short expressions and tests alone', () => {
    const files = tree({
      'src/a.ts': own('own', 'a', 'b'),
      'src/b.ts': own('own', 'a', 'b').replace('undefined', 'null'),
      'src/d.test.ts': own('own', 'a', 'b'),
      'src/e.ts': "const isText = (value: unknown) => typeof value === 'string';",
      'src/f.ts': "const isText = (value: unknown) => typeof value === 'string';",
    });
    expect(checkCopies(files)).toEqual([]);
  });
});

describe('shared lines', () => {
  const lines = (count: number, name = 'step') =>
    Array.from({ length: count }, (_, at) => `  ${name}(${at});\n`).join('');
  const within = (body: string, start: string) => `const f = () => {\n  ${start}();\n${body}};\n`;
  const judge = (one: string, other: string) =>
    checkSharedLines(tree({ 'src/a.ts': within(one, 'a'), 'src/b.ts': within(other, 'b') }));

  it('finds twelve lines of two functions once, whatever is around and between them', () => {
    const spaced = lines(15).replaceAll('\n', '\n  // why\n\n');
    expect(judge(lines(15), spaced)).toEqual(['src/b.ts:3 repeats 12 lines of src/a.ts:3']);
  });

  it('leaves shorter runs, imports and tests alone', () => {
    expect(judge(lines(10), lines(10))).toEqual([]);
    const names = Array.from({ length: 20 }, (_, at) => `  name${at},\n`).join('');
    const imports = `import {\n${names}} from './c.ts';\n`;
    expect(checkSharedLines(tree({ 'src/a.ts': imports, 'src/b.ts': imports }))).toEqual([]);
    const test = { 'src/a.ts': lines(15), 'src/a.test.ts': lines(15) };
    expect(checkSharedLines(tree(test))).toEqual([]);
  });
});

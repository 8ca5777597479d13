/** Custom tools from file to result, in the real sandbox; and what becomes of bad files. */
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openTestSource, type TestSource } from '../../../test/fixtures/custom-source.ts';
import { fakeContext } from '../../../test/fixtures/tool-context.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import type { CustomSourceOptions } from './create-custom-source.ts';

const RUN_TESTS = readFileSync(
  new URL('../../../test/fixtures/custom-tools/run_tests.yml', import.meta.url),
  'utf8',
);

const opened: TestSource[] = [];
const folders: string[] = [];

const open = (
  texts: Readonly<Record<string, string>>,
  options?: Partial<CustomSourceOptions>,
): TestSource => {
  const source = openTestSource(texts, options);
  opened.push(source);
  return source;
};

const scratch = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-custom-'));
  folders.push(folder);
  return folder;
};

afterEach(async () => {
  await Promise.all(opened.splice(0).map((source) => source.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const yaml = (code: string, rest = ''): string =>
  `name: x\ndescription: does x\nschema:\n  type: object\n${rest}code: |\n${code.replaceAll(/^/gm, '  ')}\n`;

const ts = (rest: string): string =>
  `import { defineTool } from 'toolcrib';\nexport default defineTool({\n  name: 'x', description: 'does x', tier: 'read_only',\n  input: { type: 'object' },\n${rest}\n});\n`;

describe('the example of the documents, run_tests.yml', () => {
  const said = (stdout: string) => {
    const commands: unknown[] = [];
    const context = fakeContext({
      exec: async (...argv) => {
        commands.push(argv.slice(0, 2));
        return { exitCode: 0, stdout, stderr: '' };
      },
    });
    return { commands, context };
  };

  it('is a tool of the execute tier that may run its three programs and asks first', async () => {
    const tool = await open({ 'run_tests.yml': RUN_TESTS }).tool('run_tests');
    expect(tool).toMatchObject({
      source: 'custom',
      category: 'custom',
      tier: 'execute',
      needs: { commands: ['yarn test* **', 'npm test* **', 'vitest **'] },
      capabilities: [{ action: 'run', requiresConfirmation: true }],
      sandbox: { type: 'wasm' },
      tags: ['file:run_tests.yml'],
      input: { type: 'object', required: ['pattern'] },
    });
  });

  it('runs as given', async () => {
    const tool = await open({ 'run_tests.yml': RUN_TESTS }).tool('run_tests');
    const { commands, context } = said('PASS a\nPASS b\n');
    const asked = { pattern: 'auth/**', coverage: true };
    expect(await tool.run(asked, context)).toBe(
      '✓ All 2 tests passed!\n\nCoverage: undefined% lines',
    );
    expect(commands).toEqual([['yarn', ['test', 'auth/**', '--coverage']]]);
    expect(await tool.run({ pattern: 'x' }, said('PASS a\nFAIL b\n').context)).toContain(
      '✗ 1 tests failed (1 passed)',
    );
  });
});

describe('a module', () => {
  it('describes its tools in the sandbox, and runs there', async () => {
    const texts = {
      'x.ts': `import { double } from './lib/double.ts';\n${ts(`
  tags: ['math'], examples: [{ title: 'two', input: { n: 2 }, output: { twice: 4 } }],
  run: async ({ n }: { n: number }, context) => ({ twice: double(n), id: context.executionId }),`)}`,
      'lib/double.ts': 'export const double = (n: number): number => n * 2;',
    };
    const tool = await open(texts).tool('x');
    expect(tool).toMatchObject({ tags: ['math', 'file:x.ts'], version: '1.0.0' });
    expect(await tool.run({ n: 21 }, fakeContext())).toEqual({ twice: 42, id: 'execution-1' });
  });

  it('can hold several tools', async () => {
    const one = (name: string, result: number) =>
      `{ name: '${name}', description: 'd', tier: 'read_only', input: { type: 'object' }, run: () => ${result} }`;
    const source = open({ 'many.ts': `export default [${one('a', 1)}, ${one('b', 2)}];` });
    expect(await (await source.tool('a')).run({}, fakeContext())).toBe(1);
    expect(await (await source.tool('b')).run({}, fakeContext())).toBe(2);
  });

  it('reads and writes by the names of the documents, and by ours', async () => {
    const files = new Map<string, string>([['a.txt', 'Grüße 🌍']]);
    const context = fakeContext({
      fs: {
        ...fakeContext().fs,
        read: async (path) => Buffer.from(files.get(path) ?? ''),
        write: async (path, data) => {
          files.set(path, String(data));
          return { bytesWritten: 1, created: true };
        },
        stat: async () => undefined,
      },
    });
    const code = `export async function execute(_: unknown, { platform, fs }) {
  const text = await platform.fs.readFile('a.txt');
  await platform.fs.writeFile('b.txt', text + '!');
  return [text, await fs.read('a.txt'), await platform.fs.exists('c.txt')];
}`;
    const tool = await open({ 'x.yml': yaml(code) }).tool('x');
    expect(await tool.run({}, context)).toEqual(['Grüße 🌍', 'Grüße 🌍', false]);
    expect(files.get('b.txt')).toBe('Grüße 🌍!');
  });
});

describe('a bad file is reported at its line and column, and skipped', () => {
  const CASES: readonly (readonly [string, Record<string, string>, RegExp])[] = [
    [
      'a syntax error in YAML code',
      { 'x.yml': yaml('const a = 1;\nlet 2b = 3;') },
      /^x\.yml:7:8: /,
    ],
    [
      'a built-in of Node',
      { 'x.yml': yaml("import fs from 'node:fs';\nfs.x();") },
      /^x\.yml:6:18: There are no built-in/,
    ],
    [
      'a built-in by its bare name',
      { 'x.ts': "import fs from 'fs';\nfs.x();" },
      /^x\.ts:1:16: There are no built-in/,
    ],
    [
      'a package',
      { 'x.ts': "import _ from 'lodash';\n_.x();" },
      /^x\.ts:1:15: Packages cannot be imported/,
    ],
    [
      'a file that is not there',
      { 'x.ts': "\nimport './y.ts';" },
      /^x\.ts:2:8: There is no such file/,
    ],
    [
      'a file outside the folder',
      { 'x.ts': "import '../../secret.ts';" },
      /^x\.ts:1:8: There is no such file/,
    ],
    ['an absolute path', { 'x.ts': "import '/etc/passwd';" }, /^x\.ts:1:8: Packages cannot/],
    ['our own parts', { 'x.ts': "import 'toolcrib:context';" }, /^x\.ts:1:8: Packages cannot/],
    [
      'what toolcrib does not export',
      { 'x.ts': "import { nope } from 'toolcrib';\nnope();" },
      /^x\.ts:1:10: No matching export/,
    ],
    [
      'an error after letters of the world',
      { 'x.ts': "const a = 'äöü🌍'; let 2b;" },
      /^x\.ts:1:25: /,
    ],
    [
      'an error in an imported file',
      { 'x.ts': "import './lib/y.ts';", 'lib/y.ts': '\n\n  let 2b;' },
      /^lib\/y\.ts:3:8: /,
    ],
    ['no function', { 'x.yml': yaml('const a = 1;') }, /^x\.yml:6:3: code: exports no function/],
    ['no tool', { 'x.ts': 'export const a = 1;' }, /^x\.ts:1:1: exports no tool/],
    [
      'a tool that is none',
      { 'x.ts': '\nexport default 7;' },
      /^x\.ts:2:1: the default export is no tool/,
    ],
    ['no run', { 'x.ts': ts('') }, /^x\.ts:2:1: run: expected a function/],
    [
      'another function',
      { 'x.ts': ts('run: () => 1, undo: () => 2') },
      /^x\.ts:2:1: undo: a function cannot/,
    ],
    [
      'a composition whose type is misspelt',
      { 'x.yml': 'type: composd\nname: x\ndescription: x\ncomposition: { steps: [] }\n' },
      /^x\.yml:1:7: type: a file with a composition needs "type: composed"$/,
    ],
    [
      'a composition without a type',
      { 'x.yml': 'name: x\ndescription: x\ncomposition: { steps: [] }\n' },
      /^x\.yml:1:1: type: a file with a composition needs "type: composed"$/,
    ],
    [
      'an unknown field',
      { 'x.yml': yaml('export const run = 1', 'colour: red\n') },
      /^x\.yml:5:9: colour: is not known here/,
    ],
    [
      'a wrong field',
      { 'x.yml': yaml('export const run = 1', 'timeoutMs: soon\n') },
      /^x\.yml:5:12: timeoutMs: expected/,
    ],
    [
      'a schema that is no object',
      { 'x.yml': yaml('export const run = 1').replace('type: object', 'type: array') },
      /^x\.yml:4:9: schema\.type: expected "object"/,
    ],
    [
      'trusted code for itself',
      { 'x.yml': yaml('export const run = 1', 'sandbox: worker\n') },
      /^x\.yml:5:10: sandbox: /,
    ],
    [
      'a module that throws',
      { 'x.ts': `\nif (1) throw new Error('at load');${ts('run: () => 1')}` },
      /^x\.ts:2:18: .*at load/,
    ],
    [
      'a module that never ends',
      { 'x.ts': `while (true);\n${ts('run: () => 1')}` },
      /^x\.ts:1:1: /,
    ],
    ['no text', { 'x.yml': '\uD800'.repeat(600_000) }, /larger than/],
  ];

  it.each(CASES)(
    '%s',
    async (what, texts, expected) => {
      const good = yaml('export const run = () => 1').replace('name: x', 'name: good');
      const limit = what === 'a module that never ends' ? { maxDescribeMs: 200 } : {};
      const source = open({ ...texts, 'good.yml': good }, limit);
      const tools = await source.source.load();
      expect(source.problems().join('\n')).toMatch(expected);
      expect(tools.map(({ name }) => name)).toEqual(['good']);
    },
    30_000,
  );

  it('but a good one is not refused because a busy machine takes seconds to read it', async () => {
    const { tool, runs } = open({ 'x.ts': ts('run: () => 1') });
    await tool('x');
    expect(runs.map(({ config }) => config.timeLimit)).toEqual([10_000]);
  });

  it('a tool with a name that another file uses', async () => {
    const source = open({
      'a.yml': yaml('export const run = () => 1'),
      'b.yml': yaml('export const run = () => 2'),
    });
    expect(await source.source.load()).toHaveLength(1);
    expect(source.problems()).toEqual(['b.yml:1:7: name: x is taken by a.yml']);
  });

  it('loads what its file switches off, as a tool that is off', async () => {
    const off = yaml('export const run = () => 1', 'enabled: false\n');
    expect(await open({ 'off.yml': off }).tool('x')).toMatchObject({ enabled: false });
    const module = ts('  enabled: false, run: () => 1,');
    expect(await open({ 'x.ts': module }).tool('x')).toMatchObject({ enabled: false });
    expect(await open({ 'x.ts': ts('  run: () => 1,') }).tool('x')).not.toHaveProperty('enabled');
  });

  it('ignores tests, types and files in subfolders', async () => {
    const source = open({
      'x.test.ts': 'nonsense(',
      'x.d.ts': 'nonsense(',
      'lib/y.ts': 'nonsense(',
      'readme.md': '#',
    });
    expect(await source.source.load()).toEqual([]);
    expect(source.problems()).toEqual([]);
  });
});

describe('an error at run time is reported at the line of the file', () => {
  it.each([
    [
      'x.yml',
      yaml("const a = 1;\nexport function execute() {\n  throw new TypeError('broken');\n}"),
      'x.yml:8:',
    ],
    [
      'x.yml',
      yaml(
        'export async function execute() {\n  await null;\n  deep();\n}\nfunction deep() {\n  null.x;\n}',
      ),
      'x.yml:11:',
    ],
    [
      'x.ts',
      `type A = {\n  a: 1;\n};\n${ts("run: () => {\n    throw new Error('broken');\n  },")}`,
      'x.ts:9:',
    ],
  ])('%s %#', async (file, text, place) => {
    const tool = await open({ [file]: text }).tool('x');
    const error = await Promise.resolve(tool.run({}, fakeContext())).catch((e: Error) => e);
    expect(error).toMatchObject({ name: 'ToolFailure', message: expect.stringContaining(place) });
    expect((error as Error).message).not.toContain('x.js');
  });

  it('a refusal of the host keeps its code', async () => {
    const code = "export const run = (_, context) => context.exec('rm', ['-rf', '/']);";
    const tool = await open({ 'x.yml': yaml(code) }).tool('x');
    await expect(tool.run({}, fakeContext())).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  it('a program is not started elsewhere', async () => {
    const code =
      "export const run = (_, { platform }) => platform.executor.execute({ command: 'ls', cwd: '/etc' });";
    const tool = await open({ 'x.yml': yaml(code) }).tool('x');
    await expect(tool.run({}, fakeContext())).rejects.toThrow(/leave cwd out/);
  });
});

describe('the compile cache', () => {
  const TEXTS = { 'x.ts': ts('run: () => 1') };

  it('needs neither compiler nor sandbox the second time, and both after a change', async () => {
    const cacheDir = scratch();
    await open(TEXTS, { cacheDir }).tool('x');
    const second = open(TEXTS, { cacheDir });
    expect(await (await second.tool('x')).run({}, fakeContext())).toBe(1);
    expect(second.runs.map(({ context }) => context !== undefined)).toEqual([true]);
    const third = open({ 'x.ts': ts('run: () => 2') }, { cacheDir });
    expect(await (await third.tool('x')).run({}, fakeContext())).toBe(2);
    expect(third.runs).toHaveLength(2);
  });

  it('knows a change in a file that is imported', async () => {
    const cacheDir = scratch();
    const texts = (n: number) => ({
      'x.ts': `import { n } from './lib/n';\n${ts('run: () => n')}`,
      'lib/n.ts': `export const n = ${n};`,
    });
    expect(await (await open(texts(1), { cacheDir }).tool('x')).run({}, fakeContext())).toBe(1);
    expect(await (await open(texts(2), { cacheDir }).tool('x')).run({}, fakeContext())).toBe(2);
  });

  const poison = async (cacheDir: string, change: (file: string, text: string) => unknown) => {
    await open(TEXTS, { cacheDir }).tool('x');
    const [name = ''] = readdirSync(cacheDir);
    const file = join(cacheDir, name);
    const evil = readFileSync(file, 'utf8').replaceAll('=> 1', '=> 666');
    expect(evil).toContain('666');
    await change(file, evil);
    return (await open(TEXTS, { cacheDir }).tool('x')).run({}, fakeContext());
  };

  it('threat: a cache others can write decides what runs: it is not believed', async () => {
    const writable = await poison(scratch(), async (file, evil) => {
      writeFileSync(file, evil);
      await chmod(file, 0o666);
    });
    expect(writable).toBe(1);
    const linked = await poison(scratch(), async (file, evil) => {
      await writeFile(`${file}.evil`, evil, { mode: 0o600 });
      rmSync(file);
      symlinkSync(`${file}.evil`, file);
    });
    expect(linked).toBe(1);
  });

  it('ignores an entry that is damaged or has another key', async () => {
    expect(await poison(scratch(), (file) => writeFileSync(file, '{"key":'))).toBe(1);
    expect(
      await poison(scratch(), (file, evil) =>
        writeFileSync(file, evil.replace(/"key":"./, '"key":"z')),
      ),
    ).toBe(1);
  });

  it('does not fail when its folder cannot be made', async () => {
    const file = join(scratch(), 'file');
    writeFileSync(file, '');
    expect(await open(TEXTS, { cacheDir: file }).tool('x')).toBeDefined();
  });

  it('leaves no scratch files behind', async () => {
    const cacheDir = scratch();
    await open({ 'x.yml': yaml('export const run = () => 1') }, { cacheDir }).tool('x');
    expect((await readdir(cacheDir)).every((name) => /^[0-9a-f]{64}\.json$/.test(name))).toBe(true);
  });
});

describe('trust and reload', () => {
  it('reads only the trusted bytes, and rejects when the files are not trusted', async () => {
    const untrusted = open({}, { files: () => Promise.reject(new Error('is not trusted')) });
    await expect(untrusted.source.load()).rejects.toThrow('not trusted');
    expect(await open({}).source.load()).toEqual([]);
  });

  it('reports a burst of changes once, and none after close', async () => {
    const folder = scratch();
    const { source } = open({}, { folder, runtime: createRuntime(), quietMs: 60 });
    let changes = 0;
    const next = () =>
      new Promise<void>((resolve) => {
        source.watch(() => {
          changes += 1;
          resolve();
        });
      });
    const told = next();
    // The watch is there after the first turn of the loop.
    await new Promise((resolve) => setTimeout(resolve, 50));
    // In one turn of the loop: on a busy machine there may be a quiet time between two turns.
    for (const n of [1, 2, 3]) writeFileSync(join(folder, 'x.yml'), `a: ${n}`);
    renameSync(join(folder, 'x.yml'), join(folder, 'y.yml'));
    await told;
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(changes).toBe(1);
    await source.close();
    await writeFile(join(folder, 'x.yml'), 'a: 5');
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(changes).toBe(1);
  });

  it('logs that it cannot watch a missing folder', async () => {
    const warnings: string[] = [];
    const runtime = createRuntime();
    const log = { ...runtime.log, warn: (message: string) => void warnings.push(message) };
    const { source } = open({}, { folder: join(scratch(), 'no'), runtime: { ...runtime, log } });
    source.watch(() => undefined);
    expect(warnings).toEqual(['custom tools are not watched for changes']);
  });

  it('loads changed files again', async () => {
    const texts = { 'x.yml': yaml('export const run = () => 1') };
    const source = open(texts);
    expect(await (await source.tool('x')).run({}, fakeContext())).toBe(1);
    texts['x.yml'] = yaml('export const run = () => 2');
    expect(await (await source.tool('x')).run({}, fakeContext())).toBe(2);
    texts['x.yml'] = 'name: [';
    expect(await source.source.load()).toEqual([]);
    expect(source.problems()).toHaveLength(1);
  });
});

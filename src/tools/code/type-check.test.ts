/** type_check on real projects: what it finds, what it must not reach, and that it can be stopped. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runExample, runTool, titlesOf } from '../../../test/fixtures/run-tool.ts';
import { createWorkspace, type Workspace } from '../../../test/fixtures/workspace.ts';
import { defineTypeCheck } from './type-check.ts';

vi.setConfig({ testTimeout: 60_000 });

const CONFIG = JSON.stringify({
  compilerOptions: {
    strict: true,
    target: 'es2022',
    module: 'nodenext',
    lib: ['es2022'],
    types: [],
  },
  include: ['src'],
});

const typeCheck = defineTypeCheck();
afterAll(() => typeCheck.cleanup?.());

let workspace: Workspace;
const run = (input: object = {}, signal?: AbortSignal) =>
  runTool(typeCheck, input, workspace.contextFor(typeCheck, signal ? { signal } : {}));

beforeEach(() => {
  workspace = createWorkspace({
    'tsconfig.json': CONFIG,
    'src/index.ts': 'export const n: number = "text";\n',
  });
});
afterEach(() => workspace.remove());

describe('type_check examples', () => {
  it.each(titlesOf(typeCheck))('the example "%s" gives the documented result', (title) =>
    runExample(typeCheck, title, workspace.contextFor(typeCheck)),
  );
});

describe('type_check', () => {
  it('finds nothing in a good project, with packages and declarations', async () => {
    workspace.put('package.json', '{"type":"module"}');
    workspace.put('node_modules/dep/package.json', '{"name":"dep","types":"index.d.ts"}');
    workspace.put('node_modules/dep/index.d.ts', 'export declare const dep: string[];\n');
    workspace.put('src/other.ts', 'export const twice = (n: number) => n * 2;\n');
    workspace.put(
      'src/index.ts',
      "import { dep } from 'dep';\nimport { twice } from './other.js';\nexport const all = dep.map(Number).map(twice);\n",
    );
    expect(await run()).toMatchObject({
      success: true,
      errors: [],
      totalErrors: 0,
      filesChecked: 2,
      compiler: expect.stringMatching(/^[56]\./),
    });
  });

  it('takes a tsconfig by name, follows extends, and can be strict or not', async () => {
    workspace.put('base.json', '{"compilerOptions":{"strict":false,"types":[],"lib":["es5"]}}');
    workspace.put('app/tsconfig.build.json', '{"extends":"../base.json","files":["a.ts"]}');
    workspace.put('app/a.ts', 'export const f = (x) => x;\n');
    const projectPath = 'app/tsconfig.build.json';
    expect(await run({ projectPath })).toMatchObject({ success: true, filesChecked: 1 });
    expect((await run({ projectPath, strict: true })).errors).toMatchObject([
      { file: 'app/a.ts', line: 1, column: 19, code: 7006 },
    ]);
  });

  it('lists at most maxErrors errors and counts all', async () => {
    const lines = Array.from({ length: 30 }, (_, at) => `export const n${at}: number = '';`);
    workspace.put('src/index.ts', lines.join('\n'));
    const { errors, totalErrors } = await run({ maxErrors: 5 });
    expect([errors.length, totalErrors]).toEqual([5, 30]);
  });

  it('says where the configuration is wrong', async () => {
    workspace.put(
      'tsconfig.json',
      '{\n  "compilerOptions": { "target": "es1", "lib": ["es5"] },\n',
    );
    const { errors } = await run();
    expect(new Set(errors.map(({ file }) => file))).toContain('tsconfig.json');
    expect(errors.find(({ code }) => code === 6046)).toMatchObject({ line: 2 });
  });

  it.each([
    ['words', 'keep calm $(and) carry on\n', 1005],
    ['another syntax', '[project]\nname = "lamps"\n', 1005],
    ['a number', '123', 5092],
    ['a list of settings', '[{"compilerOptions":{"strict":true}}]', 5092],
    ['settings that break off', '{"compilerOptions":{"strict":true},', 1005],
  ])('compiles nothing when the configuration is %s', async (_, text, code) => {
    workspace.put('garbage', text);
    const report = await run({ projectPath: 'garbage' });
    expect(report).toMatchObject({ success: false, filesChecked: 0 });
    expect(report.errors.map((each) => each.code)).toContain(code);
    expect(new Set(report.errors.map(({ file }) => file))).toEqual(new Set(['garbage']));
    expect(report.totalErrors).toBe(report.errors.length);
  });

  it('lists no folder for a file that is no configuration', async () => {
    workspace.put('garbage', 'words');
    const context = workspace.contextFor(typeCheck);
    const listed: string[] = [];
    const fs = {
      ...context.fs,
      list: (path: string) => {
        listed.push(path);
        return context.fs.list(path);
      },
    };
    await runTool(typeCheck, { projectPath: 'garbage' }, { ...context, fs });
    expect(listed).toEqual(['.']);
  });

  it('takes comments, trailing commas and an empty file for a configuration', async () => {
    workspace.put(
      'a.json',
      '// ours\n{"compilerOptions":{"types":[],"lib":["es5"],},"files":["src/index.ts",],}',
    );
    expect(await run({ projectPath: 'a.json' })).toMatchObject({ totalErrors: 1, filesChecked: 1 });
    workspace.put('empty/tsconfig.json', '');
    workspace.put('empty/a.ts', 'export const n: number = "text";');
    expect(await run({ projectPath: 'empty' })).toMatchObject({ filesChecked: 1 });
  });

  it('says so when the configuration cannot be read', async () => {
    const context = workspace.contextFor(typeCheck);
    const fs = { ...context.fs, read: () => Promise.reject(new Error('refused')) };
    const report = await runTool(typeCheck, {}, { ...context, fs });
    expect(report).toMatchObject({ success: false, errors: [{ code: 5083 }], filesChecked: 0 });
  });

  it('answers what is not there', async () => {
    await expect(run({ projectPath: 'nowhere' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(run({ projectPath: 'src' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(run({ projectPath: 'a\nb' })).rejects.toMatchObject({ name: 'ZodError' });
    await expect(run({ projectPath: '..' })).rejects.toMatchObject({ code: 'SECURITY_VIOLATION' });
  });
});

describe('type_check reads no more than it may', () => {
  it('reads nothing outside the workspace: extends, files, imports, references and links', async () => {
    const outside = createWorkspace({
      'canary.ts': 'export const canary: number = "seen";\n',
      'tsconfig.json': '{"compilerOptions":{"strict":"canary"}}',
    });
    workspace.put(
      'tsconfig.json',
      JSON.stringify({
        extends: join(outside.root, 'tsconfig.json'),
        compilerOptions: { types: [], lib: ['es5'], typeRoots: [outside.root] },
        files: [join(outside.root, 'canary.ts'), 'src/index.ts', 'linked/canary.ts'],
      }),
    );
    symlinkSync(outside.root, join(workspace.root, 'linked'));
    const up = `../../${outside.root.split('/').at(-1)}/canary`;
    workspace.put(
      'src/index.ts',
      `/// <reference path="${outside.root}/canary.ts" />\nimport { canary } from '${up}';\nexport { canary };\n`,
    );
    const { errors } = await run();
    outside.remove();
    expect(errors.map(({ code }) => code)).toEqual(expect.arrayContaining([6053, 2307]));
    expect(errors.filter(({ code }) => code === 2322)).toEqual([]);
    expect(JSON.stringify(errors)).not.toContain('seen');
  });

  it('loads no plugin that a configuration names', async () => {
    workspace.put('node_modules/evil/index.js', 'globalThis.pwned = true; throw new Error("x");');
    workspace.put('node_modules/evil/package.json', '{"name":"evil","main":"index.js"}');
    workspace.put(
      'tsconfig.json',
      '{"compilerOptions":{"types":[],"lib":["es5"],"plugins":[{"name":"evil","transform":"evil"}]},"files":["src/index.ts"]}',
    );
    expect(await run()).toMatchObject({ totalErrors: 1 });
    expect('pwned' in globalThis).toBe(false);
  });
});

describe('endless types', () => {
  it('are stopped, and nothing else waits meanwhile', async () => {
    const digits = '0|1|2|3|4|5|6|7|8|9'.replace(/\d/g, '"$&"');
    const heavy = [
      `type D = ${digits};`,
      ...Array.from(
        { length: 400 },
        (_, at) =>
          `type X${at} = \`${at}\${D}\${D}\${D}\${D}\`; export type Y${at} = X${at} extends infer U ? U extends string ? Uppercase<U> : never : never; export const v${at}: Y${at} = "";`,
      ),
    ];
    workspace.put('src/index.ts', heavy.join('\n'));
    const cancel = new AbortController();
    let ticks = 0;
    const ticking = setInterval(() => (ticks += 1), 20);
    const running = run({}, cancel.signal);
    setTimeout(() => cancel.abort(), 1_500);
    await expect(running).rejects.toMatchObject({ code: 'CANCELLED' });
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(10);
  });

  it('are not checked at all when the call is already cancelled', async () => {
    await expect(run({}, AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

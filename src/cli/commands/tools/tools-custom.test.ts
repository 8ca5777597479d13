/** `tools new` and `tools test`: what they write, what they refuse, and that what is written works. */
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestSource, type TestSource } from '../../../../test/fixtures/custom-source.ts';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import { createCribHost } from '../../../crib/create-crib.ts';
import { loadConfig } from '../../../trust/load-config.ts';
import { runCli } from '../../run-cli.ts';
import { testFile } from './tools-test.ts';
import { exampleDifferences } from './try-examples.ts';

let root: string;
let project: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'toolcrib-cli-custom-')));
  project = join(root, 'project');
  await mkdir(project);
});

afterEach(() => rm(root, { recursive: true, force: true }));

const env = () => ({ HOME: root, TOOLCRIB_HOME: join(root, 'user') });

const run = async (...args: readonly string[]) => {
  const { io, out, err } = fakeIo({ cwd: project, env: env(), json: args.includes('--json') });
  return { code: await runCli(args, io), out: out(), err: err() };
};

const load = () => loadConfig({ cwd: project, env: env() });

const write = async (name: string, text: string): Promise<void> => {
  const file = join(project, '.toolcrib', name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
};

const written = (name: string) => readFile(join(project, '.toolcrib', 'tools', name), 'utf8');

describe('toolcrib tools new', () => {
  it.each([
    ['yml', []],
    ['yml', ['--yaml']],
    ['ts', ['--ts']],
  ])('writes a .%s file, and the project is trusted with it', async (extension, options) => {
    const { code, out, err } = await run('tools', 'new', 'count_words', ...options);
    expect([code, out]).toEqual([0, `✓ .toolcrib/tools/count_words.${extension}\n`]);
    expect(err).toContain(`toolcrib tools test .toolcrib/tools/count_words.${extension}`);
    expect(await written(`count_words.${extension}`)).toContain('count_words');
    expect((await load()).trust.state).toBe('trusted');
  });

  it('keeps the trust of a project that was trusted, and answers in JSON', async () => {
    await write('config.yml', 'budget: {dailyUsd: 5}\n');
    await run('trust', '--yes');
    const { out } = await run('tools', 'new', 'mine', '--json');
    expect(JSON.parse(out)).toEqual({
      tool: 'mine',
      kind: 'yaml',
      file: join(project, '.toolcrib', 'tools', 'mine.yml'),
    });
    expect((await load()).trust.state).toBe('trusted');
  });

  it('threat: a cloned project becomes trusted in passing: nothing is written there', async () => {
    await write('tools/evil.yml', 'name: evil\n');
    const { code, err } = await run('tools', 'new', 'mine');
    expect([code, err.includes('not trusted')]).toEqual([3, true]);
    await expect(written('mine.yml')).rejects.toThrow();
    expect((await load()).trust.state).toBe('untrusted');
  });

  it('threat: a link leads out of the project: nothing is written behind it', async () => {
    await mkdir(join(root, 'elsewhere'));
    await mkdir(join(project, '.toolcrib'));
    await symlink(join(root, 'elsewhere'), join(project, '.toolcrib', 'tools'));
    expect((await run('tools', 'new', 'mine')).code).toBe(3);
    await expect(readFile(join(root, 'elsewhere', 'mine.yml'))).rejects.toThrow();
  });

  it.each(['../evil', 'a/b', '.hidden', 'a b', '', 'x'.repeat(65), 'a:b', '-x'])(
    'refuses the name %j',
    async (name) => {
      expect((await run('tools', 'new', '--', name)).code).toBe(2);
    },
  );

  it('refuses a name that is taken, a file that is there, and both kinds at once', async () => {
    const taken = await run('tools', 'new', 'calculator');
    expect([taken.code, taken.err.includes('There is a tool calculator')]).toEqual([1, true]);
    await run('tools', 'new', 'mine');
    const before = await written('mine.yml');
    expect((await run('tools', 'new', 'mine')).code).toBe(1);
    expect(await written('mine.yml')).toBe(before);
    expect((await run('tools', 'new', 'other', '--ts', '--yaml')).code).toBe(2);
  });
});

describe('toolcrib tools test', () => {
  let source: TestSource | undefined;
  afterEach(async () => source?.close());

  /** A crib over the files of the project, as trusted, whose code runs in the real sandbox. */
  const tried = async (files: readonly string[], file: string, json = false) => {
    const texts = await Promise.all(
      files.map(async (name) => [name, await written(name)] as const),
    );
    source = openTestSource(Object.fromEntries(texts));
    const crib = await createCribHost({
      root: project,
      config: { store: { driver: 'memory' } },
      sources: [source.source],
      approver: { ask: async () => ({ answer: 'approve', by: 'test' }) },
    });
    const { io, out, err } = fakeIo({ cwd: project, env: env(), json });
    try {
      const open = { crib, loaded: await load(), root: project, logging: { log: io.runtime.log } };
      const code = await testFile(io, open, { file });
      return { code, out: out(), err: err() };
    } finally {
      await crib.close();
    }
  };

  it.each([
    ['yml', '--yaml'],
    ['ts', '--ts'],
  ])('the new .%s tool passes its own examples', async (extension, option) => {
    await run('tools', 'new', 'mine', option);
    const name = `mine.${extension}`;
    const { code, out } = await tried([name], `.toolcrib/tools/${name}`);
    expect(out).toMatch(/^✓ mine: Two lines \(\d+ ms\)\n1 passed, 0 failed\n$/);
    expect(code).toBe(0);
  });

  it.each([
    ['the name of the file', 'mine.yml'],
    ['the name of the tool', 'mine'],
  ])('takes %s for its path', async (_what, typed) => {
    await run('tools', 'new', 'mine');
    const { code, out } = await tried(['mine.yml'], typed);
    expect([code, out]).toEqual([0, expect.stringMatching(/^✓ mine: Two lines/)]);
  });

  it('a name that is no tool and no file is told as such', async () => {
    await run('tools', 'new', 'mine');
    await expect(tried(['mine.yml'], 'other')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('no custom tool has this name'),
    });
  });

  it('says what differs, and what failed, with the line of the file', async () => {
    await run('tools', 'new', 'mine');
    const text = await written('mine.yml');
    await write('tools/mine.yml', text.replace('lines: 2, words: 3', 'lines: 3, more: [1]'));
    await run('trust', '--yes');
    const wrong = await tried(['mine.yml'], '.toolcrib/tools/mine.yml');
    expect(wrong.code).toBe(1);
    expect(wrong.out).toContain('at /lines\n      expected 3\n      got      2');
    expect(wrong.out).toContain('at /more\n      expected [1]\n      got      nothing');
    await source?.close();
    await write('tools/mine.yml', text.replace("context.logger.info('counting');", 'null.x;'));
    await run('trust', '--yes');
    const broken = await tried(['mine.yml'], '.toolcrib/tools/mine.yml', true);
    const { failed, examples } = JSON.parse(broken.out);
    expect([failed, examples[0].passed]).toEqual([1, false]);
    expect(examples[0].error.message).toMatch(/mine\.yml:\d+:\d+/);
  });

  it('fails for a tool without examples', async () => {
    await run('tools', 'new', 'mine');
    const text = await written('mine.yml');
    await write('tools/mine.yml', text.replace(/examples:[\s\S]*?(?=\n\n)/, ''));
    await run('trust', '--yes');
    const { code, err } = await tried(['mine.yml'], '.toolcrib/tools/mine.yml');
    expect([code, err]).toEqual([1, '! mine has no examples.\n']);
  });

  it('refuses a file elsewhere, one without a tool, and a project that is not trusted', async () => {
    await run('tools', 'new', 'mine');
    await expect(tried(['mine.yml'], 'package.json')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await expect(tried(['mine.yml'], '.toolcrib/tools/other.yml')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await write('tools/mine.yml', `${await written('mine.yml')}# changed\n`);
    await expect(tried(['mine.yml'], '.toolcrib/tools/mine.yml')).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
  });
});

describe('differences from an example', () => {
  it.each([
    [{ a: 1 }, { a: 1, b: 2 }, []],
    [{ a: [1, { b: 2 }] }, { a: [1, { b: 2, c: 3 }] }, []],
    [[1], [1, 2], ['']],
    [{ a: { b: [1, 2] } }, { a: { b: [1, 3] } }, ['/a/b/1']],
    [{ 'a/b': { '~': 1 } }, { 'a/b': {} }, ['/a~1b/~0']],
    [{ constructor: 1 }, {}, ['/constructor']],
    [null, {}, ['']],
    [Number.NaN, Number.NaN, []],
  ])('%j against %j', (expected, actual, paths) => {
    expect(exampleDifferences(expected, actual).map(({ path }) => path)).toEqual(paths);
  });
});

describe('the file of a tool that has faults', () => {
  const bad = 'type: composed\nname: bad\ndescription: Bad.\ncomposition: { steps: [] }\n';

  it.each(['info', 'test'])(
    'is named by tools %s, which points at its warnings',
    async (command) => {
      await write('tools/other.yml', bad);
      await run('trust', '--yes');
      const { code, err } = await run('tools', command, 'bad');
      expect([code === 0, err]).toEqual([
        false,
        expect.stringContaining('No tool was loaded from the file other.yml.'),
      ]);
      expect(err).toContain('warnings of this command');
    },
  );

  it('is not taken for a flow: flow validate says that it is a tool, and nothing else', async () => {
    await write('tools/other.yml', bad);
    const { code, out } = await run('flow', 'validate', '.toolcrib/tools/other.yml');
    expect(code).toBe(2);
    expect(out).toContain('this is a composed tool, and no flow');
    expect(out.match(/✗/g)).toHaveLength(1);
    await write('tools/mine.yml', 'name: mine\nschema: { type: object }\ncode: return 1\n');
    const coded = await run('flow', 'validate', '.toolcrib/tools/mine.yml', '--json');
    expect(JSON.parse(coded.out).files[0].faults).toEqual([
      expect.objectContaining({ message: expect.stringContaining('this is a tool with code') }),
    ]);
  });
});

describe('threat: composed tools that came with a folder', () => {
  const composed = (tool: string) =>
    [
      'type: composed',
      'name: mine',
      'description: Calls another tool.',
      'schema: { type: object }',
      'composition:',
      `  steps: [{ id: a, tool: ${tool}, parameters: { static: { expression: 1 + 1 } } }]`,
      '',
    ].join('\n');

  it('have no effect before the folder is trusted, nor after a change', async () => {
    await write('tools/mine.yml', composed('calculator'));
    expect((await run('run', 'mine')).err).toContain('PERMISSION_DENIED');
    await run('trust', '--yes');
    const trusted = await run('run', 'mine', '--json');
    expect([trusted.code, JSON.parse(trusted.out).data.output.result]).toEqual([0, 2]);
    const { out } = await run('tools', 'info', 'mine');
    expect(out).toMatch(/Source: +\[Composed\]/);
    expect(out).toMatch(/Calls: +calculator/);
    await write('tools/mine.yml', composed('run_command'));
    expect((await run('run', 'mine')).err).toContain('not trusted as it is now');
  });
});

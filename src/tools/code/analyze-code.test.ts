/** analyze_code with the real linter, on real files. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runExample, runTool, titlesOf } from '../../../test/fixtures/run-tool.ts';
import { spawnedExec } from '../../../test/fixtures/spawned-exec.ts';
import { createWorkspace, type Workspace } from '../../../test/fixtures/workspace.ts';
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { analyzeCode, defineAnalyzeCode } from './analyze-code.ts';

vi.setConfig({ testTimeout: 60_000 });

const BIN = fileURLToPath(new URL('../../../node_modules/.bin', import.meta.url));
const MESSY = `export const messy = (a: number) => {
  debugger;
  if (a > 1 && a < 5) return a;
  return a ? 1 : 2;
};
`;

const PLUGIN = `import { writeFileSync } from 'node:fs';
writeFileSync('ROOT/pwned', '');
export default { meta: { name: 'p' }, rules: {} };
`;

let workspace: Workspace;
const contextOf = (overrides: Partial<ToolContext> = {}) => {
  const { exec } = spawnedExec({ root: workspace.root, tool: analyzeCode, folders: [BIN] });
  return workspace.contextFor(analyzeCode, { exec, ...overrides });
};
const run = (input: object = {}, overrides: Partial<ToolContext> = {}) =>
  runTool(analyzeCode, input, contextOf(overrides));

beforeEach(() => {
  workspace = createWorkspace({ 'src/messy.ts': MESSY });
});
afterEach(() => workspace.remove());

describe('analyze_code examples', () => {
  it.each(titlesOf(analyzeCode))('the example "%s" gives the documented result', (title) =>
    runExample(analyzeCode, title, contextOf()),
  );
});

describe('analyze_code measures complexity', () => {
  it('counts every kind of decision, nested functions for themselves', async () => {
    workspace.put(
      'src/all.ts',
      `export class Box {
  #n = 0;
  constructor(n?: number) { this.#n = n ?? 1; }
  get size() { return this.#n; }
  walk(list: number[]) {
    for (const x of list) while (x > this.#n) do { this.#n ||= 2; } while (this.#n < 0);
    for (let i = 0; i < 1; i++) for (const k in list) void k;
    switch (list.length) { case 0: return 0; case 1: return 1; default: return 2; }
  }
  safe = () => { try { return this.walk([]); } catch { return [1].map((x) => (x ? 1 : 2)); } };
}
`,
    );
    const { functions, summary } = await run({ path: 'src/all.ts', maxComplexity: 1, lint: false });
    expect(functions.map(({ name, complexity }) => [name, complexity])).toEqual([
      ['walk', 9],
      ['constructor', 2],
      ['safe', 2],
      ['(anonymous)', 2],
    ]);
    expect(summary).toMatchObject({ files: 1, functions: 5, highestComplexity: 9, errors: 0 });
  });

  it('leaves out packages, builds, hidden folders and files that cannot be parsed', async () => {
    for (const folder of ['node_modules/x', 'dist', '.cache'])
      workspace.put(`${folder}/a.ts`, MESSY);
    workspace.put('src/deep.ts', '('.repeat(300_000));
    workspace.put('src/broken.ts', 'export const f = ( => {');
    const { summary } = await run({ lint: false });
    expect(summary.files).toBe(3);
    expect(summary.functions).toBeGreaterThan(0);
  });
});

describe('analyze_code lints', () => {
  it('finds errors and warnings with their places, and counts what it does not list', async () => {
    workspace.put(
      'src/more.ts',
      'export const x = NaN === 1;\nexport const y = [..."ab"].at(0);\n',
    );
    const { problems, summary, truncated } = await run({ complexity: false });
    expect(problems).toContainEqual(
      expect.objectContaining({ file: 'src/more.ts', line: 1, rule: 'eslint(use-isnan)' }),
    );
    expect(summary).toMatchObject({ functions: 0, averageComplexity: 0 });
    expect(summary.errors).toBeGreaterThan(1);
    expect(truncated).toBe(false);
    expect(await run({ maxResults: 1 })).toMatchObject({ truncated: true });
  });

  it('reports a syntax error instead of failing', async () => {
    workspace.put('src/broken.ts', 'export const f = ( => {');
    const { problems } = await run({ path: 'src/broken.ts' });
    expect(problems[0]).toMatchObject({ file: 'src/broken.ts', severity: 'error', line: 1 });
  });

  it.each([
    ['.oxlintrc.json', '{"jsPlugins":["./p.mjs"]}'],
    ['.oxlintrc.json', '{"overrides":[{"files":["*"],"jsPlugin\\u0073":["./p.mjs"]}]}'],
    ['.oxlintrc.json', '{"extends":["./src/.oxlintrc.json"]}'],
    ['oxlint.config.ts', 'import "./p.mjs";\nexport default {};\n'],
  ])('runs no plugin: %s with %s is refused', async (name, content) => {
    workspace.put('p.mjs', PLUGIN.replace('ROOT', workspace.root));
    workspace.put(name, content);
    await expect(run()).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
    expect(existsSync(join(workspace.root, 'pwned'))).toBe(false);
  });

  it('does not look at configuration below, and takes harmless rules of the root', async () => {
    workspace.put('src/p.mjs', PLUGIN.replace('ROOT', workspace.root));
    workspace.put('src/.oxlintrc.json', '{"jsPlugins":["./p.mjs"],"rules":{"no-debugger":"off"}}');
    const rulesOf = async () => (await run()).problems.map(({ rule }) => rule);
    expect(await rulesOf()).toContain('eslint(no-debugger)');
    workspace.put('.oxlintrc.json', '{ /* more */ "rules": { "no-ternary": "error" } }');
    workspace.put('vite.config.ts', PLUGIN.replace('ROOT', workspace.root));
    expect(await rulesOf()).toContain('eslint(no-ternary)');
    expect(existsSync(join(workspace.root, 'pwned'))).toBe(false);
  });

  it('takes a path that looks like an option for a path', async () => {
    workspace.put('--fix', 'x');
    workspace.put('--fix.ts', MESSY);
    const { problems } = await run({ path: '--fix.ts' });
    expect(problems[0]).toMatchObject({ file: '--fix.ts', line: 2 });
    expect(workspace.text('--fix.ts')).toBe(MESSY);
  });
});

describe('analyze_code failures', () => {
  it('says how to get a linter; measures without one', async () => {
    const tool = defineAnalyzeCode({ linter: 'no-such-linter' });
    const { exec } = spawnedExec({ root: workspace.root, tool });
    const context = workspace.contextFor(tool, { exec });
    await expect(runTool(tool, {}, context)).rejects.toMatchObject({
      code: 'DEPENDENCY_MISSING',
      extras: { suggestions: [expect.stringContaining('npm install -D oxlint')] },
    });
    expect(await runTool(tool, { lint: false }, context)).toMatchObject({ summary: { files: 1 } });
  });

  it('says how to get a linter when the sandbox finds none', async () => {
    const exec = async () => {
      throw new ToolFailure('DEPENDENCY_MISSING', 'The program is not there in the sandbox.');
    };
    await expect(run({}, { exec })).rejects.toMatchObject({
      code: 'DEPENDENCY_MISSING',
      extras: { suggestions: [expect.stringContaining('npm install -D oxlint')] },
    });
  });

  it.each(['', 'no json', '{}', '[1]', '{"diagnostics":1}'])(
    'has a code for the report %j',
    async (stdout) => {
      const exec = async () => ({ exitCode: 1, stdout, stderr: '' });
      await expect(run({}, { exec })).rejects.toMatchObject({ code: 'EXECUTION_FAILED' });
    },
  );

  it.each([
    ['missing', 'NOT_FOUND'],
    ['..', 'SECURITY_VIOLATION'],
    ['/etc', 'SECURITY_VIOLATION'],
  ])('%s → %s', async (path, code) => {
    await expect(run({ path })).rejects.toMatchObject({ code });
  });

  it.each([{ path: 'a\nb' }, { path: 'a\0' }, { categories: ['nursery'] }, { maxComplexity: 0 }])(
    '%j is refused',
    async (input) => {
      await expect(run(input)).rejects.toMatchObject({ name: 'ZodError' });
    },
  );

  it('stops when the call is cancelled', async () => {
    const signal = AbortSignal.abort();
    await expect(run({}, { signal })).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(run({ path: 'src/messy.ts', lint: false }, { signal })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
  });
});

/** analyze_dependencies with the real npm and a registry on this machine. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type NpmRegistry, openNpmRegistry } from '../../../test/fixtures/npm-registry.ts';
import { runExample, runTool, titlesOf } from '../../../test/fixtures/run-tool.ts';
import { type SpawnSettings, spawnedExec } from '../../../test/fixtures/spawned-exec.ts';
import { createWorkspace, type Workspace } from '../../../test/fixtures/workspace.ts';
import { defineAnalyzeDependencies } from './analyze-dependencies.ts';
import { countPackages, readAdvisories, readOutdated } from './read-npm-reports.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let registry: NpmRegistry;
let workspace: Workspace;
let address = '';
const analyzeDependencies = defineAnalyzeDependencies({
  registries: async () => ({ main: address, scopes: {} }),
});

const ADVISORY = {
  id: 1,
  url: 'https://example.org/advisories/1',
  title: 'Pads with anything',
  severity: 'high',
  vulnerable_versions: '<1.3.0',
};

beforeAll(async () => {
  registry = await openNpmRegistry(
    [
      { name: 'left-pad', version: '1.1.0' },
      { name: 'left-pad', version: '1.3.0' },
    ],
    { 'left-pad': [ADVISORY] },
  );
});
afterAll(() => registry.close());

beforeEach(async () => {
  address = registry.url;
  workspace = createWorkspace({
    'package.json': JSON.stringify({
      name: 'app',
      version: '1.0.0',
      dependencies: { 'left-pad': '1.1.0' },
    }),
    'src/index.ts':
      "import pad from 'left-pad';\nimport 'app';\nimport fs from 'node:fs';\nimport './x.js';\nexport { a } from 'absent/deep';\nexport { pad, fs };\n",
  });
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: workspace.root,
    env: { PATH: process.env.PATH ?? '', HOME: workspace.root, npm_config_registry: address },
  });
  const manifest = {
    name: 'app',
    version: '1.0.0',
    dependencies: { 'left-pad': '^1.1.0', idle: '1.0.0' },
  };
  workspace.put('package.json', JSON.stringify(manifest));
});
afterEach(() => workspace.remove());

const contextOf = (more: Partial<SpawnSettings> = {}) => {
  const settings = { root: workspace.root, tool: analyzeDependencies, ...more };
  const { exec, commands } = spawnedExec(settings);
  const signal = more.signal ? { signal: more.signal } : {};
  return { context: workspace.contextFor(analyzeDependencies, { exec, ...signal }), commands };
};
const run = (input: object, more: Partial<SpawnSettings> = {}) =>
  runTool(analyzeDependencies, input, contextOf(more).context);

describe('analyze_dependencies examples', () => {
  it.each(titlesOf(analyzeDependencies))('the example "%s" gives the documented result', (title) =>
    runExample(analyzeDependencies, title, contextOf().context),
  );
});

describe('analyze_dependencies usage', () => {
  it('reaches no registry, and counts packages of scripts, types and itself as used', async () => {
    const manifest = {
      name: 'app',
      dependencies: { 'left-pad': '^1.1.0' },
      devDependencies: {
        '@types/left-pad': '1',
        '@types/node': '20',
        typescript: '6',
        runner: '1',
        '@types/unused': '1',
      },
      scripts: { test: 'runner --all && echo done' },
    };
    workspace.put('package.json', JSON.stringify(manifest));
    workspace.put('src/more.cjs', "const a = require('absent2'); import('absent3');\n");
    const before = registry.requests.length;
    const { unused, missing, problems = [] } = await run({ operation: 'usage' });
    expect(unused).toEqual(['@types/unused']);
    expect(missing).toEqual(['absent', 'absent2', 'absent3']);
    expect(problems.join()).toContain('missing: runner@1');
    expect(registry.requests.length).toBe(before);
  });
});

describe('analyze_dependencies reports', () => {
  it('reads advisories, those of others left to their own entry, the worst first', () => {
    const via = { title: 'T', severity: 'low', range: '<2', url: 'https://example.org/1' };
    expect(
      readAdvisories({
        vulnerabilities: {
          a: { via: [via, 'b'], isDirect: true, fixAvailable: { name: 'a', version: '2.0.0' } },
          b: { via: [{ ...via, severity: 'critical', url: 1 }], fixAvailable: true },
          c: 1,
          d: { via: 'x' },
          e: { via: [{ severity: 'odd' }] },
        },
      }),
    ).toEqual([
      { package: 'b', severity: 'critical', description: 'T', range: '<2', direct: false },
      { package: 'e', severity: 'moderate', description: '', range: '', direct: false },
      {
        package: 'a',
        severity: 'low',
        description: 'T',
        range: '<2',
        direct: true,
        url: 'https://example.org/1',
        fixVersion: '2.0.0',
      },
    ]);
    expect(readAdvisories({})).toEqual([]);
  });

  it('reads outdated packages, also those that are there twice, and counts versions once', () => {
    const place = { current: '1.0.0', wanted: '1.1.0', latest: '2.0.0' };
    expect(readOutdated({ a: place, b: [place, place], c: 1, d: {} })).toHaveLength(4);
    const leaf = { version: '1.0.0' };
    expect(
      countPackages({
        dependencies: {
          a: { version: '1.0.0', dependencies: { b: leaf, c: { missing: true } } },
          b: leaf,
          d: 'odd',
        },
      }),
    ).toBe(2);
  });
});

describe('analyze_dependencies failures', () => {
  it.each([
    { packageJsonPath: '--prefix=/' },
    { packageJsonPath: 'a\npackage.json' },
    { packageJsonPath: 'notes.txt' },
    { operation: 'fix' },
    { operation: 'constructor' },
  ])('%j is refused', async (input) => {
    await expect(run(input)).rejects.toMatchObject({ name: 'ZodError' });
  });

  it.each([
    ['sub/package.json', 'NOT_FOUND'],
    ['../package.json', 'SECURITY_VIOLATION'],
    ['bad/package.json', 'VALIDATION_ERROR'],
    ['list/package.json', 'VALIDATION_ERROR'],
  ])('%s → %s', async (packageJsonPath, code) => {
    workspace.put('bad/package.json', '{');
    workspace.put('list/package.json', '[]');
    await expect(run({ packageJsonPath })).rejects.toMatchObject({ code });
  });

  it('says that the registry cannot be reached, or that there is no lock file', async () => {
    address = 'http://127.0.0.1:9';
    await expect(run({ operation: 'outdated' })).rejects.toMatchObject({ code: 'NETWORK' });
    address = registry.url;
    workspace.put('empty/package.json', '{"dependencies":{"left-pad":"1.1.0"}}');
    const input = { operation: 'audit', packageJsonPath: 'empty/package.json' };
    await expect(run(input)).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
  });

  it('analyze keeps what it found when the registry cannot be asked, and warns of each step', async () => {
    address = 'http://127.0.0.1:9';
    const warnings: string[] = [];
    const { exec } = spawnedExec({ root: workspace.root, tool: analyzeDependencies });
    const warn = (message: string) => void warnings.push(message);
    const context = workspace.contextFor(analyzeDependencies, { exec, warn });
    const found = await runTool(analyzeDependencies, {}, context);
    expect(found).toMatchObject({ unused: ['idle'], missing: ['absent'] });
    expect(Object.keys(found)).not.toContain('vulnerabilities');
    expect(warnings).toEqual([
      expect.stringMatching(/^outdated failed and is left out \(NETWORK\)/),
      expect.stringMatching(/^audit failed and is left out \(NETWORK\)/),
    ]);
  });

  it('analyze keeps outdated and usage when there is no lock file to audit', async () => {
    workspace.put('empty/package.json', '{"dependencies":{"left-pad":"1.1.0"}}');
    const found = await run({ packageJsonPath: 'empty/package.json' });
    expect(Object.keys(found)).toEqual(['totalDeps', 'unused', 'missing', 'problems', 'outdated']);
  });

  it('says how to get npm, and stops when cancelled', async () => {
    const exec = async () => ({ exitCode: 127, stdout: '', stderr: '' });
    const context = workspace.contextFor(analyzeDependencies, { exec });
    await expect(runTool(analyzeDependencies, {}, context)).rejects.toMatchObject({
      code: 'DEPENDENCY_MISSING',
    });
    await expect(run({}, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
  });
});

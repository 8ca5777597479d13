/** The code tools through a whole crib: linter and package manager run in the process sandbox. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { isMissing } from '../../../test/fixtures/needed-programs.ts';
import { type NpmRegistry, openNpmRegistry } from '../../../test/fixtures/npm-registry.ts';
import { createWorkspace, type Workspace } from '../../../test/fixtures/workspace.ts';
import type { Crib } from '../../contract/crib.ts';
import { createCrib } from '../../crib/create-crib.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Bubblewrap is not installed; in CI that is a failure. */
const missing = isMissing('bwrap');

const ADVISORY = {
  id: 1,
  url: 'https://example.org/advisories/1',
  title: 'Pads with anything',
  severity: 'high',
  vulnerable_versions: '<1.3.0',
};

let workspace: Workspace;
let registry: NpmRegistry;
let crib: Crib;

beforeAll(async () => {
  registry = await openNpmRegistry(
    [
      { name: 'left-pad', version: '1.1.0' },
      { name: 'left-pad', version: '1.3.0' },
    ],
    { 'left-pad': [ADVISORY] },
  );
  vi.stubEnv('npm_config_registry', registry.url);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await registry.close();
});

beforeEach(async () => {
  workspace = createWorkspace({
    'package.json': '{"name":"app","version":"1.0.0","dependencies":{"left-pad":"1.1.0"}}',
    'src/messy.ts':
      'export const messy = (a: number) => {\n  debugger;\n  return a > 1 && a < 5 ? 1 : 2;\n};\n',
  });
  const egress = { allowPrivate: ['127.0.0.1'] };
  crib = await createCrib({
    root: workspace.root,
    store: 'memory',
    config: { egress },
    approver: () => true,
    watch: false,
  });
});
afterEach(async () => {
  await crib.close();
  workspace.remove();
});

const call = async (tool: string, input: object) => {
  const { data, error } = await crib.execute(tool, input);
  expect(error).toBeUndefined();
  return data;
};

describe.skipIf(missing)('analyze_code in the sandbox', () => {
  it('finds the linter beside this package and runs it on a real file', async () => {
    expect(await call('analyze_code', { path: 'src/messy.ts', maxComplexity: 2 })).toMatchObject({
      problems: [{ file: 'src/messy.ts', line: 2, rule: 'eslint(no-debugger)' }],
      functions: [{ name: 'messy', complexity: 3 }],
      summary: { errors: 1, files: 1 },
    });
  });
});

describe.skipIf(missing)('analyze_dependencies in the sandbox', () => {
  it('tells what is outdated and which advisories there are', async () => {
    await promisify(execFile)('npm', ['install', '--no-audit', '--ignore-scripts'], {
      cwd: workspace.root,
      env: { PATH: process.env.PATH ?? '', HOME: '/', npm_config_registry: registry.url },
    });
    expect(await call('analyze_dependencies', {})).toMatchObject({
      totalDeps: 1,
      unused: ['left-pad'],
      outdated: [{ package: 'left-pad', current: '1.1.0', latest: '1.3.0' }],
      vulnerabilities: [{ package: 'left-pad', severity: 'high', direct: true }],
    });
    expect(registry.requests.some((line) => line.startsWith('POST'))).toBe(true);
  });
});

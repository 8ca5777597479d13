/** npm_install with the real npm and a registry on this machine. */
import { execFile } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type NpmRegistry, openNpmRegistry } from '../../../test/fixtures/npm-registry.ts';
import { runExample, runTool, titlesOf } from '../../../test/fixtures/run-tool.ts';
import { type SpawnSettings, spawnedExec } from '../../../test/fixtures/spawned-exec.ts';
import { createWorkspace, type Workspace } from '../../../test/fixtures/workspace.ts';
import { defineNpmInstall } from './npm-install.ts';

vi.setConfig({ testTimeout: 60_000 });

let registry: NpmRegistry;
let workspace: Workspace;
let address = '';
const npmInstall = defineNpmInstall({
  registries: async () => ({ main: address, scopes: { '@scope': address } }),
});

beforeAll(async () => {
  const touch = "node -e \"require('fs').writeFileSync(process.env.INIT_CWD+'/pwned','')\"";
  registry = await openNpmRegistry([
    { name: 'left-pad', version: '1.1.0' },
    { name: 'left-pad', version: '1.3.0' },
    { name: 'scripted', version: '1.0.0', manifest: { scripts: { postinstall: touch } } },
    { name: '@scope/tree', version: '2.0.0', manifest: { dependencies: { 'left-pad': '^1.0.0' } } },
    { name: 'picky', version: '1.0.0', manifest: { peerDependencies: { 'left-pad': '^9.0.0' } } },
  ]);
});
afterAll(() => registry.close());

beforeEach(() => {
  address = registry.url;
  workspace = createWorkspace({ 'package.json': '{"name":"app","version":"1.0.0"}' });
});
afterEach(() => workspace.remove());

const contextOf = (more: Partial<SpawnSettings> = {}) => {
  const { exec, options } = spawnedExec({
    root: workspace.root,
    tool: npmInstall,
    ...more,
  });
  const context = workspace.contextFor(npmInstall, {
    exec,
    ...(more.signal && { signal: more.signal }),
  });
  return { context, options };
};
const run = (input: object, more: Partial<SpawnSettings> = {}) =>
  runTool(npmInstall, input, contextOf(more).context);

describe('npm_install examples', () => {
  it.each(titlesOf(npmInstall))('the example "%s" gives the documented result', (title) =>
    runExample(npmInstall, title, contextOf().context),
  );
});

describe('npm_install', () => {
  it('brings what a package needs, writes the lock file and package.json', async () => {
    const result = await run({ packages: [{ name: '@scope/tree' }] });
    expect(result).toMatchObject({ installedVersion: '2.0.0', changed: 0, removed: 0 });
    expect([...result.dependencies].sort()).toEqual(['@scope/tree@2.0.0', 'left-pad@1.3.0']);
    expect(JSON.parse(workspace.text('package.json'))).toMatchObject({
      dependencies: { '@scope/tree': '^2.0.0' },
    });
    expect(workspace.text('package-lock.json')).toContain('sha512-');
    expect(await run({})).toMatchObject({ installedVersion: '', installed: [], dependencies: [] });
  });

  it('runs no install scripts, whatever the project says', async () => {
    await run({ package: 'scripted' });
    workspace.put('.npmrc', 'ignore-scripts=false\nscript-shell=./evil.sh\n');
    await run({ package: 'scripted', version: '1.0.0' });
    expect(existsSync(join(workspace.root, 'pwned'))).toBe(false);
    // Control: the script does what it says when npm lets it.
    rmSync(join(workspace.root, '.npmrc'));
    rmSync(join(workspace.root, 'node_modules'), { recursive: true });
    await promisify(execFile)('npm', ['install', '--no-audit'], {
      cwd: workspace.root,
      env: { PATH: process.env.PATH ?? '', HOME: workspace.root, npm_config_registry: address },
    });
    expect(existsSync(join(workspace.root, 'pwned'))).toBe(true);
  });

  it('asks the registries of the user and no other', async () => {
    const { context, options } = contextOf();
    await runTool(npmInstall, { package: 'left-pad' }, context);
    expect(options[0]).toMatchObject({
      env: { npm_config_registry: address, 'npm_config_@scope:registry': address },
      hosts: [new URL(address).host],
    });
  });

  it('works in a folder below, and saves for development', async () => {
    workspace.put('sub/package.json', '{}');
    await run({ package: 'left-pad', dev: true, projectPath: 'sub' });
    expect(JSON.parse(workspace.text('sub/package.json'))).toEqual({
      devDependencies: { 'left-pad': '^1.3.0' },
    });
  });
});

describe('refusals of npm_install', () => {
  it.each([
    [{ package: '--global' }, 'package'],
    [{ package: '-g' }, 'package'],
    [{ package: './local' }, 'package'],
    [{ package: '../outside' }, 'package'],
    [{ package: 'user/repository' }, 'package'],
    [{ package: 'evil.tgz' }, 'package'],
    [{ package: 'git+https://example.org/x.git' }, 'package'],
    [{ package: 'a@npm:b' }, 'package'],
    [{ package: 'a\nb' }, 'package'],
    [{ package: 'a\0' }, 'package'],
    [{ package: 'a', version: 'file:../x' }, 'version'],
    [{ package: 'a', version: 'https://example.org/x.tgz' }, 'version'],
    [{ package: 'a', version: '-g' }, 'version'],
    [{ version: '1' }, 'version'],
    [{ package: 'a', packages: [{ name: 'b' }] }, 'packages'],
    [{ packages: [{ name: '--prefix=/' }] }, 'packages'],
    [{ package: 'a', projectPath: 'x\ny' }, 'projectPath'],
  ])('%j is refused at %s', async (input, field) => {
    const failure = await run(input).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'ZodError' });
    const { issues } = failure as { issues: { path: unknown[] }[] };
    expect(issues.map(({ path }) => path[0])).toContain(field);
  });

  it.each([
    [{ package: 'no-such-package' }, 'NOT_FOUND'],
    [{ package: 'left-pad', version: '99.0.0' }, 'NOT_FOUND'],
    [{ packages: [{ name: 'picky' }, { name: 'left-pad', version: '1.1.0' }] }, 'CONFLICT'],
    [{ package: 'left-pad', projectPath: 'missing' }, 'VALIDATION_ERROR'],
    [{ package: 'left-pad', projectPath: 'empty' }, 'PRECONDITION_FAILED'],
    [{ package: 'left-pad', projectPath: '..' }, 'SECURITY_VIOLATION'],
  ])('fails for %j with %s', async (input, code) => {
    workspace.put('empty/x', '');
    await expect(run(input)).rejects.toMatchObject({ code });
  });

  it('says that the registry cannot be reached', async () => {
    address = 'http://127.0.0.1:9';
    await expect(run({ package: 'left-pad' })).rejects.toMatchObject({ code: 'NETWORK' });
  });

  it('says how to get npm, and stops when cancelled', async () => {
    const exec = async () => ({ exitCode: 127, stdout: '', stderr: '' });
    const context = workspace.contextFor(npmInstall, { exec });
    await expect(runTool(npmInstall, { package: 'a' }, context)).rejects.toMatchObject({
      code: 'DEPENDENCY_MISSING',
    });
    const signal = AbortSignal.abort();
    await expect(run({ package: 'a' }, { signal })).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it.each([
    ['garbage', ''],
    ['', 'npm error code E401\n'],
    ['{}', 'Connection to evil.test:443 refused: no.\n'],
    ['[]', 'npm error code EWHATEVER\n'],
  ])('has a code for %j %j', async (stdout, stderr) => {
    const exec = async () => ({ exitCode: 1, stdout, stderr });
    const context = workspace.contextFor(npmInstall, { exec });
    await expect(runTool(npmInstall, { package: 'a' }, context)).rejects.toMatchObject({
      code: expect.stringMatching(/EXECUTION_FAILED|AUTH_MISSING|PERMISSION_DENIED/),
    });
  });
});

/** Programs that are no part of the system: packages beside this one, and a Node of the user's own. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isMissing } from '../../../test/fixtures/needed-programs.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { createProcessSandbox } from './create-process-sandbox.ts';
import { findPackagedProgram } from './packaged-program.ts';

const missing = isMissing('bwrap');

let folder = '';
const put = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const manifest = (name: string, more: object) =>
  put(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', ...more }));
const from = () => join(folder, 'src', 'x.js');

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolcrib-packaged-'));
  // Whoever the sandbox runs as may look into it.
  chmodSync(folder, 0o755);
  manifest('greet', {
    bin: { greet: 'bin/greet.js' },
    optionalDependencies: { '@greet/here': '1', '@greet/elsewhere': '1' },
  });
  manifest('@greet/here', { main: 'index.js' });
  put('node_modules/@greet/here/index.js', 'module.exports = "hello";');
  put(
    'node_modules/greet/bin/greet.js',
    'console.log(require("@greet/here"), ...process.argv.slice(2), __dirname);',
  );
  manifest('climber', { bin: '../greet/bin/greet.js' });
  manifest('library', {});
  manifest('plain', { bin: 'run.js' });
});
afterAll(() => rmSync(folder, { recursive: true }));

const open = (node: string) =>
  createProcessSandbox({
    platform: process.platform,
    processor: process.arch,
    cores: 2,
    identity: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
    node,
    runtime: createRuntime(),
    masks: { isSecret: () => false, isProtected: () => false },
    packaged: (name) => (name === 'greet' ? findPackagedProgram(name, from()) : undefined),
  });
const run = (argv: readonly string[], node = process.execPath) =>
  open(node).run({
    task: { kind: 'command', argv },
    config: { type: 'process', timeLimit: 30_000 },
    signal: new AbortController().signal,
  });

describe('a packaged program', { timeout: 30_000 }, () => {
  it('is found with the parts that are installed', () => {
    const found = findPackagedProgram('greet', from());
    expect(found?.script).toBe('/opt/programs/node_modules/greet/bin/greet.js');
    expect(found?.folders.map(([, place]) => place)).toEqual([
      '/opt/programs/node_modules/greet',
      '/opt/programs/node_modules/@greet/here',
    ]);
    expect(findPackagedProgram('plain', from())?.script).toMatch(/plain\/run\.js$/);
  });

  it.each(['absent', 'climber', 'library', '../greet', '__proto__'])('is not found: %s', (name) => {
    expect(findPackagedProgram(name, from())).toBeUndefined();
  });

  it.skipIf(missing)(
    'runs in the sandbox, which does not learn its folder on the host',
    async () => {
      const { stdout, exitCode } = await run(['greet', '--loud', 'x']);
      expect(stdout).toBe('hello --loud x /opt/programs/node_modules/greet/bin\n');
      expect(exitCode).toBe(0);
    },
  );

  it.skipIf(missing)(
    'that is not installed is DEPENDENCY_MISSING, like any other program',
    async () => {
      await expect(run(['no-such-program'])).rejects.toMatchObject({ code: 'DEPENDENCY_MISSING' });
      await expect(run(['plain'])).rejects.toMatchObject({ code: 'DEPENDENCY_MISSING' });
    },
  );

  it.skipIf(missing)('npm runs with a Node outside the system folders', async () => {
    const home = join(folder, 'home');
    mkdirSync(join(home, 'bin'), { recursive: true });
    mkdirSync(join(home, 'lib', 'node_modules', 'npm', 'bin'), { recursive: true });
    copyFileSync(process.execPath, join(home, 'bin', 'node'));
    const script = join(home, 'lib/node_modules/npm/bin/npm-cli.js');
    writeFileSync(script, '#!/usr/bin/env node\nconsole.log("npm at", process.execPath);\n', {
      mode: 0o755,
    });
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(home, 'bin', 'npm'));
    const node = join(home, 'bin', 'node');
    const { stdout } = await run(['npm'], node);
    expect(stdout).toBe(`npm at ${node}\n`);
  });
});

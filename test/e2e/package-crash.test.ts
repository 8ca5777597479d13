/** An installation that is killed leaves what was installed before, and nothing half. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { countingTool, manifestText } from '../fixtures/package-crib.ts';
import { packageTarball } from '../fixtures/tarballs.ts';
import { builtCli } from './built-cli.ts';

vi.setConfig({ testTimeout: 120_000 });

const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolcrib-package-crash-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const env = { PATH: process.env.PATH, HOME: root, TOOLCRIB_HOME: join(root, 'user') };
const packages = join(root, 'user', 'packages');

const start = (...args: readonly string[]) =>
  spawn(process.execPath, [builtCli(), ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });

const run = async (...args: readonly string[]): Promise<string> => {
  const child = start(...args);
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += String(chunk);
  });
  await once(child, 'close');
  return out;
};

/** Many files, so that writing them takes a while. */
const tarball = (version: string, extra: number): Buffer =>
  packageTarball({
    'package.json': manifestText('counting', version),
    'tools/count.yml': countingTool('count_text', { version }),
    ...Object.fromEntries(Array.from({ length: extra }, (_, at) => [`data/${at}.txt`, 'x'])),
  });

const isWriting = (): boolean =>
  existsSync(packages) &&
  readdirSync(packages).some(
    (name) => name.startsWith('.staging-') && existsSync(join(packages, name, 'package', 'data')),
  );

describe('toolcrib install, killed while it writes the files', () => {
  it('keeps the version before, and the next installation works', async () => {
    writeFileSync(join(root, 'one.tgz'), tarball('1.0.0', 1));
    writeFileSync(join(root, 'two.tgz'), tarball('2.0.0', 3900));
    await run('install', './one.tgz', '--yes');
    const before = readFileSync(join(root, 'user', 'packages.lock'), 'utf8');
    const child = start('install', './two.tgz', '--yes');
    while (!isWriting() && child.exitCode === null) await new Promise((go) => setTimeout(go, 1));
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(child.signalCode).toBe('SIGKILL');
    expect(readFileSync(join(root, 'user', 'packages.lock'), 'utf8')).toBe(before);
    expect(readdirSync(join(packages, 'counting'))).toEqual(['1.0.0']);
    const after = JSON.parse(await run('packages', 'list', '--json')) as { packages: unknown[] };
    expect(after.packages).toMatchObject([{ version: '1.0.0', state: 'ready' }]);
    expect(await run('install', './two.tgz', '--yes')).toContain('Installed counting 2.0.0');
    expect(readdirSync(join(packages, 'counting'))).toEqual(['2.0.0']);
  });
});

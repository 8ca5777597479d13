/** The text of the macOS profile. It has never been run: there is no such machine in CI. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ResourceLimits } from '../../contract/sandbox.ts';
import { runLimits } from '../run-limits.ts';
import { seatbeltLaunch } from './seatbelt-launch.ts';

const MACHINE = {
  processor: 'arm64',
  cores: 8,
  identity: { uid: 501, gid: 20 },
  node: '/opt/node/bin/node',
};

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'toolcrib-"seatbelt-')));
  mkdirSync(join(folder, '.git'));
  writeFileSync(join(folder, '.env'), 'x');
});
afterEach(() => rmSync(folder, { recursive: true }));

const launch = (access: { read?: string[]; write?: string[] }, resourceLimits?: ResourceLimits) => {
  const config = {
    type: 'process',
    fileSystemAccess: access,
    ...(resourceLimits && { resourceLimits }),
  } as const;
  return seatbeltLaunch(MACHINE, {
    config,
    limits: runLimits(config),
    argv: ['ls', '-l'],
    cwd: undefined,
    needsNode: false,
    masks: {
      isSecret: ({ below }) =>
        below[0] === '.env' || below.slice(-2).join('/') === '.docker/config.json',
      isProtected: (below) => below[0] === '.git',
    },
  });
};

it('the Seatbelt profile lets nobody rename a folder whose name makes its files secret', () => {
  mkdirSync(join(folder, '.docker'));
  writeFileSync(join(folder, '.docker', 'config.json'), 'x');
  const profile = launch({ write: [folder] }).argv[2] ?? '';
  const shown = folder.replaceAll('"', '\\"');
  expect(profile).toContain(`(deny file-write-unlink (literal "${shown}/.docker"))`);
});

it('the Seatbelt profile denies by default, allows the granted folder, and denies the secrets in it', () => {
  const profile = launch({ write: [folder] }).argv[2] ?? '';
  const shown = folder.replaceAll('"', '\\"');
  expect(profile.split('\n').slice(0, 2)).toEqual(['(version 1)', '(deny default)']);
  const allowed = profile.indexOf(`(allow file-read* file-write* (subpath "${shown}"))`);
  const secret = profile.indexOf(`(deny file-read* file-write* (subpath "${shown}/.env"))`);
  const kept = profile.indexOf(`(deny file-write* (subpath "${shown}/.git"))`);
  expect(allowed).toBeGreaterThan(0);
  expect(secret).toBeGreaterThan(allowed);
  expect(kept).toBeGreaterThan(allowed);
  expect(profile).toContain('(deny network*)');
});

it('the Seatbelt profile denies writing where only reading is granted', () => {
  const profile = launch({ read: [folder] }).argv[2] ?? '';
  expect(profile).not.toContain('(allow file-read* file-write*');
});

it('the Seatbelt launch has an empty environment and unchanged arguments', () => {
  const { argv, cwd } = launch({ read: [folder] });
  expect(argv.slice(0, 2)).toEqual(['sandbox-exec', '-p']);
  expect(argv.slice(3, 5)).toEqual(['env', '-i']);
  expect(cwd).toBe(folder);
  expect(argv.slice(-2)).toEqual(['ls', '-l']);
});

it.each(['memoryMb', 'processes', 'cpus'])(
  'the Seatbelt launch refuses the limit %s, which macOS cannot enforce',
  (name) => {
    expect(() => launch({}, { [name]: 1 })).toThrow(name);
  },
);

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { homeOf, ownerFault, userConfigDir } from './find-config-files.ts';
import { readConfigFile } from './read-config-file.ts';

describe('userConfigDir', () => {
  const at = (platform: NodeJS.Platform, env: Record<string, string> = {}) =>
    userConfigDir({ cwd: '/cwd', env, home: '/home/me', platform });

  it('is the configuration folder of each platform', () => {
    expect(at('linux')).toBe(join('/home/me', '.config', 'toolcrib'));
    expect(at('darwin')).toBe(join('/home/me', 'Library', 'Application Support', 'toolcrib'));
    expect(at('win32', { APPDATA: '/roaming' })).toBe(join('/roaming', 'toolcrib'));
    expect(at('win32')).toBe(join('/home/me', 'AppData', 'Roaming', 'toolcrib'));
  });

  it('follows XDG where it is absolute, and TOOLCRIB_HOME before all', () => {
    expect(at('linux', { XDG_CONFIG_HOME: '/xdg' })).toBe(join('/xdg', 'toolcrib'));
    expect(at('linux', { XDG_CONFIG_HOME: 'xdg' })).toBe(join('/home/me', '.config', 'toolcrib'));
    expect(at('darwin', { XDG_CONFIG_HOME: '/xdg', TOOLCRIB_HOME: '/own' })).toBe('/own');
    expect(at('linux', { TOOLCRIB_HOME: 'own' })).toBe(join('/cwd', 'own'));
  });
});

describe('homeOf', () => {
  it('is HOME, then USERPROFILE, then the home directory of the system', () => {
    expect(homeOf({ HOME: '/h', USERPROFILE: '/u' })).toBe('/h');
    expect(homeOf({ HOME: '', USERPROFILE: '/u' })).toBe('/u');
    expect(homeOf({})).not.toBe('');
  });
});

describe('a planted configuration file', () => {
  it('is refused when it belongs to another user', () => {
    const owners = { self: 1000, directory: 1001 };
    expect(ownerFault(1000, owners)).toBeUndefined();
    expect(ownerFault(1001, owners)).toBeUndefined();
    expect(ownerFault(0, owners)).toBeUndefined();
    expect(ownerFault(1002, owners)).toMatch(/belongs to another user; set TOOLCRIB_CONFIG/);
  });

  it.skipIf(process.platform === 'win32')('does not hang the start as a pipe', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'toolcrib-pipe-'));
    try {
      const pipe = join(directory, 'sub', 'config.yml');
      await mkdir(join(directory, 'sub'));
      await promisify(execFile)('mkfifo', [pipe]);
      const { problems } = await readConfigFile(pipe);
      expect(problems).toEqual([{ file: pipe, path: '', message: 'is not a regular file' }]);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

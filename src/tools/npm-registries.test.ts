/** The registries of the npm configuration: read from what npm prints, and from npm itself. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  readRegistries,
  registryHosts,
  registryVariables,
  userRegistries,
} from './npm-registries.ts';

afterEach(() => void vi.unstubAllEnvs());

const SETTINGS = JSON.stringify({
  registry: 'https://user:canary@packages.test/npm/',
  '@team:registry': 'http://team.test:4873/',
  '@odd name:registry': 'http://odd.test/',
  '__proto__:registry': 'http://odd.test/',
  'init-version': '1.0.0',
});

describe('the npm registries', () => {
  it('are the main one and those of scopes, without credentials', () => {
    const registries = readRegistries(SETTINGS);
    expect(registries).toEqual({
      main: 'https://packages.test/npm/',
      scopes: { '@team': 'http://team.test:4873/' },
    });
    expect(registryHosts(registries)).toEqual(['packages.test:443', 'team.test:4873']);
    expect(registryHosts({ main: 'http://[::1]/', scopes: {} })).toEqual(['[::1]:80']);
    expect(registryVariables(registries)).toEqual({
      npm_config_registry: 'https://packages.test/npm/',
      'npm_config_@team:registry': 'http://team.test:4873/',
    });
  });

  it.each([
    '',
    'x',
    'null',
    '[]',
    '{}',
    '{"registry":1}',
    '{"registry":"x"}',
    '{"registry":"file:///x"}',
  ])('threat: %j is no configuration', (text) => {
    expect(() => readRegistries(text)).toThrow(
      expect.objectContaining({ code: 'PRECONDITION_FAILED' }),
    );
  });

  it('come from the file of the user', { timeout: 60_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolcrib-npmrc-'));
    const file = join(folder, 'npmrc');
    writeFileSync(file, 'registry=http://mine.test:1234/\n@team:registry=http://team.test/\n');
    vi.stubEnv('npm_config_registry', undefined);
    vi.stubEnv('NPM_CONFIG_REGISTRY', undefined);
    vi.stubEnv('npm_config_userconfig', file);
    expect(await userRegistries()).toEqual({
      main: 'http://mine.test:1234/',
      scopes: { '@team': 'http://team.test/' },
    });
    rmSync(folder, { recursive: true });
  });

  it('fail with how to install npm where Node comes without it', async () => {
    await expect(userRegistries('/nowhere/node')).rejects.toMatchObject({
      code: 'DEPENDENCY_MISSING',
      extras: { suggestions: [expect.stringContaining('apt-get install npm')] },
    });
  });
});

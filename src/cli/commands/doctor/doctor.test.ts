import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import type { CribHost } from '../../../contract/crib-host.ts';
import type { HealthCheck, HealthCheckResult } from '../../../contract/health.ts';
import type { LoadedConfig } from '../../../trust/load-config.ts';
import { healthLines } from './crib-checks.ts';
import { checkBrowser, checkNode, checkRipgrep, checkSqlite } from './machine-checks.ts';
import { checkTrail, checkTrust, checkWorkspace } from './project-checks.ts';

const loaded = (config: object) => ({ config }) as unknown as LoadedConfig;

describe('checkNode', () => {
  it.each([
    ['18.20.0', 'broken'],
    ['20.18.9', 'broken'],
    ['20.19.0', 'ok'],
    ['24.0.0', 'ok'],
  ])('%s is %s', (version, state) => {
    expect(checkNode(version).state).toBe(state);
  });
});

describe('checkSqlite', () => {
  it('uses the SQLite of Node from 22.13 on, the package before', async () => {
    expect((await checkSqlite('22.13.0')).message).toContain('comes with this Node');
    expect((await checkSqlite('20.19.0')).message).toContain('@photostructure/sqlite');
  });
});

describe('checkRipgrep', () => {
  it('finds a program on the PATH, and not a folder or a plain file of that name', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'toolcrib-doctor-'));
    const { io } = fakeIo({ env: { PATH: ['', '/nowhere', folder].join(delimiter) } });
    await writeFile(join(folder, 'rg'), '#!/bin/sh\n', { mode: 0o644 });
    expect((await checkRipgrep(io)).state).toBe('warning');
    await chmod(join(folder, 'rg'), 0o755);
    expect(await checkRipgrep(io)).toMatchObject({
      state: 'ok',
      message: expect.stringContaining(folder),
    });
  });
});

describe('checkBrowser', () => {
  const EMPTY = { folders: ['/nowhere'] };

  it('says what web_scrape lacks to render pages, and how to get it', async () => {
    expect(await checkBrowser(EMPTY, async () => undefined)).toEqual({
      name: 'browser',
      state: 'warning',
      message: expect.stringContaining('a Chromium and the package playwright-core not found'),
      fix: 'Install it: npm install playwright-core, then npx playwright-core install chromium',
    });
    expect(await checkBrowser(EMPTY, async () => '/nowhere/chromium')).toMatchObject({
      fix: 'Install it: npx playwright-core install chromium',
    });
  });

  it('is content with a browser that there is, if the library is there as well', async () => {
    const location = { executablePath: process.execPath };
    expect((await checkBrowser(location, async () => '')).state).toBe('ok');
    expect(await checkBrowser(location, async () => undefined)).toMatchObject({
      state: 'warning',
      fix: 'Install it: npm install playwright-core',
    });
  });
});

describe('checkTrust', () => {
  const trustOf = (trust: object, narrowed: readonly object[] = []) =>
    checkTrust({
      trust: { projectDir: '/p', problems: [], ...trust },
      narrowed,
    } as unknown as LoadedConfig);

  it.each([
    ['none', 'ok', /^No project/],
    ['trusted', 'ok', /^\/p is trusted/],
    ['untrusted', 'warning', /^\/p is not trusted, so its configuration is ignored/],
    [
      'changed',
      'warning',
      /^\/p has changed since you trusted it \(a, b\)\. What you trusted stays in force/,
    ],
  ])('%s is %s', (state, expected, message) => {
    const changed = state === 'changed' ? { changed: ['a', 'b'] } : {};
    expect(trustOf({ state, ...changed })).toMatchObject([
      { name: 'trust', state: expected, message: expect.stringMatching(message) },
    ]);
  });

  it('lists what keeps a project from being trusted, and which settings it did not get', () => {
    const problems = [{ file: '/p/.toolcrib/config.yml', path: '', message: 'is a link' }];
    expect(trustOf({ state: 'untrusted', problems })[1]).toMatchObject({
      state: 'warning',
      message: '/p/.toolcrib/config.yml: is a link',
    });
    const narrowed = [{ path: 'budget.dailyUsd', origin: 'x.yml:1', message: 'not raised' }];
    expect(trustOf({ state: 'trusted' }, narrowed)[1]).toMatchObject({
      state: 'warning',
      message: 'x.yml:1: budget.dailyUsd: not raised',
    });
  });
});

describe('checkWorkspace', () => {
  it('is broken when the folder is missing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'toolcrib-doctor-'));
    const here = loaded({ workspace: { root: '.' } });
    expect((await checkWorkspace(here, folder)).state).toBe('ok');
    expect((await checkWorkspace(here, join(folder, 'gone'))).state).toBe('broken');
  });
});

describe('checkTrail', () => {
  const cribWith = (parts: object) =>
    ({ store: async () => ({ label: 'x' }), ...parts }) as CribHost;

  it('says how many rows of the audit chain were verified', async () => {
    const crib = cribWith({
      audit: { verify: async () => ({ ok: true, rows: 3, head: undefined }) },
    });
    expect(await checkTrail(crib)).toMatchObject([
      { state: 'ok', message: '3 audit rows, chain whole' },
    ]);
  });

  it('is broken when the chain is, or cannot be read', async () => {
    const problem = { kind: 'edited', seq: 2, message: 'Row 2 was changed.' };
    const edited = cribWith({ audit: { verify: async () => ({ ok: false, rows: 3, problem }) } });
    expect(await checkTrail(edited)).toMatchObject([
      { state: 'broken', message: expect.stringContaining('Row 2 was changed.') },
    ]);
    const torn = cribWith({ audit: { verify: () => Promise.reject(new Error('disk I/O error')) } });
    expect(await checkTrail(torn)).toMatchObject([
      { state: 'broken', message: expect.stringContaining('disk I/O error') },
    ]);
  });

  it('says nothing of a store that cannot be opened: the check of the store does', async () => {
    const shut = cribWith({ store: () => Promise.reject(new Error('disk I/O error')) });
    expect(await checkTrail(shut)).toEqual([]);
  });
});

const result = (name: string, check: Omit<HealthCheck, 'name'>): HealthCheckResult => ({
  subject: `tool:${name}`,
  kind: 'tool',
  name,
  timestamp: 1,
  durationMs: 1,
  healthy: check.state !== 'broken',
  state: check.state === 'broken' ? 'unwell' : 'well',
  checks: [{ name: 'own check', ...check }],
});

describe('healthLines', () => {
  it('shows each part, and sums tools up: those that fail apart from those not set up', () => {
    const broken = { state: 'broken', message: 'no' } as const;
    const lines = healthLines({
      healthy: false,
      ready: true,
      timestamp: 1,
      checks: [
        { ...result('store', { state: 'ok', message: 'It opens' }), kind: 'store' },
        result('good', { state: 'ok', message: 'fine' }),
        result('down', broken),
        result('unset', { ...broken, notSetUp: true }),
      ],
    });
    expect(lines.map(({ state, message }) => [state, message])).toEqual([
      ['ok', 'It opens'],
      ['ok', '1 of 3 tools would work'],
      ['broken', 'Failing: down'],
      ['warning', 'Not set up here: unset'],
    ]);
  });
});

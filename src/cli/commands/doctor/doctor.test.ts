import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import type { CribHost } from '../../../contract/crib-host.ts';
import type { LoadedConfig } from '../../../trust/load-config.ts';
import {
  checkModel,
  checkNode,
  checkRipgrep,
  checkSandboxes,
  checkSqlite,
} from './machine-checks.ts';
import { checkStore, checkTrust, checkWorkspace } from './project-checks.ts';

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

describe('checkSandboxes', () => {
  it('says of each kind of sandbox whether it works here, and how to install it', async () => {
    const missing = { ready: false, reason: 'No engine.', install: 'Install Podman.' } as const;
    const sandboxes = async () => [
      { type: 'wasm' as const, ready: true as const },
      { type: 'container' as const, ...missing },
    ];
    const list = () => [
      { tool: { name: 'boxed', sandbox: { type: 'container' } } },
      { tool: { name: 'free' } },
    ];
    const crib = { health: { sandboxes }, tools: { list } } as unknown as CribHost;
    expect(await checkSandboxes(crib)).toEqual([
      { name: 'wasm', state: 'ok', message: 'Sandbox wasm works' },
      {
        name: 'container',
        state: 'warning',
        message: 'No container sandbox: No engine. These tools cannot run without it: boxed.',
        fix: 'Install Podman.',
      },
    ]);
  });
});

describe('checkModel', () => {
  it('warns without a model, and never fails', () => {
    expect(checkModel(loaded({})).state).toBe('warning');
    expect(checkModel(loaded({ model: { provider: 'anthropic', model: 'm' } })).state).toBe('ok');
  });

  it('does not call a model ready whose packages are not installed', () => {
    const model = loaded({ model: { provider: 'anthropic', model: 'm' } });
    const without = checkModel(model, (name) => name !== '@ai-sdk/anthropic');
    expect(without).toMatchObject({
      state: 'warning',
      message: 'm (anthropic) cannot be asked: @ai-sdk/anthropic is not installed',
      fix: 'npm install ai@6 @ai-sdk/anthropic',
    });
    const other = loaded({ model: { provider: 'no-such-provider', model: 'm' } });
    expect(checkModel(other).state).toBe('warning');
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

describe('checkStore', () => {
  const cribWith = (parts: object) =>
    ({ store: async () => ({ label: 'x' }), ...parts }) as CribHost;

  it('says how many rows of the audit chain were verified', async () => {
    const crib = cribWith({
      audit: { verify: async () => ({ ok: true, rows: 3, head: undefined }) },
    });
    expect(await checkStore(crib)).toMatchObject({
      state: 'ok',
      message: 'x opens; 3 audit rows, chain whole',
    });
  });

  it('is broken when the chain is, or the file cannot be opened', async () => {
    const problem = { kind: 'edited', seq: 2, message: 'Row 2 was changed.' };
    const edited = cribWith({ audit: { verify: async () => ({ ok: false, rows: 3, problem }) } });
    expect(await checkStore(edited)).toMatchObject({
      state: 'broken',
      message: expect.stringContaining('Row 2 was changed.'),
    });
    const shut = cribWith({ store: () => Promise.reject(new Error('disk I/O error')) });
    expect(await checkStore(shut)).toMatchObject({
      state: 'broken',
      message: expect.stringContaining('disk I/O error'),
    });
  });
});

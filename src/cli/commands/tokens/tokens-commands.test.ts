import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import { runCli } from '../../run-cli.ts';

const TIME_LIMIT = 30_000;
const TOKEN = /^tc_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/;

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'cli-tokens-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = async (...args: readonly string[]) => {
  const { io, out, err } = fakeIo({
    json: args.includes('--json'),
    cwd: folder,
    env: { HOME: folder, TOOLCRIB_HOME: join(folder, 'home') },
  });
  const code = await runCli(['tokens', ...args], io);
  return { code, out: out(), err: err() };
};

describe('toolcrib tokens', { timeout: TIME_LIMIT }, () => {
  it('creates a token that is alone on stdout, for scripts', async () => {
    const { code, out, err } = await run('create', 'ci', '--role', 'agent');
    expect(code).toBe(0);
    expect(out.trim()).toMatch(TOKEN);
    expect(err).not.toContain(out.trim());
  });

  it('stores the token nowhere: neither in the list nor in the store', async () => {
    const { out } = await run('create', 'ci');
    const secret = out.trim().split('_').slice(2).join('_');
    const listed = await run('list', '--json');
    expect(listed.out).toContain('"ci"');
    expect(listed.out).not.toMatch(/"hash"/);
    const files = ['state.db', 'state.db-wal'].map((name) => {
      try {
        return readFileSync(join(folder, '.toolcrib', name)).toString('latin1');
      } catch {
        return '';
      }
    });
    expect(files.join('')).toContain('ci');
    expect(listed.out + files.join('')).not.toContain(secret);
  });

  it('takes the limits of a token', async () => {
    const bounds = [
      '--tools',
      'calculator,datetime',
      '--daily-usd',
      '2.5',
      '--isolation',
      'strict',
    ];
    const { code, out } = await run('create', 'narrow', ...bounds, '--expires', '30d', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      name: 'narrow',
      role: 'agent',
      policy: { tools: ['calculator', 'datetime'], dailyUsd: 2.5, isolation: 'strict' },
      expiresAt: expect.any(Number),
    });
  });

  it('revokes by name, and then says so', async () => {
    await run('create', 'ci');
    expect((await run('revoke', 'ci')).code).toBe(0);
    expect((await run()).out).toContain('revoked');
    const again = await run('revoke', 'ci');
    expect([again.code, again.err]).toEqual([
      2,
      expect.stringContaining('no valid token of that name'),
    ]);
  });

  it('says how to create a token when there is none', async () => {
    const { code, err } = await run();
    expect(code).toBe(0);
    expect(err).toContain('toolcrib tokens create');
  });

  it.each([
    ['a name that could be a rule', ['create', '*']],
    ['a name with a control character', ['create', 'a\u001b[31m']],
    ['a role that does not exist', ['create', 'x', '--role', 'root']],
    ['a level that does not exist', ['create', 'x', '--isolation', 'maximum']],
    ['no amount', ['create', 'x', '--daily-usd', '-1']],
    ['no name', ['create']],
  ])('refuses %s', async (_, args) => {
    const { code, out } = await run(...args);
    expect([code, out]).toEqual([2, '']);
  });

  it('refuses a second token of a name that is in use', async () => {
    await run('create', 'ci');
    const { code, err } = await run('create', 'ci');
    expect(code).not.toBe(0);
    expect(err).toContain('in use');
  });
});

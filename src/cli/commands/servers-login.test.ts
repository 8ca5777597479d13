import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeIo } from '../../../test/fixtures/fake-io.ts';
import { type OauthServer, startOauthServer } from '../../../test/fixtures/oauth-server.ts';
import { runCli } from '../run-cli.ts';

let folder: string;
let server: OauthServer;
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'cli-login-')));
  server = await startOauthServer();
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Visits the login page as soon as its address is shown, as a person would. */
const run = async (...args: readonly string[]) => {
  const { io, out, err } = fakeIo({
    json: args.includes('--json'),
    cwd: folder,
    env: { HOME: folder, TOOLCRIB_HOME: join(folder, 'home') },
  });
  let visited = false;
  io.stderr.on('data', () => {
    const [page] = /http:\S+\/authorize\?\S+/.exec(err()) ?? [];
    if (page === undefined || visited) return;
    visited = true;
    void fetch(page).catch(() => undefined);
  });
  const code = await runCli(['servers', ...args], io);
  return { code, out: out(), err: err() };
};

const secrets = (): string => readFileSync(join(folder, 'home', 'secrets.json'), 'utf8');
const config = (): string => readFileSync(join(folder, 'home', 'config.yml'), 'utf8');

describe('toolcrib servers login', { timeout: 30_000 }, () => {
  it('logs in, keeps the tokens as a secret, and logs out again', async () => {
    await run('add', 'guarded', '--url', server.url);
    const { code, out, err } = await run('login', 'guarded', '--no-browser');
    expect(err).toContain('Open the login page of 127.0.0.1:');
    expect(code).toBe(0);
    expect(out).toBe('✓ Logged in: guarded\n');
    expect(secrets()).toContain('access-');
    expect(out + err + config()).not.toMatch(/access-|refresh-/);
    const left = await run('logout', 'guarded', '--json');
    expect(JSON.parse(left.out)).toEqual({ server: 'guarded', removed: true });
    expect(secrets()).not.toContain('access-');
    expect(server.revoked).toHaveLength(1);
    expect((await run('logout', 'guarded')).out).toBe('Nobody is logged in: guarded\n');
  });

  it('as JSON: the state, and no token', async () => {
    await run('add', 'guarded', '--url', server.url);
    const { out } = await run('login', 'guarded', '--no-browser', '--json');
    expect(JSON.parse(out)).toMatchObject({ server: 'guarded', state: 'signed_in' });
    expect(out).not.toContain('access-');
  });

  it('removing the server forgets its login', async () => {
    await run('add', 'guarded', '--url', server.url);
    await run('login', 'guarded', '--no-browser');
    expect((await run('remove', 'guarded')).code).toBe(0);
    expect(secrets()).not.toContain('access-');
  });

  it('a person who refuses is told so', async () => {
    server.faults.callback = (query) => {
      query.delete('code');
      query.set('error', 'access_denied');
    };
    await run('add', 'guarded', '--url', server.url);
    const { code, err } = await run('login', 'guarded', '--no-browser');
    expect(code).toBe(3);
    expect(err).toContain('The login was refused.');
  });
});

import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import { type OauthServer, startOauthServer } from '../../../../test/fixtures/oauth-server.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import { createRuntime } from '../../../crib/create-runtime.ts';
import type { Io } from '../../io.ts';
import { runCli } from '../../run-cli.ts';

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

/** The seconds of the progress line are moments here; what waits for a person waits as ever. */
const hasty = (real = createRuntime()): Runtime => ({
  ...real,
  after: (ms, callback) => real.after(ms <= 1000 ? 1 : ms, callback),
});

/** Visits the login page as soon as its address is shown, as a person would. */
const start = (args: readonly string[], over: Partial<Io> = {}) => {
  const { io, out, err } = fakeIo({
    json: args.includes('--json'),
    cwd: folder,
    env: { HOME: folder, TOOLCRIB_HOME: join(folder, 'home') },
    ...over,
  });
  let visited = false;
  io.stderr.on('data', () => {
    const [page] = /http:\S+\/authorize\?\S+/.exec(err()) ?? [];
    if (page === undefined || visited) return;
    visited = true;
    void fetch(page).catch(() => undefined);
  });
  const done = runCli(['servers', ...args], io).then((code) => ({ code, out: out(), err: err() }));
  return { io, err, done };
};

const run = (...args: readonly string[]) => start(args).done;

const secrets = (): string => readFileSync(join(folder, 'home', 'secrets.json'), 'utf8');
const config = (): string => readFileSync(join(folder, 'home', 'config.yml'), 'utf8');

describe('toolcrib servers login', { timeout: 30_000 }, () => {
  it('logs in, stores the tokens as a secret, and logs out again', async () => {
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
    expect((await run('logout', 'guarded')).out).toBe('You are not logged in: guarded\n');
  });

  it('prints the state as JSON, without a token', async () => {
    await run('add', 'guarded', '--url', server.url);
    const { out } = await run('login', 'guarded', '--no-browser', '--json');
    expect(JSON.parse(out)).toMatchObject({ server: 'guarded', state: 'signed_in' });
    expect(out).not.toContain('access-');
  });

  it('removing the server deletes its tokens', async () => {
    await run('add', 'guarded', '--url', server.url);
    await run('login', 'guarded', '--no-browser');
    expect((await run('remove', 'guarded')).code).toBe(0);
    expect(secrets()).not.toContain('access-');
  });

  describe('with a login server that is slow', () => {
    /** Each of these paths answers only after the line was seen that belongs to it. */
    const slow = (err: () => string, lines: Readonly<Record<string, string>>): void => {
      server.faults.hold = async (path) => {
        const line = Object.hasOwn(lines, path) ? lines[path] : undefined;
        if (line !== undefined) await expect.poll(err, { timeout: 20_000 }).toContain(line);
      };
    };
    const metadata = '/.well-known/oauth-authorization-server';
    const finding = 'Asking guarded where to log in · ';
    const redeeming = 'Fetching the tokens · ';

    const onTerminal = (...args: readonly string[]) => {
      const started = start(args, { runtime: hasty() });
      Object.assign(started.io.stderr, { isTTY: true, columns: 80 });
      return started;
    };

    it('shows what it waits for before and after the person is asked, and clears the line', async () => {
      await run('add', 'guarded', '--url', server.url);
      const { err, done } = onTerminal('login', 'guarded', '--no-browser');
      slow(err, { [metadata]: finding, '/token': redeeming });
      const { code, out } = await done;
      expect([code, out]).toEqual([0, '✓ Logged in: guarded\n']);
      const [before = '', after = ''] = err().split('Waiting for you to log in there.');
      expect([before.includes(finding), before.includes(redeeming)]).toEqual([true, false]);
      expect([after.includes(finding), after.includes(redeeming)]).toEqual([false, true]);
      expect(before.slice(before.lastIndexOf(finding))).toContain('\r\u001b[2KOpen the login page');
      expect(after.slice(after.lastIndexOf(redeeming))).toContain('\r\u001b[2K');
    });

    it('shows what a logout waits for, too', async () => {
      await run('add', 'guarded', '--url', server.url);
      await run('login', 'guarded', '--no-browser');
      const { err, done } = onTerminal('logout', 'guarded');
      slow(err, { '/revoke': 'Logging out at the login server of guarded · ' });
      expect((await done).out).toBe('✓ Logged out: guarded\n');
    });

    it('clears the line after a failure', async () => {
      server.faults.callback = (query) => query.set('iss', 'https://other.example');
      await run('add', 'guarded', '--url', server.url);
      const { err, done } = onTerminal('login', 'guarded', '--no-browser');
      slow(err, { [metadata]: finding });
      expect((await done).code).not.toBe(0);
      const last = err().slice(err().lastIndexOf('\u001b[2K'));
      expect(last).not.toContain(' · ');
      expect(last).toContain('✗');
    });

    it('writes no progress without a terminal', async () => {
      await run('add', 'guarded', '--url', server.url);
      const { done } = start(['login', 'guarded', '--no-browser'], { runtime: hasty() });
      const { code, err } = await done;
      expect(code).toBe(0);
      expect(err).not.toContain('\u001b');
    });
  });

  it('says that the person refused the login', async () => {
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

/** `toolcrib health` on a project with a real MCP server that can break. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import { runCli } from '../../run-cli.ts';

const SERVER = join(import.meta.dirname, '../../../../test/fixtures/changing-server.mjs');

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'toolcrib-cli-health-')));
  for (const folder of ['user', 'project']) await mkdir(join(root, folder));
});

afterEach(() => rm(root, { recursive: true, force: true }));

const run = async (...args: readonly string[]) => {
  const { io, out, err } = fakeIo({
    cwd: join(root, 'project'),
    env: { HOME: root, TOOLCRIB_HOME: join(root, 'user'), PATH: process.env.PATH ?? '' },
    json: args.includes('--json'),
  });
  return { code: await runCli(['health', ...args], io), out: out(), err: err() };
};

const configureServer = (): Promise<void> => {
  const args = [SERVER, join(root, 'tools.json')];
  const demo = { command: process.execPath, args, tier: 'read_only' };
  return writeFile(
    join(root, 'user', 'config.yml'),
    JSON.stringify({ mcp: { servers: { demo } }, observation: { healthChecks: '0 * * * *' } }),
  );
};

describe('toolcrib health', { timeout: 60_000 }, () => {
  it('says how to check while nothing was checked', async () => {
    const { code, out } = await run();
    expect([code, out]).toEqual([0, expect.stringContaining('toolcrib doctor')]);
    expect(JSON.parse((await run('list', '--json')).out)).toEqual({ checks: [] });
    expect((await run('show', 'store')).out).toContain('toolcrib health check store');
  });

  it('checks one subject, lists what fails first, and shows how a state changed', async () => {
    await configureServer();
    await run('check', 'store');
    const broken = await run('check', 'server:demo');
    expect([broken.code, broken.out]).toEqual([1, expect.stringContaining('server:demo unwell')]);
    await writeFile(join(root, 'tools.json'), JSON.stringify({ lookup: 'Looks a word up.' }));
    const mended = await run('check', 'server:demo');
    expect([mended.code, mended.out]).toEqual([0, expect.stringContaining('demo: 1 tool')]);
    await rm(join(root, 'tools.json'));
    await run('check', 'server:demo');

    const list = await run();
    expect(list.code).toBe(1);
    expect(list.out.indexOf('server:demo')).toBeLessThan(list.out.indexOf('store '));
    expect(list.err).toContain('Something fails.');

    const shown = await run('show', 'server:demo', '--json');
    expect(JSON.parse(shown.out)).toMatchObject({
      subject: 'server:demo',
      last: { state: 'unwell' },
      changes: [{ state: 'unwell' }, { state: 'well' }, { state: 'unwell' }],
      schedules: [{ subject: 'all', cron: '0 * * * *', configured: true }],
    });
    const text = await run('show', 'server:demo');
    expect(text.out).toContain('Checked by schedule: 0 * * * * (UTC)');
    expect(text.out.match(/unwell/g)?.length).toBeGreaterThanOrEqual(3);
  });

  it('refuses a subject that does not exist, and names those that do', async () => {
    for (const command of ['show', 'check']) {
      const { code, err } = await run(command, 'server:nobody');
      expect([command, code, err]).toEqual([command, 2, expect.stringContaining('server:…')]);
    }
  });

  it('sets, lists and removes schedules of single subjects', async () => {
    await configureServer();
    const set = await run('schedule', 'server:demo', '*/5 * * * *', '--zone', 'Europe/Vienna');
    expect([set.code, set.out]).toEqual([0, expect.stringContaining('*/5 * * * *')]);
    expect(JSON.parse((await run('schedules', '--json')).out)).toEqual([
      { subject: 'all', cron: '0 * * * *', configured: true },
      { subject: 'server:demo', cron: '*/5 * * * *', timeZone: 'Europe/Vienna' },
    ]);
    const list = await run('schedules');
    expect(list.out).toContain('the configuration');
    for (const [subject, cron] of [
      ['server:demo', 'every day'],
      ['nobody', '0 * * * *'],
    ] as const) {
      expect((await run('schedule', subject, cron)).code, subject).toBe(2);
    }
    expect((await run('unschedule', 'server:demo')).code).toBe(0);
    const gone = await run('unschedule', 'server:demo');
    expect([gone.code, gone.err]).toEqual([2, expect.stringContaining('health schedules')]);
  });
});

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import { deniesTool, TeamWorld } from '../../../../test/fixtures/team-server.ts';
import { runCli } from '../../run-cli.ts';

const TIME_LIMIT = 90_000;

let world: TeamWorld;
let fingerprint: string;
beforeAll(async () => {
  world = new TeamWorld();
  await world.start();
  await world.publish(deniesTool('datetime'));
  const { body } = await world.ask<{ fingerprint: string }>('', await world.token('root', 'admin'));
  fingerprint = body.fingerprint;
}, TIME_LIMIT);
afterAll(() => world.close());

/** Runs a command as somebody who holds the token of that name. */
const runAs = async (
  name: string,
  role: 'viewer' | 'operator' | 'admin',
  args: readonly string[],
) => {
  const cwd = join(world.folder, `project-of-${name}`);
  mkdirSync(cwd, { recursive: true });
  const { io, out, err } = fakeIo({
    json: args.includes('--json'),
    cwd,
    env: {
      HOME: world.folder,
      TOOLCRIB_HOME: world.home(`home-of-${name}`),
      TEAM_CATALOG_TOKEN: await world.token(name, role),
    },
  });
  const code = await runCli(args, io);
  return { code, out: out(), err: err() };
};

const configOf = (name: string) => join(world.home(`home-of-${name}`), 'config.yml');

describe('toolcrib team on a client', { timeout: TIME_LIMIT }, () => {
  const run = (...args: readonly string[]) => runAs('zoe', 'viewer', args);

  it('does not join by itself: a person compares the key, or names it', async () => {
    const { code, err } = await run('team', 'join', world.url);
    expect([code, err]).toEqual([2, expect.stringContaining(fingerprint)]);
    expect(existsSync(configOf('zoe'))).toBe(false);
  });

  it('refuses a server with another key than the one named', async () => {
    const wrong = fingerprint.replace(/^..../, '0000');
    const { code, err } = await run('team', 'join', world.url, '--key', wrong);
    expect([code === 0, err]).toEqual([false, expect.stringContaining('a different key')]);
    expect(existsSync(configOf('zoe'))).toBe(false);
  });

  it('refuses an address over which the token could be read', async () => {
    const { code, err } = await run(
      'team',
      'join',
      'http://tools.example.com',
      '--key',
      fingerprint,
    );
    expect([code, err]).toEqual([2, expect.stringContaining('https')]);
  });

  it('joins, syncs, shows its state, and leaves', async () => {
    expect((await run('team')).err).toContain('You are in no team');
    const joined = await run('team', 'join', world.url, '--key', fingerprint);
    expect([joined.code, joined.out]).toEqual([0, expect.stringContaining('acme: 1 rule')]);
    expect(readFileSync(configOf('zoe'), 'utf8')).toContain('enabled: true');
    const denied = await run('run', 'datetime', '{"operation":"now"}');
    expect([denied.code === 0, denied.err]).toEqual([
      false,
      expect.stringContaining('PERMISSION_DENIED'),
    ]);
    await world.publish(deniesTool('calculator'));
    expect((await run('team', 'sync')).out).toContain('Bundle 2');
    expect((await run('team', 'sync')).out).toContain('is the latest');
    const { code, out } = await run('team', 'status', '--json');
    expect([code, JSON.parse(out)]).toMatchObject([0, { org: 'acme', bundle: { serial: 2 } }]);
    expect((await run('team', 'leave')).code).toBe(2);
    expect((await run('team', 'leave', '--yes')).code).toBe(0);
    expect((await run('run', 'calculator', '{"expression":"1+1"}')).code).toBe(0);
    const { out: trail } = await run('audit', 'export');
    const rows = trail.trim().split('\n');
    const events = rows.map((line) => JSON.parse(line) as { tool: string; status: string });
    const steps = events.filter(({ tool }) => tool.startsWith('team_'));
    expect(steps.map(({ status }) => status)).toEqual(['started', 'success', 'started', 'success']);
    const [entered, left] = steps.filter(({ status }) => status === 'success');
    expect(entered).toMatchObject({
      tool: 'team_join',
      at: expect.any(Number),
      detail: { org: 'acme', url: world.url, fingerprint, person: userInfo().username },
    });
    expect(left).toMatchObject({ tool: 'team_leave', detail: { org: 'acme' } });
  });

  it('lets a user leave whose record of the team was changed, and records it', async () => {
    const own = (...args: readonly string[]) => runAs('yan', 'viewer', args);
    await own('team', 'join', world.url, '--key', fingerprint);
    writeFileSync(join(world.home('home-of-yan'), 'keys', 'team.json'), '{}');
    expect((await own('team', 'leave', '--yes')).code).toBe(0);
    expect((await own('run', 'calculator', '{"expression":"1+1"}')).code).toBe(0);
  });

  it('refuses to switch off a tool that the team enforces', async () => {
    await world.publish({ kind: 'enforce', name: 'calculator' }, deniesTool('datetime'));
    await run('init', '--yes');
    await run('team', 'join', world.url, '--key', fingerprint);
    const { code, err } = await run('tools', 'disable', 'calculator');
    expect([code === 0, err]).toEqual([false, expect.stringContaining('enforced')]);
    await run('team', 'leave', '--yes');
  });
});

describe('toolcrib team and a server', { timeout: TIME_LIMIT }, () => {
  it('proposes, reviews, approves, publishes, rolls back and shows the history', async () => {
    const server = ['--server', world.url];
    const ann = (...args: readonly string[]) => runAs('ann', 'operator', [...args, ...server]);
    const ben = (...args: readonly string[]) => runAs('ben', 'admin', [...args, ...server]);
    mkdirSync(join(world.folder, 'project-of-ann'), { recursive: true });
    const file = join(world.folder, 'project-of-ann', 'shout.yml');
    writeFileSync(file, world.toolText('hi'));
    const proposed = await ann('team', 'propose', 'tool', 'shout.yml', '--json');
    const { id } = JSON.parse(proposed.out) as { id: string };
    const listed = await ben('team', 'review');
    expect(listed.out).toContain('put tool shout.yml');
    expect((await ben('team', 'review', id.slice(0, 8))).out).toContain('export async function');
    const own = await ann('team', 'approve', id, '--yes');
    expect([own.code === 0, own.err]).toEqual([false, expect.stringContaining('Somebody else')]);
    expect((await ben('team', 'approve', id, '--yes')).out).toContain('approved');
    const published = JSON.parse((await ben('team', 'publish', '--json')).out) as {
      serial: number;
    };
    const before = String(published.serial - 1);
    expect((await ann('team', 'publish')).code).not.toBe(0);
    expect((await ben('team', 'rollback', before)).out).toContain(
      `the content of bundle ${before}`,
    );
    const { out } = await ann('team', 'history');
    expect(out).toContain(`restores ${before}`);
    expect((await ann('team', 'propose', 'nothing', 'x')).code).toBe(2);
    const removal = await ann('team', 'propose', 'rule', 'team-rule', '--remove', '--json');
    const shown = await ben('team', 'review', (JSON.parse(removal.out) as { id: string }).id);
    expect(shown.out).toMatch(/^-effect: deny$/m);
    const rejected = await ben('team', 'reject', (JSON.parse(removal.out) as { id: string }).id);
    expect(rejected.out).toContain('rejected: remove rule team-rule');
  });

  it('publishes from the machine of the server itself', async () => {
    const home = world.home('own');
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'config.yml'), 'server: { catalog: { org: own } }\n');
    const cwd = join(world.folder, 'own-project');
    mkdirSync(cwd, { recursive: true });
    const run = async (...args: readonly string[]) => {
      const { io, out, err } = fakeIo({
        json: args.includes('--json'),
        cwd,
        env: { HOME: world.folder, TOOLCRIB_HOME: home },
      });
      return { code: await runCli(['team', ...args], io), out: out(), err: err() };
    };
    const { out } = await run('propose', 'enforce', 'calculator', '--json');
    const { id, proposedBy } = JSON.parse(out) as { id: string; proposedBy: string };
    expect(proposedBy).toBe('local');
    expect((await run('approve', id, '--yes')).err).toContain('Somebody else');
    expect((await run('publish')).code).not.toBe(0);
    expect((await run('publish', '--renew')).out).toContain('Bundle 1: 0 entries');
  });
});

describe('toolcrib add team --dry-run', { timeout: TIME_LIMIT }, () => {
  it('shows with --dry-run what the bundle would add and enforce, and nobody joins', async () => {
    const tool = { kind: 'tool', name: 'shout.yml', text: world.toolText('hey') };
    await world.publish(tool, { kind: 'enforce', name: 'shout' }, deniesTool('datetime'));
    const own = (...args: readonly string[]) => runAs('xia', 'viewer', args);
    const { code, out, err } = await own('add', 'team', world.url, '--dry-run');
    expect(code).toBe(0);
    expect(out).toContain('acme (team)');
    expect(out).toMatch(/1 tool \(.*\); \d of them ask first; ~\d+ prompt tokens/);
    expect(out).toMatch(/shout +\w+ +\w+ +~\d+/);
    expect(out).toContain('Rule: team-rule deny datetime');
    expect(out).toMatch(/Cannot be switched off: .*shout/);
    expect(out).toContain(`signed with ${fingerprint}`);
    expect(err).toContain('Nothing was changed.');
    expect(existsSync(configOf('xia'))).toBe(false);
    expect((await own('team')).err).toContain('You are in no team');
    const named = await own('team', 'join', world.url, '--dry-run', '--json', '--key', fingerprint);
    expect(JSON.parse(named.out)).toMatchObject({
      source: 'acme',
      kind: 'team',
      dryRun: true,
      isCompared: true,
      enforced: expect.arrayContaining(['shout']),
      tools: [{ name: 'shout', tokens: expect.any(Number) }],
    });
    const other = await own('team', 'join', world.url, '--dry-run', '--key', '00:11');
    expect([other.code === 0, other.err]).toEqual([
      false,
      expect.stringContaining('a different key'),
    ]);
  });
});

/** Threats to a membership: settings that replace it, code that changes, limits that starve a tool. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTestKey } from '../../../test/fixtures/signing-key.ts';
import { deniesTool, QUIET, shoutTool, TeamWorld } from '../../../test/fixtures/team-server.ts';
import type { TeamBundle } from '../../contract/team.ts';
import { signBundle } from '../../governance/team/team-bundle.ts';
import { DAY_MS, MINUTE_MS } from '../../kit/data/durations.ts';
import { loadConfig } from '../../trust/load-config.ts';
import { createCribHost } from '../create-crib.ts';
import { projectOptions } from '../project/project-options.ts';

const TIME_LIMIT = 90_000;
const SOON = { timeout: 30_000, interval: 20 };
const TOOL = { kind: 'tool', name: 'shout.yml', text: shoutTool() };

let world: TeamWorld;
const opened: { close(): unknown }[] = [];
beforeEach(async () => {
  world = new TeamWorld();
  await world.start();
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  await world.close();
});

const dateCode = async (client: Awaited<ReturnType<TeamWorld['client']>>) =>
  (await client.execute('datetime', { operation: 'now' })).error?.code;

/** Opens a crib as the command line does, with these variables. */
const asCommandLine = async (env: Record<string, string>) => {
  const location = {
    cwd: join(world.folder, 'site'),
    env: { TOOLCRIB_HOME: world.home(), ...env },
  };
  const options = projectOptions(await loadConfig(location), location);
  const more = { store: 'memory', watch: false, runtime: { log: QUIET } } as const;
  const crib = await createCribHost({ ...options, ...more });
  opened.push(crib);
  return crib;
};

describe('threats: a recorded membership', { timeout: TIME_LIMIT }, () => {
  const keys = openTestKey();
  const fake: TeamBundle = {
    format: 'toolcrib team bundle 1',
    org: 'fake',
    serial: 1,
    issuedAt: 1,
    previous: '',
    entries: [],
  };

  /** A server of somebody else; it notes the tokens that it is sent. */
  const otherServer = async () => {
    const tokens: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      tokens.push(request.headers.authorization);
      response.end(JSON.stringify(signBundle(fake, keys, [])));
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    opened.push(server);
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, tokens };
  };

  it('is not replaced by variables that name another team, address or key', async () => {
    await world.publish(deniesTool('datetime'));
    await (await world.client()).close();
    const record = readFileSync(join(world.home(), 'keys', 'team.json'), 'utf8');
    const { url, tokens } = await otherServer();
    const env = {
      TOOLCRIB_TEAMS_ENABLED: 'true',
      TOOLCRIB_TEAMS_URL: url,
      TEAM_CATALOG_TOKEN: 'canary',
      TOOLCRIB_TEAMS_ORG_ID: 'fake',
      TOOLCRIB_TEAMS_KEY: keys.publicKey,
    };
    for (const orgId of ['fake', 'acme']) {
      const crib = await asCommandLine({ ...env, TOOLCRIB_TEAMS_ORG_ID: orgId });
      expect(await dateCode(crib)).toBe('PERMISSION_DENIED');
      await crib.sources.refresh('team:acme').catch(() => undefined);
      expect(await dateCode(crib)).toBe('PERMISSION_DENIED');
    }
    expect(tokens).toEqual([]);
    expect(readFileSync(join(world.home(), 'keys', 'team.json'), 'utf8')).toContain(
      JSON.parse(record).record.digest,
    );
  });

  it('is not replaced by a program that names another team: no call is allowed', async () => {
    await world.publish(deniesTool('datetime'));
    await (await world.client()).close();
    const { url } = await otherServer();
    const own = { url, orgId: 'fake', key: keys.publicKey };
    const client = await world.client({ teams: own });
    expect(await dateCode(client)).toBe('PERMISSION_DENIED');
    expect(client.sources.list()[0]?.lastError).toMatch(/You are in the team acme/);
    expect(await dateCode(await world.client())).toBe('PERMISSION_DENIED');
  });
});

describe('threats: a tool of the team', { timeout: TIME_LIMIT }, () => {
  it('whose code alone has changed waits for a person again', async () => {
    await world.publish(TOOL);
    const options = { lock: { userDir: world.home() }, teams: { acceptTools: false } } as const;
    const client = await world.client(options);
    const shout = async () => client.execute('shout', { word: 'a' });
    expect((await shout()).error?.code).toBe('TOOL_QUARANTINED');
    await client.tools.lock.accept(['shout'], 'zoe');
    expect((await shout()).data).toEqual({ said: 'HELLO A' });
    await world.publish({ ...TOOL, text: shoutTool('owned') });
    const { change } = await client.sources.refresh('team:acme');
    expect(change.changed).toEqual(['shout']);
    expect((await shout()).error?.code).toBe('TOOL_QUARANTINED');
  });

  it('is gone after the end of its bundle, also in a program that stays open', async () => {
    await world.close();
    world = new TeamWorld();
    const { stop } = await world.start({ expiresDays: 1 });
    await world.publish(TOOL, deniesTool('calculator'));
    await (await world.client()).close();
    await stop();
    let now = Date.now();
    const later: (() => void)[] = [];
    const client = await world.client({
      watch: true,
      runtime: {
        now: () => now,
        log: QUIET,
        after: (ms: number, work: () => void) => {
          // The next sync; other timers run as they are.
          const isSync = ms === 0 || ms >= MINUTE_MS;
          const timer = isSync ? undefined : setTimeout(work, ms);
          if (isSync) later.push(work);
          return { cancel: () => clearTimeout(timer), keepAlive: () => undefined };
        },
      },
    } as never);
    expect(client.tools.has('shout')).toBe(true);
    now += 30 * DAY_MS;
    for (const work of later.splice(0)) work();
    await vi.waitFor(() => expect(client.tools.has('shout')).toBe(false), SOON);
    expect((await client.execute('calculator', { expression: '1+1' })).status).toBe('denied');
  });
});

describe('threats: the limits of a tool that the team enforces', { timeout: TIME_LIMIT }, () => {
  /** Takes longer than the settings below allow. */
  const slow = (name: string) => ({
    kind: 'tool',
    name: `${name}.yml`,
    text: shoutTool()
      .replace('name: shout', `name: ${name}`)
      .replace('return {', 'const end = Date.now() + 300; while (Date.now() < end); return {'),
  });
  const limits = { timeoutMs: 50, rateLimit: { maxPerHour: 1 }, cache: { ttlMs: 3_600_000 } };
  const config = {
    execution: { defaultToolTimeout: 50 },
    tools: { maxExecutionTime: 50, shout: limits, whisper: limits } as never,
  };
  const ENFORCED = { kind: 'enforce', name: 'shout' };

  it('are not lowered by settings of this machine; those of other tools are', async () => {
    await world.publish(slow('shout'), slow('whisper'), ENFORCED);
    const client = await world.client({ config });
    for (const word of ['a', 'b', 'a']) {
      const { status, metadata } = await client.execute('shout', { word });
      expect([status, metadata.cached]).toEqual(['success', false]);
    }
    const { error } = await client.execute('whisper', { word: 'a' });
    expect(error?.code).toBe('TIMEOUT');
  });

  it('hold from the bundle that enforces it, also in a program that is already open', async () => {
    await world.publish(slow('shout'));
    const client = await world.client({ config });
    expect((await client.execute('shout', { word: 'a' })).error?.code).toBe('TIMEOUT');
    await world.publish(ENFORCED);
    await client.sources.refresh('team:acme');
    expect((await client.execute('shout', { word: 'b' })).status).toBe('success');
  });
});

describe('threats: a project that is trusted', { timeout: TIME_LIMIT }, () => {
  it('enforces no tool that its user has switched off', async () => {
    const cwd = join(world.folder, 'project');
    mkdirSync(join(cwd, '.toolcrib'), { recursive: true });
    mkdirSync(world.home('zoe'), { recursive: true });
    const off = 'tools: { calculator: { enabled: false } }\n';
    writeFileSync(join(world.home('zoe'), 'config.yml'), off);
    const text = 'enforcement: { enforcedTools: [calculator] }\n';
    writeFileSync(join(cwd, '.toolcrib', 'config.yml'), text);
    const location = { cwd, env: { TOOLCRIB_HOME: world.home('zoe'), TOOLCRIB_TRUST: '1' } };
    const options = projectOptions(await loadConfig(location), location);
    const more = { store: 'memory', watch: false, runtime: { log: QUIET } } as const;
    const crib = await createCribHost({ ...options, ...more });
    opened.push(crib);
    const { error } = await crib.execute('calculator', { expression: '1+1' });
    expect(error?.code).toBe('TOOL_DISABLED');
  });
});

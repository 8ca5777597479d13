import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deniesTool, QUIET, TeamWorld } from '../../../test/fixtures/team-server.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import { loadConfig } from '../../trust/load-config.ts';
import { createCribHost } from '../create-crib.ts';
import type { CribOptions } from '../crib-options.ts';
import { projectOptions } from '../project/project-options.ts';

const TIME_LIMIT = 90_000;

let world: TeamWorld;
beforeAll(async () => {
  world = new TeamWorld();
  await world.start();
  await world.publish(
    { kind: 'tool', name: 'shout.yml', text: world.toolText() },
    { kind: 'enforce', name: 'shout' },
    { kind: 'enforce', name: 'calculator' },
    { kind: 'revoke', name: 'read_file' },
    deniesTool('datetime'),
  );
  await (await world.client()).close();
}, TIME_LIMIT);
afterAll(() => world.close());

type Client = Awaited<ReturnType<TeamWorld['client']>>;

const calculates = async (client: Client) => {
  const { status } = await client.execute('calculator', { expression: '1+1' });
  return [status, client.tools.get('calculator')?.enabled];
};
const ON = ['success', true];

const dateCode = async (client: Client) =>
  (await client.execute('datetime', { operation: 'now' })).error?.code;

describe('threats: a tool that the team enforces', { timeout: TIME_LIMIT }, () => {
  it('is not switched off by the settings of the tool', async () => {
    const client = await world.client({ config: { tools: { calculator: { enabled: false } } } });
    expect(await calculates(client)).toEqual(ON);
  });

  it.each<[string, (client: Client) => unknown]>([
    ['setEnabled', (client) => client.tools.setEnabled('calculator', false)],
    ['unregister', (client) => client.tools.unregister('calculator')],
    ['update', (client) => client.tools.update(aTool({ name: 'calculator' }))],
    ['setActive', (client) => client.tools.setActive('calculator', '0.0.1')],
    ['sources.remove', (client) => client.sources.remove('team:acme')],
  ])('is neither switched off nor replaced by %s', async (_, attack) => {
    const client = await world.client();
    await expect((async () => attack(client))()).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    expect(await calculates(client)).toEqual(ON);
    expect(client.tools.get('shout')?.tool.source).toBe('team');
  });

  it('is there although the discovery of tools is switched off', async () => {
    const client = await world.client({ config: { registry: { autoDiscovery: false } } });
    const result = await client.execute('shout', { word: 'a' });
    expect(result.data).toEqual({ said: 'HELLO A' });
  });

  it('keeps its name when a local file has a tool of the same name', async () => {
    const text = world.toolText('local');
    const files = async () => new Map([['shout.yml', new TextEncoder().encode(text)]]);
    const customTools = { folder: world.folder, files };
    const client = await world.client({ customTools });
    expect((await client.execute('shout', { word: 'a' })).data).toEqual({ said: 'HELLO A' });
    expect(client.tools.get('custom:shout')?.tool.source).toBe('custom');
  });
});

describe('threats: a rule of the team', { timeout: TIME_LIMIT }, () => {
  const allow = { version: 1 as const, rules: [{ name: 'mine', effect: 'allow' as const }] };
  const ways: readonly [string, Partial<CribOptions>][] = [
    ['a rule of the program that allows everything', { policy: allow }],
    [
      'a rule of the same name',
      { policy: { ...allow, rules: [{ name: 'team-rule', effect: 'allow' }] } },
    ],
    [
      'a policy of the program that judges itself',
      {
        policy: {
          version: 'own',
          judge: () => ({ effect: 'allow', rule: 'own', reason: 'own' }),
        },
      },
    ],
    [
      'a policy file of the user',
      {
        policyFiles: [
          {
            path: 'policy.yml',
            kind: 'user',
            text: 'version: 1\nrules:\n  - { name: a, effect: allow }\n',
          },
        ],
      },
    ],
    ['shadow mode', { config: { policy: { shadow: true } } }],
    ['a team without tools', { teams: { features: { sharedTools: false } } } as object],
  ];

  it.each(ways)('denies in spite of %s', async (_, options) => {
    const client = await world.client(options);
    expect(await dateCode(client)).toBe('PERMISSION_DENIED');
    expect((await client.explain('datetime', { operation: 'now' })).verdict).toMatchObject({
      effect: 'deny',
      rule: 'team-rule',
    });
  });

  it('does not override a local rule that denies', async () => {
    const policy = {
      version: 1 as const,
      rules: [{ name: 'mine', effect: 'deny' as const, tools: ['calculator'] }],
    };
    const client = await world.client({ policy });
    const { error } = await client.execute('calculator', { expression: '1+1' });
    expect(error?.code).toBe('PERMISSION_DENIED');
  });

  it('keeps a revoked tool from running and from being listed as enabled', async () => {
    const client = await world.client({ config: { tools: { read_file: { enabled: true } } } });
    expect(client.tools.get('read_file')?.enabled).toBe(false);
    const { error } = await client.execute('read_file', { path: 'x' });
    expect(error?.code).toBe('TOOL_DISABLED');
  });
});

describe('threats: a client that has joined', { timeout: TIME_LIMIT }, () => {
  const opened = async (env: Record<string, string>, cwd = join(world.folder, 'site')) => {
    const location = { cwd, env: { TOOLCRIB_HOME: world.home(), ...env } };
    const loaded = await loadConfig(location);
    const crib = await createCribHost({
      ...projectOptions(loaded, location),
      store: 'memory',
      watch: false,
      runtime: { log: QUIET },
    });
    const code = await dateCode(crib);
    await crib.close();
    return code;
  };

  it('stays joined whatever configuration and variables say', async () => {
    expect(await opened({})).toBe('PERMISSION_DENIED');
    expect(await opened({ TOOLCRIB_TEAMS_ENABLED: 'false' })).toBe('PERMISSION_DENIED');
  });

  it('stays joined in a project whose configuration says otherwise', async () => {
    const cwd = join(world.folder, 'hostile');
    mkdirSync(join(cwd, '.toolcrib'), { recursive: true });
    const text =
      'teams: { enabled: false }\npolicy: { shadow: true }\ntools: { calculator: { enabled: false } }\n';
    writeFileSync(join(cwd, '.toolcrib', 'config.yml'), text);
    expect(await opened({}, cwd)).toBe('PERMISSION_DENIED');
  });
});

describe('threats: a hostile catalog', { timeout: TIME_LIMIT }, () => {
  it('gets no secret that the user did not grant, and no program of the machine', async () => {
    const hostile = new TeamWorld();
    try {
      await hostile.start();
      const greedy = (name: string, more: string) => ({
        kind: 'tool',
        name: `${name}.yml`,
        text: hostile.toolText('x', more).replace('name: shout', `name: ${name}`),
      });
      await hostile.publish(
        greedy('thief', 'needs: { secrets: [GITHUB_TOKEN] }\n'),
        greedy('friend', 'needs: { secrets: [TEAM_KEY] }\n'),
        greedy('runner', 'needs: { commands: ["git status"] }\n'),
        greedy('calculator', ''),
      );
      const client = await hostile.client({ teams: { secrets: ['TEAM_KEY'] } });
      const [team] = client.sources.list();
      expect(team?.refused.map(({ name }) => name).toSorted()).toEqual(['runner', 'thief']);
      expect(client.tools.get('thief')).toBeUndefined();
      expect(client.tools.get('friend')?.tool.source).toBe('team');
      expect(client.tools.get('calculator')?.tool.source).toBe('builtin');
    } finally {
      await hostile.close();
    }
  });

  it('has its tools held by the lock unless the user accepts them beforehand', async () => {
    const client = await world.client({ name: 'careful', teams: { acceptTools: false } });
    const result = await client.execute('shout', { word: 'a' });
    expect(result.error?.code).toBe('TOOL_QUARANTINED');
  });
});

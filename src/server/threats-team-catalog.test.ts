import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shoutTool, TeamWorld } from '../../test/fixtures/team-server.ts';
import type { TeamProposal } from '../contract/team.ts';

const TIME_LIMIT = 90_000;
const TOOL = { kind: 'enforce', name: 'shout' };

let world: TeamWorld;
beforeEach(async () => {
  world = new TeamWorld();
  await world.start();
});
afterEach(() => world.close());

const approve = async (proposal: TeamProposal, token: string, digest = proposal.digest) =>
  (await world.ask(`/proposals/${proposal.id}/approve`, token, { digest })).status;

const publishStatus = async (token: string) => (await world.ask('/publish', token, {})).status;

describe('threats: the review of a catalog', { timeout: TIME_LIMIT }, () => {
  it('refuses a proposer who approves the own proposal, and publishes nothing of it', async () => {
    const proposal = await world.propose(TOOL, 'eve', 'admin');
    const eve = await world.token('eve', 'admin');
    expect(await approve(proposal, eve)).toBe(403);
    expect(await publishStatus(eve)).toBe(409);
    expect((await world.ask('/bundle', eve)).status).toBe(404);
  });

  /** Makes a token over the API, as an admin does. */
  const made = async (by: string, name: string, role: string): Promise<string> => {
    const response = await fetch(`${world.url}/v1/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${by}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name, role }),
    });
    return ((await response.json()) as { token: string }).token;
  };

  it('refuses an admin who approves with a second token, made directly or by a third', async () => {
    const eve = await world.token('eve', 'admin');
    const second = await made(eve, 'second', 'operator');
    const third = await made(await made(eve, 'helper', 'admin'), 'third', 'operator');
    const proposal = await world.propose(TOOL, 'eve', 'admin');
    expect([await approve(proposal, second), await approve(proposal, third)]).toEqual([403, 403]);
    const change = { action: 'put', entry: { kind: 'enforce', name: 'x' } };
    const { body } = await world.ask<TeamProposal>('/proposals', second, { change });
    expect(await approve(body, eve)).toBe(403);
    expect(await publishStatus(eve)).toBe(409);
    expect(await approve(proposal, await world.token('bob', 'operator'))).toBe(200);
  });

  it('shows in the record who made the tokens of those who proposed and approved', async () => {
    const carol = await world.token('carol', 'admin');
    const change = { action: 'put', entry: TOOL };
    const ada = await made(carol, 'ada', 'agent');
    const { body } = await world.ask<TeamProposal>('/proposals', ada, { change });
    expect(await approve(body, await made(carol, 'bob', 'operator'))).toBe(200);
    const [row] =
      (await world.serverCrib?.audit.query({ kind: 'event', tool: 'team_approve' })) ?? [];
    expect(row?.detail).toMatchObject({
      proposedBy: 'token:ada',
      tokensMadeBy: {
        'token:ada': ['token:carol', 'test'],
        'token:bob': ['token:carol', 'test'],
      },
    });
  });

  it('refuses to publish and to roll back with an admin token that is limited', async () => {
    await world.publish(TOOL);
    const limited = await world.token('mallory', 'admin', { dailyUsd: 5 });
    expect((await world.ask('/publish', limited, { renew: true })).status).toBe(403);
    expect((await world.ask('/rollback', limited, { serial: 1 })).status).toBe(403);
    const { body } = await world.ask<{ serial: number }>('', limited);
    expect(body.serial).toBe(1);
  });

  it.each(['', '/key', '/bundle', '/proposals', '/history'])(
    'gives nothing of /v1/catalog%s to a client without a valid token',
    async (path) => {
      await world.publish(TOOL);
      for (const headers of [{}, { authorization: 'Bearer tc_0000000000000000_wrong' }]) {
        const reply = await fetch(`${world.url}/v1/catalog${path}`, { headers });
        expect([reply.status, (await reply.text()).includes('shout')]).toEqual([401, false]);
      }
    },
  );

  it.each([
    ['agent', {}],
    ['viewer', {}],
    ['operator', { tools: ['shout'] }],
    ['admin', { dailyUsd: 5 }],
  ] as const)(
    'refuses the approval with a token of the role %s and the limits %j',
    async (role, limits) => {
      const proposal = await world.propose(TOOL);
      const token = await world.token('mallory', role, limits);
      expect(await approve(proposal, token)).toBe(403);
      const { body } = await world.ask<{ open: number; approved: number }>('', token);
      expect([body.open, body.approved]).toEqual([1, 0]);
    },
  );

  it.each(['agent', 'viewer', 'operator'] as const)(
    'refuses to publish and to roll back for the role %s',
    async (role) => {
      await world.publish(TOOL);
      const token = await world.token('mallory', role);
      expect(await publishStatus(token)).toBe(403);
      expect((await world.ask('/rollback', token, { serial: 1 })).status).toBe(403);
      expect((await world.ask('/publish', token, { renew: true })).status).toBe(403);
    },
  );

  it('knows the proposer by the token, and refuses a name in the request', async () => {
    const eve = await world.token('eve', 'operator');
    const change = { action: 'put', entry: TOOL };
    const forged = await world.ask('/proposals', eve, { change, proposedBy: 'token:ada' });
    expect(forged.status).toBe(400);
    const { body } = await world.ask<TeamProposal>('/proposals', eve, { change });
    expect(body.proposedBy).toBe('token:eve');
  });

  it('refuses an approval of another content than that of the proposal', async () => {
    const [one, other] = [
      await world.propose(TOOL),
      await world.propose({ kind: 'enforce', name: 'x' }),
    ];
    const bob = await world.token('bob', 'operator');
    expect(await approve(one, bob, other.digest)).toBe(409);
    expect(await approve(one, bob)).toBe(200);
    expect(await approve(one, bob)).toBe(409);
  });

  it('takes an approval back before it is published, and never afterwards', async () => {
    const proposal = await world.propose(TOOL);
    const bob = await world.token('bob', 'operator');
    await approve(proposal, bob);
    const reject = () =>
      world.ask(`/proposals/${proposal.id}/reject`, bob, { digest: proposal.digest });
    expect((await reject()).status).toBe(200);
    expect(await publishStatus(await world.token('root', 'admin'))).toBe(409);
    expect((await reject()).status).toBe(409);
  });

  it('lets one proposer fill a part of the queue only', async () => {
    for (let index = 0; index < 20; index += 1) {
      await world.propose({ kind: 'enforce', name: `tool${index}` });
    }
    await expect(world.propose({ kind: 'enforce', name: 'more' })).rejects.toThrow('CONFLICT');
    await world.propose({ kind: 'enforce', name: 'more' }, 'grace');
  });

  it.each([
    ['a rule that allows', { kind: 'rule', name: 'r', rule: { name: 'r', effect: 'allow' } }],
    [
      'a rule with a bad condition',
      { kind: 'rule', name: 'r', rule: { name: 'r', effect: 'deny', when: '1 +' } },
    ],
    ['a rule under another name', { kind: 'rule', name: 'r', rule: { name: 's', effect: 'deny' } }],
    ['a path for a file', { kind: 'tool', name: '../x.yml', text: shoutTool() }],
    ['a tool that does not compile', { kind: 'tool', name: 'x.yml', text: 'name: x' }],
    ['an MCP server', { kind: 'server', name: 'x', settings: { command: 'sh' } }],
    ['a tier', { kind: 'source', name: 'x', type: 'openapi', settings: { tier: 'read_only' } }],
    ['a label', { kind: 'source', name: 'x', type: 'openapi', settings: { labels: {} } }],
    ['an unknown field', { kind: 'enforce', name: 'x', more: 1 }],
  ])('refuses the proposal of %s', async (_, entry) => {
    const ada = await world.token('ada', 'agent');
    const { status } = await world.ask('/proposals', ada, { change: { action: 'put', entry } });
    expect(status).toBe(400);
  });

  it('refuses a stored catalog that was changed behind its back', async () => {
    await world.publish(TOOL);
    const store = await world.serverCrib?.store();
    const at = { space: 'toolcrib:team-catalog', key: 'acme', now: Date.now() };
    await store?.memory.update(at, (value) => {
      const { state, seal } = structuredClone(value) as { state: { serial: number }; seal: string };
      return { state: { ...state, serial: 7 }, seal };
    });
    const { status, body } = await world.ask('/publish', await world.token('root', 'admin'), {
      renew: true,
    });
    expect([status, JSON.stringify(body)]).toEqual([403, expect.stringContaining('SECURITY')]);
  });
});

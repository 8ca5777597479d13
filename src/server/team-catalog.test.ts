import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isPostgresMissing, usePostgres } from '../../test/fixtures/postgres-schemas.ts';
import { deniesTool, shoutTool, TeamWorld } from '../../test/fixtures/team-server.ts';
import type { PublishedBundle } from '../contract/team.ts';
import type { CribOptions } from '../crib/crib-options.ts';

const TIME_LIMIT = 90_000;
const SOON = { timeout: 30_000, interval: 20 };
const TOOL = { kind: 'tool', name: 'shout.yml', text: shoutTool() };

let world: TeamWorld;
beforeEach(() => {
  world = new TeamWorld();
});
afterEach(() => world.close());

/** What holds in whatever store a catalog is kept. */
const keepsCatalog = (store: () => CribOptions['store'] | Promise<CribOptions['store']>): void => {
  it('goes from a proposal over review and publication to a tool that a client runs', async () => {
    await world.start({ store: await store() });
    const published = await world.publish(TOOL);
    expect(published).toMatchObject({ serial: 1, publishedBy: 'token:root', entries: 1 });
    const client = await world.client();
    expect(client.sources.list()).toMatchObject([
      { name: 'team:acme', kind: 'team', state: 'ready', tools: 1, team: 'acme' },
    ]);
    expect(client.tools.get('shout')?.tool.source).toBe('team');
    const result = await client.execute('shout', { word: 'ada' });
    expect(result).toMatchObject({ status: 'success', data: { said: 'HELLO ADA' } });
    const rows = await world.serverCrib?.audit.query({ kind: 'event', status: 'success' });
    expect(rows?.map(({ tool, userId }) => [tool, userId])).toEqual([
      ['team_publish', 'token:root'],
      ['team_approve', 'token:bob'],
      ['team_propose', 'token:ada'],
    ]);
  });

  it('keeps its history, and goes back to an older bundle under a higher serial', async () => {
    await world.start({ store: await store() });
    await world.publish(TOOL);
    await world.publish({ ...TOOL, text: shoutTool('broken') });
    const client = await world.client();
    expect((await client.execute('shout', { word: 'a' })).data).toEqual({ said: 'BROKEN A' });
    const root = await world.token('root', 'admin');
    const { status, body } = await world.ask('/rollback', root, { serial: 1, note: 'broken' });
    expect([status, body]).toEqual([201, expect.objectContaining({ serial: 3, restored: 1 })]);
    await client.sources.refresh('team:acme');
    expect((await client.execute('shout', { word: 'a' })).data).toEqual({ said: 'HELLO A' });
    const { body: history } = await world.ask<{ items: { serial: number }[] }>('/history', root);
    expect(history.items.map(({ serial }) => serial)).toEqual([3, 2, 1]);
  });

  it('gives publications that come at once a serial each, in one chain', async () => {
    await world.start({ store: await store() });
    await world.publish(TOOL);
    const root = await world.token('root', 'admin');
    const publish = () => world.ask<{ serial: number }>('/publish', root, { renew: true });
    const replies = await Promise.all(Array.from({ length: 6 }, publish));
    const serials = replies.map(({ body }) => body.serial).toSorted((a, b) => a - b);
    expect(serials).toEqual([2, 3, 4, 5, 6, 7]);
    const { body } = await world.ask<{ items: PublishedBundle[] }>('/history', root);
    const chain = body.items.toReversed();
    expect(chain.slice(1).map(({ previous }) => previous)).toEqual(
      chain.slice(0, -1).map(({ digest }) => digest),
    );
  });
};

describe('a catalog kept in memory', { timeout: TIME_LIMIT }, () => keepsCatalog(() => 'memory'));

describe('a catalog kept in SQLite', { timeout: TIME_LIMIT }, () =>
  keepsCatalog(() => ({ sqlite: join(world.folder, 'server.db') })),
);

describe.skipIf(isPostgresMissing())(
  'a catalog kept in PostgreSQL',
  { timeout: TIME_LIMIT },
  () => {
    const schemas = usePostgres();
    keepsCatalog(() => schemas.open());
  },
);

describe('the review of a catalog over HTTP', { timeout: TIME_LIMIT }, () => {
  it('shows a proposal with its difference to what is published, to every role', async () => {
    await world.start();
    await world.publish(deniesTool('datetime'));
    const { id } = await world.propose(deniesTool('calculator'));
    const viewer = await world.token('vera', 'viewer');
    const { status, body } = await world.ask<{ diff: string }>(`/proposals/${id}`, viewer);
    expect([status, body]).toEqual([200, expect.objectContaining({ id, proposedBy: 'token:ada' })]);
    expect(body.diff).toMatch(/^-\s+- datetime\n\+\s+- calculator$/m);
    expect((await world.ask('/proposals/none', viewer)).status).toBe(404);
  });

  it('tells how far the review is, and nothing of a team where none was joined', async () => {
    await world.start();
    await world.propose(deniesTool('datetime'));
    const ask = async (role: 'viewer' | 'agent') => {
      const token = await world.token(`a-${role}`, role);
      const headers = { authorization: `Bearer ${token}` };
      return fetch(`${world.url}/v1/team`, { headers });
    };
    const catalog = { org: 'acme', serial: 0, open: 1, approved: 0 };
    expect(await (await ask('viewer')).json()).toEqual({ catalog });
    expect((await ask('agent')).status).toBe(403);
  });
});

describe('a client of a catalog', { timeout: TIME_LIMIT }, () => {
  it('knows its team, the entries in force and the last good sync', async () => {
    await world.start();
    await world.publish(deniesTool('datetime'));
    const client = await world.client();
    expect(client.team()).toMatchObject({
      org: 'acme',
      url: world.url,
      isExpired: false,
      syncedAt: expect.any(Number),
      bundle: { serial: 1, entries: [{ kind: 'rule', name: 'team-rule' }] },
    });
    expect(world.serverCrib?.team()).toBeUndefined();
  });

  it('runs the tools of the last sync while the server is away', async () => {
    const { stop } = await world.start();
    await world.publish(TOOL);
    await (await world.client()).close();
    await stop();
    const client = await world.client();
    expect((await client.execute('shout', { word: 'a' })).status).toBe('success');
    await expect(client.sources.refresh('team:acme')).rejects.toMatchObject({ code: 'NETWORK' });
    expect(client.sources.list()[0]).toMatchObject({ state: 'failed', tools: 1 });
    expect((await client.execute('shout', { word: 'a' })).status).toBe('success');
  });

  it('that stays open syncs by itself, and a new rule counts from the next call on', async () => {
    await world.start();
    await world.publish(deniesTool('datetime'));
    await (await world.client()).close();
    await world.publish(deniesTool('calculator'));
    const client = await world.client({ watch: true });
    const calculate = () => client.execute('calculator', { expression: '1+1' });
    await vi.waitFor(async () => expect((await calculate()).status).toBe('denied'), SOON);
    expect((await client.execute('datetime', { operation: 'now' })).status).toBe('success');
    expect(client.sources.list()[0]).toMatchObject({ state: 'ready' });
  });
});

import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestKey } from '../../../test/fixtures/signing-key.ts';
import { deniesTool, QUIET, TeamWorld } from '../../../test/fixtures/team-server.ts';
import type { SignedBundle, TeamBundle } from '../../contract/team.ts';
import { signBundle } from '../../governance/team/team-bundle.ts';
import { canonicalJson } from '../../kit/data/canonical-json.ts';
import { DAY_MS } from '../../kit/data/durations.ts';

const TIME_LIMIT = 90_000;
/** Nobody listens there. */
const NOWHERE = 'http://127.0.0.1:9';

let world: TeamWorld;
let serverUrl: string;
/** The files after the first bundle, which denies datetime, and after the second, which denies calculator. */
const files: { first: SignedBundle; second: SignedBundle } = {} as never;

const bundleFile = (name = 'client') => join(world.home(name), 'teams', 'bundle.json');
const recordFile = (name = 'client') => join(world.home(name), 'keys', 'team.json');
const stored = (): SignedBundle => JSON.parse(readFileSync(bundleFile(), 'utf8')) as SignedBundle;

beforeAll(async () => {
  world = new TeamWorld();
  await world.start();
  serverUrl = world.url;
  await world.publish(deniesTool('datetime'));
  await (await world.client()).close();
  files.first = stored();
  await world.publish(deniesTool('calculator'));
  const client = await world.client();
  await client.sources.refresh('team:acme');
  await client.close();
  files.second = stored();
}, TIME_LIMIT);
afterAll(() => world.close());

type Client = Awaited<ReturnType<TeamWorld['client']>>;
const code = async (client: Client, tool: 'calculator' | 'datetime') => {
  const input = tool === 'calculator' ? { expression: '1+1' } : { operation: 'now' };
  return (await client.execute(tool, input)).error?.code;
};
const status = (client: Client) => client.sources.list()[0];

/** Answers with other bytes than the server's, as somebody between the two could. */
const served = async (value: unknown): Promise<() => Promise<void>> => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(text);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  world.url = `http://127.0.0.1:${port}`;
  return () => {
    world.url = serverUrl;
    return new Promise((resolve) => void server.close(() => resolve()));
  };
};

const contentOf = ({ bundle }: SignedBundle): TeamBundle => JSON.parse(bundle) as TeamBundle;

const changed = (signed: SignedBundle, change: Partial<TeamBundle>): SignedBundle => ({
  ...signed,
  bundle: canonicalJson({ ...contentOf(signed), ...change }),
});

const forged = (signed: SignedBundle): SignedBundle =>
  signBundle({ ...contentOf(signed), serial: 9, entries: [] }, openTestKey(), []);

const withFalseHandover = (good: SignedBundle): SignedBundle => {
  const mine = forged(good);
  const { publicKey: from, signature } = good;
  return { ...mine, handovers: [{ from, to: mine.publicKey, at: 1, signature }] };
};

describe('threats: what a client is served', { timeout: TIME_LIMIT }, () => {
  it.each<[string, (good: SignedBundle, old: SignedBundle) => unknown, RegExp]>([
    ['changed content', (good) => changed(good, { serial: 9, entries: [] }), /signature/],
    ['another key', (good) => forged(good), /another key/],
    [
      'another key under the name of the good one',
      (good) => ({ ...forged(good), publicKey: good.publicKey }),
      /signature/,
    ],
    ['an older bundle', (_, old) => old, /older than 2/],
    ['an unknown format', (good) => ({ ...good, more: 1 }), /form is unknown/],
    ['no JSON', () => 'owned', /no valid JSON/],
    ['a key twice', () => '{"bundle":"a","bundle":"b"}', /no valid JSON/],
    ['more bytes than a bundle has', () => `"${'a'.repeat(21_000_000)}"`, /large|long|bytes/i],
    ['a change of its key that the team did not sign', withFalseHandover, /change of its key/],
  ])('is refused: %s; the last good bundle stays in force', async (_, serve, reason) => {
    const stop = await served(serve(files.second, files.first));
    try {
      const client = await world.client();
      await expect(client.sources.refresh('team:acme')).rejects.toThrow();
      const lastError = expect.stringMatching(reason) as string;
      expect(status(client)).toMatchObject({ state: 'failed', lastError });
      expect(await code(client, 'calculator')).toBe('PERMISSION_DENIED');
      expect(await code(client, 'datetime')).not.toBe('PERMISSION_DENIED');
      expect(stored()).toEqual(files.second);
    } finally {
      await stop();
    }
  });

  it('is refused: the bundle of another organisation that the same key signs', async () => {
    const client = await world.client({ name: 'other', teams: { orgId: 'other' } });
    const lastError = expect.stringMatching(/organisation/) as string;
    expect(status(client)).toMatchObject({ state: 'failed', lastError });
    expect(existsSync(bundleFile('other'))).toBe(false);
  });
});

describe('threats: the files of a client', { timeout: TIME_LIMIT }, () => {
  const copied = (name: string): string => {
    cpSync(world.home(), world.home(name), { recursive: true });
    return name;
  };

  it.each<[string, (name: string) => void]>([
    ['an older bundle', (name) => writeFileSync(bundleFile(name), JSON.stringify(files.first))],
    [
      'a changed bundle',
      (name) =>
        writeFileSync(bundleFile(name), JSON.stringify(changed(files.second, { entries: [] }))),
    ],
    ['no bundle', (name) => rmSync(bundleFile(name))],
    ['no record', (name) => rmSync(recordFile(name))],
    [
      'a record with a lower serial',
      (name) => {
        const text = readFileSync(recordFile(name), 'utf8');
        writeFileSync(recordFile(name), text.replace('"serial":2', '"serial":1'));
      },
    ],
    ['a record that is no JSON', (name) => writeFileSync(recordFile(name), 'owned')],
  ])(
    'with %s let no call through while the server is away, and recover with a sync',
    async (what, plant) => {
      const name = copied(what.replaceAll(' ', '-'));
      plant(name);
      world.url = NOWHERE;
      const offline = await world.client({ name });
      expect(await code(offline, 'calculator')).toBe('PERMISSION_DENIED');
      expect(await code(offline, 'datetime')).toBe('PERMISSION_DENIED');
      expect(status(offline)?.state).toBe('failed');
      await offline.close();
      world.url = serverUrl;
      const online = await world.client({ name });
      expect(await code(online, 'calculator')).toBe('PERMISSION_DENIED');
      expect(await code(online, 'datetime')).not.toBe('PERMISSION_DENIED');
    },
  );

  it('refuse a bundle older than the held one, also when the record is missing', async () => {
    const name = copied('replayed');
    rmSync(recordFile(name));
    const stop = await served(files.first);
    const client = await world.client({ name });
    await stop();
    expect(status(client)?.lastError).toMatch(/older than 2/);
    expect(await code(client, 'datetime')).toBe('PERMISSION_DENIED');
  });
});

describe('threats: the time of a bundle', { timeout: TIME_LIMIT }, () => {
  it('ends for the tools after the days of grace, and never for the rules', async () => {
    const timed = new TeamWorld();
    try {
      await timed.start({ expiresDays: 1 });
      const tool = { kind: 'tool', name: 'shout.yml', text: timed.toolText() };
      await timed.publish(tool, deniesTool('calculator'));
      await (await timed.client()).close();
      timed.url = NOWHERE;
      const at = (days: number) =>
        timed.client({ runtime: { now: () => Date.now() + days * DAY_MS, log: QUIET } });
      const soon = await at(6);
      expect((await soon.execute('shout', { word: 'a' })).status).toBe('success');
      const late = await at(30);
      expect(late.tools.get('shout')).toBeUndefined();
      const lastError = expect.stringMatching(/time/) as string;
      expect(status(late)).toMatchObject({ state: 'failed', lastError });
      expect(await code(late, 'calculator')).toBe('PERMISSION_DENIED');
      expect(await code(late, 'datetime')).not.toBe('PERMISSION_DENIED');
    } finally {
      await timed.close();
    }
  });
});

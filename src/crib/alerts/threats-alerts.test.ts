/**
 * Threats: a planted store silences alerts or has something sent; a webhook reaches into the network; texts
 * carry secrets.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import type { AlertAction } from '../../contract/alerts.ts';
import type { CribHost } from '../../contract/crib-host.ts';
import { ALERT_SPACE } from '../../observation/alerts/alert-records.ts';
import { createCribHost } from '../create-crib.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-alerts-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

const open = async (store: string, home: string, allowPrivate: readonly string[] = []) => {
  const runtime = fakeRuntime();
  const crib: CribHost = await createCribHost({
    builtins: false,
    runtime,
    tools: [aTool()],
    home,
    config: {
      store: { driver: 'sqlite', path: store },
      egress: { allowPrivate: [...allowPrivate] },
    },
  });
  ends.push(() => crib.close());
  return { crib, runtime };
};

const ALERT = { id: 'busy', when: 'calls >= 1' } as const;

/** Counts requests, and answers with that status. */
const openReceiver = async (status = 204, headers: Record<string, string> = {}) => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      bodies.push(body);
      response.writeHead(status, headers).end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  ends.push(() => server.close());
  return { bodies, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
};

const webhook = (host: string): readonly AlertAction[] => [
  { type: 'webhook', url: `http://${host}/hook` },
];

describe('threat: a store with planted records of alerts', () => {
  it('a planted record silences no alert and marks none as sent', async () => {
    const folder = newFolder();
    const store = join(folder, 'store.db');
    const theirs = await open(store, join(folder, 'theirs'));
    await theirs.crib.alerts.set(ALERT);
    await theirs.crib.execute('echo', {});
    await theirs.crib.alerts.evaluate();
    await theirs.crib.alerts.silence('busy', { forMs: 86_400_000 });
    expect(await theirs.crib.alerts.list()).toMatchObject([{ state: 'firing', silence: {} }]);
    await theirs.crib.close();
    const ours = await open(store, join(folder, 'ours'));
    await ours.crib.alerts.set(ALERT);
    await ours.runtime.advance(60_000);
    const [status] = await ours.crib.alerts.list();
    expect(status?.silence).toBeUndefined();
    await ours.crib.alerts.evaluate();
    expect(
      ours.runtime.logged.filter(({ message }) => message.includes('busy fires')),
    ).toHaveLength(1);
  });

  it('benign: records that the same user wrote count after a restart', async () => {
    const folder = newFolder();
    const store = join(folder, 'store.db');
    const first = await open(store, folder);
    await first.crib.alerts.set(ALERT);
    await first.crib.execute('echo', {});
    await first.crib.alerts.evaluate();
    await first.crib.close();
    const second = await open(store, folder);
    await second.crib.alerts.set(ALERT);
    await second.runtime.advance(60_000);
    await second.crib.alerts.evaluate();
    expect(await second.crib.alerts.list()).toMatchObject([{ state: 'firing' }]);
    expect(second.runtime.logged.filter(({ message }) => message.includes('busy fires'))).toEqual(
      [],
    );
  });

  it('a planted lease without an end stops no process from evaluating alerts', async () => {
    const folder = newFolder();
    const { crib } = await open(join(folder, 'store.db'), folder);
    await crib.alerts.set(ALERT);
    const { memory } = await crib.store();
    const value = { busy: { holder: 'mallory', at: 0, until: Number.MAX_SAFE_INTEGER } };
    await memory.write({ space: ALERT_SPACE, key: 'leases', value });
    await crib.execute('echo', {});
    await crib.alerts.evaluate();
    expect(await crib.alerts.list()).toMatchObject([{ state: 'firing' }]);
  });
});

describe('a webhook', () => {
  it('reaches no private address that was not allowed', async () => {
    const { bodies, host } = await openReceiver();
    const folder = newFolder();
    const { crib } = await open(join(folder, 'store.db'), folder);
    await crib.alerts.set({ ...ALERT, actions: webhook(host) });
    const { deliveries } = await crib.alerts.test('busy');
    expect(deliveries).toMatchObject([{ action: 'webhook', state: 'failed' }]);
    expect(bodies).toEqual([]);
  });

  it('follows no redirect, and gives up where no second try can help', async () => {
    const target = await openReceiver();
    const { bodies, host } = await openReceiver(302, { location: `http://${target.host}/` });
    const folder = newFolder();
    const { crib } = await open(join(folder, 'store.db'), folder, [host, target.host]);
    await crib.alerts.set({ ...ALERT, actions: webhook(host) });
    await crib.execute('echo', {});
    await crib.alerts.evaluate();
    expect([bodies.length, target.bodies.length]).toEqual([1, 0]);
    expect(await crib.alerts.history()).toMatchObject([
      { deliveries: [{ state: 'failed', attempts: 1, problem: expect.stringContaining('302') }] },
    ]);
  });

  it('is sent again after a failure of the receiver, under the same id, and in order', async () => {
    const { bodies, host } = await openReceiver(503);
    const folder = newFolder();
    const { crib, runtime } = await open(join(folder, 'store.db'), folder, [host]);
    await crib.alerts.set({ ...ALERT, window: '1m', actions: webhook(host) });
    await crib.execute('echo', {});
    await crib.alerts.evaluate();
    await runtime.advance(1000);
    await crib.alerts.evaluate();
    expect(bodies).toHaveLength(1);
    await runtime.advance(180_000);
    await crib.alerts.evaluate();
    const sent = bodies.map((body) => JSON.parse(body) as { id: string; type: string });
    expect(sent.map(({ type }) => type)).toEqual(['alert.fired', 'alert.fired']);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
  });

  it('contains no secret and no control character', async () => {
    const { bodies, host } = await openReceiver();
    const folder = newFolder();
    const { crib } = await open(join(folder, 'store.db'), folder, [host]);
    const name = `sk-ant-api03-${'a1B2'.repeat(22)}AA`;
    await crib.alerts.set({ ...ALERT, each: 'caller', actions: webhook(host) });
    await crib.execute('echo', {}, { userId: `eve\u001b[2J ${name}` });
    await crib.alerts.evaluate();
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).not.toContain(name);
    expect(bodies[0]?.includes('\u001b') || bodies[0]?.includes('\\u001b')).toBe(false);
  });
});

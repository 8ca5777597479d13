/** Threats: what is told of alerts holds secrets, hides who it is about, comes twice, or never comes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/fixtures/eventually.ts';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { AlertAction, AlertNotification } from '../../contract/alerts.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { createCribHost } from '../create-crib.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-telling-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** Opens one of several processes on the store of a folder; its alerts have a lease of 3 seconds. */
const openProcess = async (folder: string, allowPrivate: readonly string[] = []) => {
  const runtime = fakeRuntime();
  const crib = await createCribHost({
    builtins: false,
    runtime,
    tools: [aTool()],
    home: folder,
    config: {
      store: { driver: 'sqlite', path: join(folder, 'store.db') },
      egress: { allowPrivate: [...allowPrivate] },
      observation: { alertIntervalMs: 1000 },
    },
  });
  ends.push(() => crib.close());
  return { crib, runtime };
};

/** Answers with that status when `release` is called, and at once afterwards. */
const openReceiver = async (status: number, isOpen = true) => {
  const told: AlertNotification[] = [];
  let release = (): void => undefined;
  const released = isOpen
    ? Promise.resolve()
    : new Promise<void>((resolve) => {
        release = resolve;
      });
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      told.push(JSON.parse(body) as AlertNotification);
      void released.then(() => response.writeHead(status).end());
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  ends.push(() => server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const actions: readonly AlertAction[] = [{ type: 'webhook', url: `http://${host}/hook` }];
  return { told, host, actions, release };
};

const BUSY = { id: 'busy', when: 'calls >= 1' } as const;

describe('the audit trail of alerts', () => {
  it('shows viewers no path of a webhook that a program has set, which may be a credential', async () => {
    const crib = await testCrib([aTool()]);
    ends.push(() => crib.close());
    const url = 'https://hooks.example.com/services/T000/B000/canary-path?key=canary-query';
    await crib.alerts.set({ ...BUSY, actions: [{ type: 'webhook', url }] });
    const [row] = await crib.audit.query({ kind: 'event' });
    expect(row?.detail).toMatchObject({
      definition: { when: BUSY.when, actions: [{ url: 'https://hooks.example.com/…' }] },
    });
    expect(JSON.stringify(row)).not.toContain('canary');
  });

  it('holds no secret that somebody wrote into the note of a silence', async () => {
    const crib = await testCrib([aTool()]);
    ends.push(() => crib.close());
    await crib.alerts.set(BUSY);
    const secret = `sk-ant-api03-${'a1B2'.repeat(22)}AA`;
    await crib.alerts.silence('busy', { forMs: 1000, note: `maintenance, key ${secret}` });
    const shown = JSON.stringify([await crib.alerts.list(), await crib.audit.query({})]);
    expect(shown).toContain('maintenance');
    expect(shown).not.toContain(secret);
  });
});

describe('a notification about the holder of a token', () => {
  it('names the token, also where its name has digits', async () => {
    const { told, host, actions } = await openReceiver(204);
    const { crib } = await openProcess(newFolder(), [host]);
    await crib.alerts.set({ ...BUSY, each: 'caller', actions });
    await crib.execute('echo', {}, { userId: 'token:ci-2026' });
    await crib.alerts.evaluate();
    expect(told).toMatchObject([{ subject: 'token:ci-2026', summary: 'The alert busy fires.' }]);
  });
});

describe('a receiver', () => {
  it('that answers after the lease of its process gets no second notification from another process', async () => {
    const { told, host, actions, release } = await openReceiver(204, false);
    const folder = newFolder();
    const one = await openProcess(folder, [host]);
    const other = await openProcess(folder, [host]);
    for (const { crib } of [one, other]) await crib.alerts.set({ ...BUSY, actions });
    await one.crib.execute('echo', {});
    const round = one.crib.alerts.evaluate();
    await eventually(() => expect(told).toHaveLength(1));
    await other.runtime.advance(5000);
    await other.crib.alerts.evaluate();
    release();
    await round;
    expect(told).toHaveLength(1);
    expect(await other.crib.alerts.history()).toMatchObject([{ deliveries: [{ state: 'done' }] }]);
  });

  it('that fails is tried once a round, however many subjects have notifications', async () => {
    const { told, host, actions } = await openReceiver(503);
    const { crib, runtime } = await openProcess(newFolder(), [host]);
    await crib.alerts.set({ ...BUSY, each: 'caller', actions });
    for (const userId of ['ada', 'bob', 'cyd']) await crib.execute('echo', {}, { userId });
    await crib.alerts.evaluate();
    expect(told).toHaveLength(1);
    await runtime.advance(1000);
    await crib.alerts.evaluate();
    expect(new Set(told.map(({ subject }) => subject)).size).toBe(2);
  });
});

describe('a clock that was set back by an hour', () => {
  const HOUR_MS = 3_600_000;

  it('delays neither a second attempt nor a condition with a hold time', async () => {
    const { told, host, actions } = await openReceiver(503);
    const folder = newFolder();
    const ahead = await openProcess(folder, [host]);
    await ahead.runtime.advance(HOUR_MS);
    const LONG = { id: 'long', when: 'audit.ok', for: '30s', actions } as const;
    await ahead.crib.alerts.set({ ...BUSY, window: '2h', actions });
    await ahead.crib.alerts.set(LONG);
    await ahead.crib.execute('echo', {});
    await ahead.crib.alerts.evaluate();
    expect(told.map(({ alert }) => alert)).toEqual(['busy']);
    await ahead.crib.close();
    const behind = await openProcess(folder, [host]);
    await behind.crib.alerts.set({ ...BUSY, when: 'audit.ok', actions });
    await behind.crib.alerts.set(LONG);
    await behind.crib.alerts.evaluate();
    expect(told.map(({ alert }) => alert)).toEqual(['busy', 'busy']);
    await behind.runtime.advance(31_000);
    await behind.crib.alerts.evaluate();
    expect(told.map(({ alert }) => alert)).toContain('long');
  });
});

describe('a caller whose calls fail', () => {
  it('still fires when a thousand others call more often', async () => {
    const broken = aTool({
      name: 'broken',
      run: () => {
        throw new ToolFailure('EXECUTION_FAILED', 'no');
      },
    });
    const crib = await testCrib([aTool(), broken]);
    ends.push(() => crib.close());
    await crib.alerts.set({ id: 'fails', when: 'errors >= 1', each: 'caller', window: '1h' });
    await crib.execute('broken', {}, { userId: 'victim' });
    await crib.alerts.evaluate();
    for (let n = 0; n < 2000; n++) await crib.execute('echo', {}, { userId: `user${n % 1000}` });
    await crib.runtime.advance(1000);
    await crib.alerts.evaluate();
    expect((await crib.alerts.list())[0]?.subjects).toMatchObject([
      { subject: 'victim', state: 'firing' },
    ]);
  });
});

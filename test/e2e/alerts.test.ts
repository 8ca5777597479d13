/**
 * Alerts of the built server with a real receiver of webhooks: they fire, resolve and are silenced, with two
 * processes on one store, after a restart and after kill -9, and nothing is told twice.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AlertEvent, AlertStatus } from '../../src/contract/alerts.ts';
import { eventually } from '../fixtures/eventually.ts';
import { ALERT_ENV, type Ends, openReceiver, startServer } from './alert-receiver.ts';
import { createQuickProject } from './quick-project.ts';
import type { Project } from './run-toolcrib.ts';

const TIME_LIMIT = 120_000;
const ENV = ALERT_ENV;

const ends: Ends = [];
beforeAll(() => {
  createQuickProject();
}, 180_000);
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const configure = (project: Project, port: number): void => {
  const folder = join(project.home, '.config', 'toolcrib');
  mkdirSync(folder, { recursive: true });
  const webhook = { type: 'webhook', url: `http://127.0.0.1:${port}/hook`, secret: 'ALERT_KEY' };
  const alert = { coolDown: '0s', actions: [webhook] };
  const alerts = {
    waiting: { ...alert, when: 'approvals.waiting > 0', severity: 'critical' },
    fails: { ...alert, when: 'errors >= 2 && errorRate > 0.5', each: 'tool' },
  };
  const config = {
    egress: { allowPrivate: [`127.0.0.1:${port}`] },
    observation: { alertIntervalMs: 1000, alerts },
  };
  // YAML holds all of JSON.
  writeFileSync(join(folder, 'config.yml'), JSON.stringify(config), { mode: 0o600 });
};

const serve = (project: Project) => startServer(project, ends);

const setUp = async () => {
  const receiver = await openReceiver(ends);
  const project = createQuickProject();
  configure(project, receiver.port);
  writeFileSync(join(project.folder, 'a.txt'), 'keep me');
  const token = (await project.run(['tokens', 'create', 'ci', '--role', 'admin'])).out.trim();
  const ask = async (url: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const init = body ? { method: 'POST', body: JSON.stringify(body), headers } : { headers };
    const response = await fetch(`${url}${path}`, init);
    return (await response.json()) as never;
  };
  const call = (url: string, tool: string, input: object) =>
    ask(url, `/v1/tools/${tool}/execute`, { input });
  const json = async <T>(...args: readonly string[]): Promise<T> => {
    const ended = await project.run([...args, '--json'], { env: ENV });
    expect(ended.err).toBe('');
    return ended.json<T>();
  };
  const statusOf = async (url: string, id: string): Promise<AlertStatus> =>
    ask(url, `/v1/alerts/${id}`);
  /** Waits for three more evaluations. */
  const rounds = async (url: string): Promise<void> => {
    const { evaluatedAt = 0 } = await statusOf(url, 'waiting');
    await eventually(async () =>
      expect((await statusOf(url, 'waiting')).evaluatedAt).toBeGreaterThan(evaluatedAt + 2500),
    );
  };
  const told = (): readonly string[] =>
    receiver.deliveries.map(({ type, alert, subject }) => `${type} ${alert} ${subject}`.trim());
  return { receiver, project, ask, call, json, statusOf, rounds, told };
};

/** Makes a call that waits for a person; returns the id of the question. */
const waitingCall = async (
  { call }: Pick<Awaited<ReturnType<typeof setUp>>, 'call'>,
  url: string,
): Promise<string> => {
  const input = { operation: 'delete', path: 'a.txt' };
  const answer: { readonly approval?: { readonly approvalId: string } } = await call(
    url,
    'file_operations',
    input,
  );
  return answer.approval?.approvalId ?? `none: ${JSON.stringify(answer)}`;
};

describe('alerts of toolcrib serve, built', { timeout: TIME_LIMIT }, () => {
  it('are told once by two processes and after a restart, resolve, and are silenced', async () => {
    const { receiver, ask, call, json, rounds, told, statusOf, project } = await setUp();
    const [one, two] = await Promise.all([serve(project), serve(project)]);
    for (let n = 0; n < 2; n++) await call(one.url, 'calculator', { expression: '1/' });
    const question = await waitingCall({ call }, two.url);
    const BOTH = ['alert.fired fails calculator', 'alert.fired waiting'];
    await eventually(() => expect([...told()].sort()).toEqual(BOTH));
    await rounds(one.url);
    const [first] = receiver.deliveries.filter(({ alert }) => alert === 'waiting');
    expect(first).toMatchObject({
      isSigned: true,
      severity: 'critical',
      values: { approvals: { waiting: 1 } },
      text: expect.stringContaining('FIRING, critical'),
      headers: { 'idempotency-key': first?.id },
    });
    await one.stop('SIGTERM');
    await two.stop('SIGTERM');
    const server = await serve(project);
    await rounds(server.url);
    expect([...told()].sort()).toEqual(BOTH);

    await ask(server.url, `/v1/approvals/${question}/decide`, { approve: false });
    await eventually(() => expect(told().slice(2)).toEqual(['alert.resolved waiting']));

    const silence = await json<{ by: string }>('alerts', 'silence', 'waiting', '--for', '1h');
    expect(silence.by).toBe('local');
    await waitingCall({ call }, server.url);
    await eventually(async () =>
      expect(await statusOf(server.url, 'waiting')).toMatchObject({
        state: 'firing',
        silence: { by: 'local' },
      }),
    );
    await rounds(server.url);
    expect(told()).toHaveLength(3);
    const [newest] = await json<readonly AlertEvent[]>('alerts', 'history', 'waiting');
    expect(newest).toMatchObject({ type: 'alert.fired', silenced: true, deliveries: [] });
    expect(await json('alerts', 'unsilence', 'waiting')).toEqual({ id: 'waiting', ended: true });
    await eventually(() => expect(told().slice(3)).toEqual(['alert.fired waiting']));
    await rounds(server.url);
    expect(told()).toHaveLength(4);
    const rows: { readonly items: readonly { detail: { event: string } }[] } = await ask(
      server.url,
      '/v1/audit?kind=event&limit=50',
    );
    const events = rows.items.map(({ detail }) => detail.event);
    expect(events).toEqual(expect.arrayContaining(['alert.silenced', 'alert.unsilenced']));
  });

  it('that were decided before kill -9 are told afterwards, under the same id', async () => {
    const { receiver, call, rounds, told, project } = await setUp();
    receiver.hangs = true;
    const killed = await serve(project);
    await waitingCall({ call }, killed.url);
    await eventually(() => expect(told()).toEqual(['alert.fired waiting']));
    await killed.stop('SIGKILL');
    receiver.hangs = false;
    const server = await serve(project);
    await eventually(() => expect(told()).toHaveLength(2));
    await rounds(server.url);
    expect(told()).toHaveLength(2);
    expect(new Set(receiver.deliveries.map(({ id }) => id)).size).toBe(1);
    await server.stop('SIGKILL');
    // Told and put down: another end without warning has nothing told again.
    const last = await serve(project);
    await rounds(last.url);
    expect(told()).toHaveLength(2);
  });

  it('can be looked at and tested from the command line', async () => {
    const { receiver, json, project, told } = await setUp();
    const list = await json<readonly AlertStatus[]>('alerts');
    expect(list.map(({ id, state }) => [id, state])).toEqual([
      ['fails', 'unknown'],
      ['waiting', 'unknown'],
    ]);
    const test = await project.run(['alerts', 'test', 'waiting'], { env: ENV });
    expect([test.code, test.out]).toEqual([0, expect.stringContaining('does not hold')]);
    expect(told()).toEqual(['alert.tested waiting']);
    expect(receiver.deliveries[0]?.isSigned).toBe(true);
    const dry = await project.run(['alerts', 'test', 'waiting', '--no-send'], { env: ENV });
    expect([dry.code, told().length]).toEqual([0, 1]);
    const shown = await project.run(['alerts', 'show', 'waiting']);
    expect(shown.out).toContain('approvals.waiting > 0');
    const wrong = await project.run(['alerts', 'silence', 'wating', '--for', '1h']);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('did you mean waiting')]);
    const endless = await project.run(['alerts', 'silence', 'waiting']);
    expect([endless.code, endless.err]).toEqual([2, expect.stringContaining('--for')]);
  });
});

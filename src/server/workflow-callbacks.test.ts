import { createHmac } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  type FakeWorkflow,
  respondWith,
  startN8n,
  WEBHOOK_SECRET,
} from '../../test/fixtures/vendors/n8n-server.ts';
import type { CallAs } from '../contract/call-options.ts';
import type { CribEvents } from '../contract/events.ts';
import { createCribHost } from '../crib/create-crib.ts';
import { createRuntime } from '../crib/create-runtime.ts';
import { loadConfig } from '../trust/load-config.ts';
import { openServer } from './open-server.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const OTHER_SECRET = 'another-secret-of-the-test';
const BLANK_SECRET = ' '.repeat(20);
const ADA = { userId: 'ada', roles: ['member'] };

interface Signing {
  readonly source?: string;
  readonly secret?: string;
  readonly at?: number;
  /** The text that is signed; that which is sent when absent. */
  readonly signed?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server whose sources `flows` and `other` are one n8n, with a secret each. */
const start = async (workflow: Partial<FakeWorkflow> = {}) => {
  const n8n = await startN8n([{ id: 'wf1', name: 'Report', path: 'report', ...workflow }]);
  cleanup.push(() => n8n.close());
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'n8n-callbacks-')));
  cleanup.push(() => rmSync(folder, { recursive: true, force: true }));
  const env: Record<string, string> = {
    ...{ TOOLCRIB_HOME: join(folder, 'home'), N8N_SECRET: WEBHOOK_SECRET },
    ...{ OTHER_SECRET, SHORT_SECRET: 'short', BLANK_SECRET },
  };
  const report = { webhookPath: 'report', workflowId: 'wf1', mode: 'async' };
  const source = (webhookSecret: string, tool: string) => ({
    ...{ baseUrl: n8n.url, webhookSecret, callbackUrl: 'https://crib.example.com/' },
    workflows: { [tool]: report },
  });
  const loaded = await loadConfig({ cwd: folder, env });
  const config = {
    ...loaded.config,
    registry: { ...loaded.config.registry, lock: 'off' as const },
    sources: {
      ...loaded.config.sources,
      n8n: {
        ...{ flows: source('N8N_SECRET', 'report'), other: source('OTHER_SECRET', 'other_report') },
        weak: source('SHORT_SECRET', 'weak_report'),
        blank: source('BLANK_SECRET', 'blank_report'),
      } as never,
    },
  };
  const crib = await createCribHost({
    ...{
      builtins: false,
      store: 'memory',
      settings: config,
      root: folder,
      home: env.TOOLCRIB_HOME,
    },
    policy: {
      version: 1,
      rules: [{ name: 'r', effect: 'allow', tools: ['report', 'other_report'] }],
    },
    secrets: { get: async (key: string) => env[key] },
  } as never);
  cleanup.push(() => crib.close());
  const server = await openServer({
    ...{ crib, loaded: { ...loaded, config }, runtime: createRuntime(), version: '1.2.3', env },
    ...{ host: '127.0.0.1', port: 0, doctor: async () => [], describe: () => 'a question' },
  });
  cleanup.push(() => server.close());
  const post = (source: string, body: string, headers: Readonly<Record<string, string>>) =>
    fetch(`${server.url}/callbacks/n8n/${source}`, { method: 'POST', body, headers });
  const callBack = (payload: unknown, signing: Signing = {}) => {
    const { source = 'flows', secret = WEBHOOK_SECRET, at = Date.now() } = signing;
    const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const time = String(Math.floor(at / 1_000));
    const mac = createHmac('sha256', secret).update(`${time}.${signing.signed ?? body}`);
    return post(source, body, {
      ...{ 'content-type': 'application/json', 'x-toolcrib-timestamp': time },
      'x-toolcrib-signature': `sha256=${mac.digest('hex')}`,
      ...signing.headers,
    });
  };
  /** Starts a run and lets a worker deliver it. */
  const run = async (tool = 'report', as: object = ADA) => {
    const started = await crib.execute(tool, { day: 'monday' }, as as CallAs);
    return (started.data as { invocationId: string }).invocationId;
  };
  const deliver = async () => {
    const workers = await crib.jobs.work();
    for (;;) {
      const { waiting = 0, active = 0 } = (await crib.jobs.counts()).default ?? {};
      if (waiting + active === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await workers.close();
  };
  const read = async (invocationId: string, as: object = ADA) =>
    crib.execute('get_workflow_result', { invocationId }, as as never);
  return { n8n, crib, post, callBack, run, deliver, read };
};

describe('a workflow of n8n that answers later', () => {
  it('is put on record, delivered by a job, and completed by its callback', async () => {
    const { n8n, crib, run, deliver, read, callBack } = await start({
      respond: respondWith({ message: 'Workflow was started' }),
    });
    const events: CribEvents['workflow.completed'][] = [];
    crib.events.on('workflow.completed', (event) => events.push(event));
    const id = await run();
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(n8n.calls).toEqual([]);
    expect((await read(id)).data).toMatchObject({ status: 'pending', workflowId: 'wf1' });
    await deliver();
    expect(n8n.calls).toHaveLength(1);
    expect(n8n.calls[0]).toMatchObject({
      headers: { 'x-request-id': id, 'x-webhook-secret': WEBHOOK_SECRET },
      body: {
        day: 'monday',
        _metadata: {
          ...{ requestId: id, invocationId: id, userId: 'ada' },
          callbackUrl: 'https://crib.example.com/callbacks/n8n/flows',
        },
      },
    });
    expect((await read(id)).data).toMatchObject({ status: 'running', executionId: '231' });
    const answer = await callBack({ invocationId: id, success: true, output: { pages: 3 } });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { invocationId: id, state: 'completed' },
    ]);
    expect((await read(id)).data).toMatchObject({
      ...{ status: 'success', output: { pages: 3 }, completedAt: expect.any(Number) },
      durationMs: expect.any(Number),
    });
    const event = { invocationId: id, source: 'flows', workflowId: 'wf1', userId: 'ada' };
    expect(events).toEqual([{ ...event, success: true }]);
    const [row] = await crib.audit.query({ executionId: id });
    expect(row).toMatchObject({ kind: 'event', detail: { event: 'workflow.completed' } });
  });

  it('is one run for one idempotency key of one user', async () => {
    const { n8n, crib, run, deliver } = await start();
    const first = await run('report', { ...ADA, idempotencyKey: 'once' });
    expect(await run('report', { ...ADA, idempotencyKey: 'once' })).toBe(first);
    expect(await run('report', { userId: 'eve', idempotencyKey: 'once' })).not.toBe(first);
    expect(await run()).not.toBe(first);
    await deliver();
    expect(n8n.calls).toHaveLength(3);
    expect(await crib.jobs.list({})).toHaveLength(3);
  });

  it('the job of a call carries the trace id of the call', async () => {
    const { crib, run } = await start();
    await run('report', { ...ADA, traceId: 'trace-7' });
    expect(await crib.jobs.list({})).toMatchObject([{ traceId: 'trace-7' }]);
  });

  it('keeps the first answer, and takes one that comes after a delivery in doubt', async () => {
    const { run, deliver, read, callBack } = await start({ respond: respondWith({}, 500) });
    const id = await run();
    await deliver();
    expect((await read(id)).data).toMatchObject({ status: 'failure' });
    const failed = { invocationId: id, success: false, error: 'no paper' };
    expect((await callBack(failed)).status).toBe(200);
    expect((await read(id)).data).toMatchObject({ status: 'failure', error: 'no paper' });
    const second = await callBack({ invocationId: id, success: true, output: 1 });
    expect([second.status, await second.json()]).toMatchObject([200, { state: 'ignored' }]);
    expect((await read(id)).data).toMatchObject({ status: 'failure', error: 'no paper' });
  });

  it('that could not be delivered is over, on record and announced', async () => {
    const { crib, run, deliver, read } = await start({ respond: respondWith({}, 500) });
    const events: CribEvents['workflow.completed'][] = [];
    crib.events.on('workflow.completed', (event) => events.push(event));
    const id = await run();
    await deliver();
    expect((await read(id)).data).toMatchObject({
      ...{ status: 'failure', durationMs: expect.any(Number) },
    });
    expect(events).toMatchObject([{ invocationId: id, userId: 'ada', success: false }]);
    const rows = await crib.audit.query({ executionId: id });
    expect(rows).toMatchObject([
      {
        status: 'failure',
        detail: { event: 'workflow.completed', durationMs: expect.any(Number) },
      },
    ]);
  });

  it('shows a run to its own user alone', async () => {
    const { run, read } = await start();
    const id = await run();
    expect((await read(id, { userId: 'eve' })).error?.code).toBe('NOT_FOUND');
  });
});

describe('threat: callbacks that n8n did not send', () => {
  const expectUnchanged = async (
    { read }: Pick<Awaited<ReturnType<typeof start>>, 'read'>,
    id: string,
  ) => expect((await read(id)).data).toMatchObject({ status: 'pending' });

  it('unsigned, forged, late, early and malformed ones are refused and change nothing', async () => {
    const server = await start();
    const id = await server.run();
    const done = { invocationId: id, success: true, output: 'forged' };
    const { callBack, post } = server;
    const now = Date.now();
    const json = { 'content-type': 'application/json' };
    const answers = await Promise.all([
      post('flows', JSON.stringify(done), json),
      callBack(done, { headers: { 'x-toolcrib-signature': '' } }),
      callBack(done, { headers: { 'x-toolcrib-signature': `sha256=${'0'.repeat(64)}` } }),
      callBack(done, { headers: { 'x-toolcrib-signature': 'sha256=00' } }),
      callBack(done, { headers: { 'x-toolcrib-timestamp': 'now' } }),
      callBack(done, { headers: { 'x-toolcrib-timestamp': String(Math.floor(now / 1_000) + 9) } }),
      callBack(done, { at: now - 301_000 }),
      callBack(done, { at: now + 302_000 }),
      callBack(done, { secret: OTHER_SECRET }),
      callBack(done, { secret: '' }),
      callBack(done, { signed: JSON.stringify({ ...done, output: 'real' }) }),
      callBack(done, { source: 'weak', secret: 'short' }),
      callBack(done, { source: 'blank', secret: BLANK_SECRET }),
      callBack(done, { source: 'unknown' }),
      callBack(done, { source: '__proto__' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
    await expectUnchanged(server, id);
  });

  it('a source cannot complete the run of another one, and unknown runs are not found', async () => {
    const server = await start();
    const id = await server.run();
    const other = { source: 'other', secret: OTHER_SECRET };
    const done = { invocationId: id, success: true };
    expect((await server.callBack(done, other)).status).toBe(404);
    const unknown = { ...done, invocationId: '0190-unknown' };
    expect((await server.callBack(unknown)).status).toBe(404);
    await expectUnchanged(server, id);
  });

  it('a replayed one is refused', async () => {
    const server = await start();
    const id = await server.run();
    const at = Date.now();
    const done = { invocationId: id, success: true, output: 1 };
    expect((await server.callBack(done, { at })).status).toBe(200);
    expect((await server.callBack(done, { at })).status).toBe(409);
    const upper = createHmac('sha256', WEBHOOK_SECRET)
      .update(`${Math.floor(at / 1_000)}.${JSON.stringify(done)}`)
      .digest('hex')
      .toUpperCase();
    const headers = { 'x-toolcrib-signature': `sha256=${upper}` };
    expect((await server.callBack(done, { at, headers })).status).toBe(409);
  });

  it('a callback whose answer could not be written is accepted when it is sent again', async () => {
    const server = await start();
    const id = await server.run();
    const { memory } = await server.crib.store();
    const full = vi.spyOn(memory, 'update').mockRejectedValueOnce(new Error('disk full'));
    const at = Date.now();
    const done = { invocationId: id, success: true, output: 1 };
    expect((await server.callBack(done, { at })).status).toBe(500);
    full.mockRestore();
    expect((await server.callBack(done, { at })).status).toBe(200);
    expect((await server.read(id)).data).toMatchObject({ status: 'success', output: 1 });
    expect((await server.callBack(done, { at })).status).toBe(409);
  });

  it('a body that is too large, no JSON or has other fields is refused and changes nothing', async () => {
    const server = await start();
    const id = await server.run();
    const { callBack } = server;
    const statuses = [
      await callBack({ invocationId: id, success: true, output: 'x'.repeat(1_000_001) }),
      await callBack('no json'),
      await callBack(`{"invocationId":"${id}","success":true,"success":false}`),
      await callBack({ invocationId: id, success: true, userId: 'eve' }),
      await callBack({ invocationId: id, success: 'yes' }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([413, 400, 400, 400, 400]);
    await expectUnchanged(server, id);
  });

  it('an input field _metadata is refused, and the delivery tool sends only what is on record', async () => {
    const { n8n, crib, run, deliver } = await start();
    const forged = { _metadata: { userId: 'root' } };
    const refused = await crib.execute('report', forged, ADA as never);
    expect(refused.error?.code).toBe('VALIDATION_ERROR');
    const id = await run();
    const deliverAs = (userId: string) =>
      crib.execute('n8n_deliver_flows', { invocationId: id }, { userId });
    expect((await deliverAs('eve')).error?.code).toBe('NOT_FOUND');
    await deliver();
    expect((await deliverAs('ada')).error?.code).toBe('CONFLICT');
    expect(n8n.calls).toHaveLength(1);
  });
});

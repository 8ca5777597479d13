import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../test/fixtures/free-port.ts';
import { aTool } from '../../test/fixtures/test-crib.ts';
import {
  CURRENT_KEY,
  NEXT_KEY,
  QSTASH_TOKEN,
  type QstashServer,
  type SignOptions,
  signDelivery,
  startQstash,
} from '../../test/fixtures/vendors/qstash-server.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { Job } from '../contract/queue.ts';
import { createCribHost } from '../crib/create-crib.ts';
import { createRuntime } from '../crib/create-runtime.ts';
import type { CribOptions } from '../crib/crib-options.ts';
import { loadConfig } from '../trust/load-config.ts';
import { openServer } from './open-server.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const RULES: NonNullable<CribOptions['policy']> = {
  version: 1,
  rules: [
    { name: 'ask', effect: 'ask', tools: ['publish'] },
    { name: 'send', effect: 'allow', tools: ['send'] },
  ],
};

const sent: string[] = [];
/** How far the clock of the crib is ahead. */
const clock = { aheadMs: 0 };
const send = aTool({
  name: 'send',
  tier: 'external_api',
  run: ({ text }: never) => {
    sent.push(text);
    return { sent: text };
  },
});

/** A server, its crib and a QStash that reaches it. */
const start = async (more: Record<string, string> = {}) => {
  sent.length = 0;
  clock.aheadMs = 0;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'qstash-')));
  cleanup.push(() => rmSync(folder, { recursive: true, force: true }));
  const qstash: QstashServer = await startQstash();
  cleanup.push(() => qstash.close());
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const env: Record<string, string> = {
    TOOLCRIB_HOME: join(folder, 'home'),
    TOOLCRIB_JOBS_ENGINE: 'qstash',
    TOOLCRIB_JOBS_QSTASH_ENDPOINT: `${endpoint}/`,
    TOOLCRIB_JOBS_QSTASH_API: qstash.url,
    TOOLCRIB_EGRESS_ALLOW_PRIVATE: '127.0.0.1',
    QSTASH_TOKEN,
    QSTASH_CURRENT_SIGNING_KEY: CURRENT_KEY,
    QSTASH_NEXT_SIGNING_KEY: NEXT_KEY,
    ...more,
  };
  const loaded = await loadConfig({ cwd: folder, env });
  const crib = await createCribHost({
    ...{
      tools: [send, aTool({ name: 'publish', tier: 'external_api' })],
      builtins: false,
      store: 'memory',
      settings: loaded.config,
      root: folder,
    },
    ...{ home: join(folder, 'home'), policy: RULES },
    runtime: { now: () => Date.now() + clock.aheadMs },
    secrets: { get: async (key) => env[key] },
  });
  cleanup.push(() => crib.close());
  const server = await openServer({
    ...{ crib, loaded, runtime: createRuntime(), version: '1.2.3', env, host: '127.0.0.1', port },
    doctor: async () => [],
    describe: () => 'a question',
  });
  cleanup.push(() => server.close());
  const post = async (type: string, body: string, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/jobs/${type}`, {
      ...{ method: 'POST', body },
      headers: { 'content-type': 'application/json', ...headers },
    });
  const deliver = async (type: string, body: string, options: SignOptions = {}) =>
    post(type, body, {
      'upstash-signature': await signDelivery(`${endpoint}/jobs/${type}`, body, options),
    });
  return { crib, qstash, post, deliver, endpoint };
};

describe('jobs over QStash', () => {
  it('a job is published, delivered and run as the caller who added it', async () => {
    const { crib, qstash, endpoint } = await start();
    const as = { userId: 'ada', roles: ['member'], retries: 2, delayMs: 1_500 };
    const jobId = await crib.jobs.enqueue('tool', { tool: 'send', input: { text: 'hi' } }, as);
    await qstash.idle();
    const [message] = qstash.published;
    expect(message).toMatchObject({
      url: `${endpoint}/jobs/tool`,
      headers: { 'upstash-retries': '2', 'upstash-delay': '2s', 'upstash-method': 'POST' },
      deliveries: [{ status: 200, body: JSON.stringify({ jobId, state: 'completed' }) }],
    });
    expect(sent).toEqual(['hi']);
    const [row] = await crib.audit.query({ tool: 'send', kind: 'outcome' });
    expect(row?.userId).toBe('ada');
  });

  it.each([
    ['the id of the request that added it', { traceId: 'request-1' }, 'request-1'],
    [
      'the trace that it belongs to',
      { trace: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'v=1' } },
      'a'.repeat(32),
    ],
  ])('a job that carries %s is delivered and run with it', async (_what, place, traceId) => {
    const { crib, qstash } = await start();
    const as = { userId: 'ada', roles: ['member'], ...place };
    const traceIds: string[] = [];
    crib.events.on('call.finished', ({ result }) => void traceIds.push(result.metadata.traceId));
    await crib.jobs.enqueue('tool', { tool: 'send', input: { text: 'hi' } }, as);
    await qstash.idle();
    const { deliveries } = qstash.published[0] ?? {};
    expect(deliveries).toMatchObject([{ status: 200 }]);
    expect([sent, traceIds]).toEqual([['hi'], [traceId]]);
  });

  it('a failed attempt is answered 500 and delivered again, a hopeless one 489 and never', async () => {
    const { crib, qstash } = await start();
    const attempts: number[] = [];
    crib.jobs.register('flaky', ({ attempts: number }: Job) => {
      attempts.push(number);
      if (number < 3) throw new Error('not yet');
    });
    crib.jobs.register('hopeless', () => {
      throw new ToolFailure('PERMISSION_DENIED', 'never');
    });
    await crib.jobs.enqueue('flaky', null, { retries: 5 });
    await crib.jobs.enqueue('hopeless', null, { retries: 5 });
    await qstash.idle();
    const statuses = qstash.published.map(({ deliveries }) =>
      deliveries.map((each) => each.status),
    );
    expect(statuses).toEqual([[500, 500, 200], [489]]);
    expect(attempts).toEqual([1, 2, 3]);
  });

  it('a job that was delivered twice has one effect', async () => {
    const { crib, qstash, deliver } = await start();
    await crib.jobs.enqueue('tool', { tool: 'send', input: { text: 'once' } });
    await qstash.idle();
    const [message] = qstash.published;
    const again = await deliver('tool', message?.body ?? '');
    expect(again.status).toBe(200);
    expect(sent).toEqual(['once']);
  });

  it('a key that comes again when QStash has forgotten its message gives the job that is there', async () => {
    const { crib, qstash } = await start();
    const add = (text: string, traceId: string) =>
      crib.jobs.enqueue(
        'tool',
        { tool: 'send', input: { text } },
        { idempotencyKey: 'k', traceId },
      );
    const jobId = await add('once', 'request-1');
    await qstash.idle();
    qstash.forgetIds();
    expect(await add('once', 'request-2')).toBe(jobId);
    await expect(add('other', 'request-3')).rejects.toMatchObject({ code: 'CONFLICT' });
    await qstash.idle();
    expect((await crib.jobs.get(jobId))?.state).toBe('completed');
    expect([sent, qstash.published.length]).toEqual([['once'], 1]);
  });

  it('a schedule runs as its caller, once for a moment, and for none before it was set', async () => {
    const { crib, qstash } = await start();
    const payload = { tool: 'send', input: { text: 'tick' } };
    const tick = { cron: '* * * * *', type: 'tool', payload, userId: 'ada', roles: ['member'] };
    await crib.jobs.schedule('tick', { ...tick, retries: 0 });
    clock.aheadMs = -120_000;
    await qstash.fire();
    expect(qstash.published.at(-1)?.deliveries[0]?.status).toBe(489);
    expect(sent).toEqual([]);
    clock.aheadMs = 120_000;
    await qstash.fire();
    await qstash.fire();
    expect(sent).toEqual(['tick']);
    const [row] = await crib.audit.query({ tool: 'send', kind: 'outcome' });
    expect(row?.userId).toBe('ada');
    expect(await crib.jobs.schedules({ userId: 'bo' })).toEqual([]);
    expect(await crib.jobs.unschedule('tick')).toBe(true);
  });

  it('a job that waits for an approval is published again with a delay, and not retried', async () => {
    const { crib, qstash } = await start();
    await crib.jobs.enqueue('tool', { tool: 'publish', input: {} }, { retries: 3 });
    await qstash.idle();
    const [first, second, ...others] = qstash.published;
    expect(first?.deliveries.map(({ status }) => status)).toEqual([202]);
    expect(second).toMatchObject({
      headers: { 'upstash-delay': expect.stringMatching(/^(59|60)s$/) },
    });
    expect(JSON.parse(second?.body ?? '{}').seal).toBe(JSON.parse(first?.body ?? '{}').seal);
    expect(others).toEqual([]);
    expect(await crib.approvals.list()).toHaveLength(1);
  });

  it.each<[string, SignOptions]>([
    ['under the key of somebody else', { key: 'sig_key_of_somebody_else' }],
    ['for other bytes', { signedBody: '{}' }],
    ['whose time is over', { now: Date.now() - 3_600_000 }],
    ['of another issuer', { issuer: 'Somebody' }],
  ])('threat: a delivery %s is refused with 401 before it is parsed', async (_, options) => {
    const { deliver } = await start();
    const answer = await deliver('tool', 'this is no JSON', options);
    expect(answer.status).toBe(401);
    expect(sent).toEqual([]);
  });

  it('threat: a delivery without a signature, or for another type, is refused with 401', async () => {
    const { post, endpoint } = await start();
    expect((await post('tool', '{}')).status).toBe(401);
    const other = await signDelivery(`${endpoint}/jobs/flow`, '{}');
    expect((await post('tool', '{}', { 'upstash-signature': other })).status).toBe(401);
  });

  it('threat: a recorded delivery that is sent again is refused', async () => {
    const { crib, qstash, deliver } = await start();
    let runs = 0;
    crib.jobs.register('fails', () => {
      runs += 1;
      throw new Error('no');
    });
    await crib.jobs.enqueue('fails', null, { retries: 0 });
    await qstash.idle();
    const body = qstash.published[0]?.body ?? '';
    expect((await deliver('fails', body, { jti: 'jwt_same' })).status).toBe(500);
    expect((await deliver('fails', body, { jti: 'jwt_same' })).status).toBe(401);
    expect(runs).toBe(2);
  });

  it('threat: a payload without our seal, or with another caller, has no authority', async () => {
    const { crib, qstash, deliver } = await start();
    await crib.jobs.enqueue(
      'tool',
      { tool: 'send', input: { text: 'a' } },
      { userId: 'ada', roles: ['member'] },
    );
    await qstash.idle();
    sent.length = 0;
    const job: Job = JSON.parse(qstash.published[0]?.body ?? '{}');
    const { seal: _seal, ...unsealed } = job;
    const raised = { ...job, id: 'other', caller: { ...job.caller, roles: ['owner'] } };
    for (const forged of [unsealed, raised, { tool: 'send', input: {} }, [], 'text']) {
      const answer = await deliver('tool', JSON.stringify(forged));
      expect(answer.status).toBe(489);
      expect(answer.headers.get('upstash-nonretryable-error')).toBe('true');
    }
    expect(sent).toEqual([]);
  });

  it('a job with the largest payload is delivered, whatever other bodies may have', async () => {
    const { crib, qstash } = await start({ TOOLCRIB_SERVER_MAX_BODY_BYTES: '2000' });
    let length = 0;
    crib.jobs.register('measure', ({ payload }: Job) => {
      length = String(payload).length;
    });
    const largest = 'x'.repeat(1_048_576 - 2);
    await crib.jobs.enqueue('measure', largest, { retries: 0 });
    await qstash.idle();
    expect(length).toBe(largest.length);
    expect(qstash.published[0]?.deliveries[0]?.status).toBe(200);
  });

  it('a job whose caller makes it larger than a delivery may be is refused when it is added', async () => {
    const { crib, qstash } = await start();
    const permissions = Array.from({ length: 5_000 }, (_, n) => `tool:${'x'.repeat(20)}${n}`);
    const adding = crib.jobs.enqueue(
      'tool',
      { tool: 'send', input: 'x'.repeat(1_000_000) },
      {
        ...{ userId: 'ada', permissions },
      },
    );
    await expect(adding).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(qstash.published).toEqual([]);
  });

  it('a delivery that is larger than any job is refused for good', async () => {
    const { deliver } = await start();
    expect((await deliver('tool', JSON.stringify('x'.repeat(1_200_000)))).status).toBe(489);
  });

  it('threat: the keys for development are refused where the world reaches the server', async () => {
    const key = 'sig_7kYjw48mhY7kAjqNGcy6cr29RJ6r';
    const endpoint = 'https://worker.example.com';
    const { post } = await start({
      QSTASH_CURRENT_SIGNING_KEY: key,
      TOOLCRIB_JOBS_QSTASH_ENDPOINT: endpoint,
    });
    const signature = await signDelivery(`${endpoint}/jobs/tool`, '{}', { key });
    expect((await post('tool', '{}', { 'upstash-signature': signature })).status).toBe(401);
    const local = await start({ QSTASH_CURRENT_SIGNING_KEY: key });
    expect((await local.deliver('tool', '{}', { key })).status).toBe(489);
  });

  it('a token that QStash does not accept is named, and is in no message', async () => {
    const { crib } = await start({ QSTASH_TOKEN: 'wrong-token' });
    const adding = crib.jobs.enqueue('tool', { tool: 'send', input: {} });
    const error = await adding.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'AUTH_MISSING' });
    expect(JSON.stringify(error)).not.toContain('wrong-token');
    await expect(crib.jobs.list()).rejects.toMatchObject({ code: 'AUTH_MISSING' });
  });
});

/** The queue at QStash: what its port promises, against a server that speaks the protocol of QStash. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@upstash/qstash';
import { afterEach, describe, expect, it } from 'vitest';
import { describeQueue } from '../../../test/conformance/queue.ts';
import {
  completed,
  failed,
  gate,
  type Run,
  sampleJob,
  work,
} from '../../../test/conformance/queue-samples.ts';
import {
  QSTASH_TOKEN,
  type QstashServer,
  startQstash,
} from '../../../test/fixtures/vendors/qstash-server.ts';
import type { JobSchedule, NewJob } from '../../contract/queue.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { QSTASH_LACKS, QstashQueue } from './qstash-queue.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const STATUS = { completed: 200, postponed: 202, failed: 500 } as const;

interface Opened {
  readonly queue: QstashQueue;
  readonly qstash: QstashServer;
  /** How far the clock of the queue is ahead. */
  readonly clock: { aheadMs: number };
}

/** The queue, and a worker that QStash posts to. */
const open = async (): Promise<Opened> => {
  const clock = { aheadMs: 0 };
  const qstash = await startQstash();
  cleanup.push(() => qstash.close());
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const job = JSON.parse(Buffer.concat(chunks).toString('utf8')) as NewJob;
    const end = await queue.deliver(job, Number(request.headers['upstash-retried']) + 1);
    const isFinal = end.state === 'failed' && !end.retryable;
    response.writeHead(isFinal ? 489 : STATUS[end.state], {
      ...(isFinal && { 'upstash-nonretryable-error': 'true' }),
    });
    response.end();
  };
  const worker = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((done) => worker.listen(0, '127.0.0.1', done));
  cleanup.push(() => new Promise((done) => worker.close(() => done(undefined))));
  const { port } = worker.address() as AddressInfo;
  const runtime = { ...createRuntime(), now: () => Date.now() + clock.aheadMs };
  const queue = new QstashQueue({
    ...{ runtime, api: qstash.url, endpoint: `http://127.0.0.1:${port}` },
    token: async () => QSTASH_TOKEN,
    fetch: (url, init) => fetch(url, init),
  });
  cleanup.push(() => queue.close());
  return { queue, qstash, clock };
};

describeQueue('QStash', async () => ({ ...(await open()), cleanup: async () => undefined }), {
  isShared: false,
  lacks: QSTASH_LACKS,
});

const LATER = () => ({ runAt: Date.now() + 3_600_000 });
const CANNOT = { code: 'PRECONDITION_FAILED' };

describe('jobs at QStash', () => {
  it('a job is added once, and read back as it was added', async () => {
    const { queue } = await open();
    const job = sampleJob('a/b ü', { ...LATER(), seal: 's', idempotencyKey: 'k' });
    expect(await queue.add([job])).toEqual([true]);
    expect(await queue.add([{ ...job, payload: 'other' }])).toEqual([false]);
    const stored = await queue.get(job.id);
    expect(stored).toMatchObject({
      ...job,
      state: 'delayed',
      attempts: 0,
      runAt: expect.any(Number),
    });
    expect(Math.abs((stored?.runAt ?? 0) - job.runAt)).toBeLessThan(5_000);
    expect(await queue.get('none')).toBeUndefined();
  });

  it('jobs are listed newest first, over pages, by what a filter says', async () => {
    const { queue } = await open();
    const all = Array.from({ length: 45 }, (_, n) =>
      sampleJob(`j${n}`, {
        ...{ ...LATER(), createdAt: 1_000 + n, queue: n % 2 ? 'odd' : 'even' },
        caller: { ...sampleJob('x').caller, userId: n < 3 ? 'ada' : 'bo' },
      }),
    );
    for (const job of all) await queue.add([job]);
    const ids = (jobs: readonly NewJob[]) => jobs.map(({ id }) => id);
    expect(ids(await queue.list({ limit: 2 }))).toEqual(['j44', 'j43']);
    expect(ids(await queue.list({ userId: 'ada' }))).toEqual(['j2', 'j1', 'j0']);
    expect(await queue.list({ queue: 'odd', state: 'delayed' })).toHaveLength(22);
    expect(ids(await queue.list({ before: 1_002 }))).toEqual(['j1', 'j0']);
    expect(await queue.list({ state: 'dead' })).toEqual([]);
  });

  it('a job that waits is cancelled and not delivered; one that is over is not', async () => {
    const { queue, qstash } = await open();
    work(queue, () => completed());
    await queue.add([sampleJob('later', LATER()), sampleJob('now')]);
    await qstash.idle();
    expect(await queue.cancel('later')).toBe(true);
    expect(await queue.cancel('later')).toBe(false);
    expect(await queue.cancel('now')).toBe(false);
    expect(await queue.cancel('none')).toBe(false);
    expect((await queue.get('later'))?.state).toBe('cancelled');
    expect(await queue.get('now')).toMatchObject({ state: 'completed', attempts: 1 });
    expect(qstash.published.map(({ deliveries }) => deliveries.length)).toEqual([0, 1]);
    await expect(queue.requeue('later')).rejects.toMatchObject(CANNOT);
    await expect(queue.remove('now')).rejects.toMatchObject(CANNOT);
  });

  it('a dead job is put back with all its attempts, or removed', async () => {
    const { queue, qstash } = await open();
    let isFixed = false;
    const run: Run = () => (isFixed ? completed() : failed('no'));
    work(queue, run);
    await queue.add([sampleJob('a', { retries: 1 }), sampleJob('b', { retries: 0 })]);
    await qstash.idle();
    expect(await queue.get('a')).toMatchObject({ state: 'dead', attempts: 2 });
    isFixed = true;
    expect(await queue.requeue('a')).toBe(true);
    await qstash.idle();
    expect((await queue.get('a'))?.state).toBe('completed');
    expect(await queue.requeue('a')).toBe(false);
    expect(await queue.remove('b')).toBe(true);
    expect(await queue.requeue('none')).toBe(false);
    expect(await queue.remove('none')).toBe(false);
  });

  it('a job that was postponed is not over, although its message was delivered', async () => {
    const { queue, qstash } = await open();
    work(queue, () => ({ state: 'postponed', retryAfterMs: 1 }));
    await queue.add([sampleJob('a')]);
    await qstash.idle();
    expect((await queue.get('a'))?.state).toBe('delayed');
    expect(await queue.list()).toHaveLength(1);
    expect(await queue.cancel('a')).toBe(true);
  });

  it('a worker that closes with a job that does not end stops that job alone, and no other worker', async () => {
    const { queue, qstash } = await open();
    const [begun, other, go] = [gate(), gate(), gate()];
    const signals = new Map<string, AbortSignal>();
    const wait =
      (name: string, begin: () => void): Run =>
      async (_, { signal }) => {
        signals.set(name, signal);
        begin();
        await go.passed;
        return completed();
      };
    const stuck = work(queue, wait('stuck', begun.open), { queue: 'stuck' });
    work(queue, wait('fine', other.open), { queue: 'fine' });
    await queue.add([sampleJob('a', { queue: 'stuck' }), sampleJob('b', { queue: 'fine' })]);
    await Promise.all([begun.passed, other.passed]);
    await stuck.close(1);
    expect([signals.get('stuck')?.aborted, signals.get('fine')?.aborted]).toEqual([true, false]);
    expect((await queue.get('b'))?.state).toBe('active');
    expect(await queue.add([sampleJob('later', LATER())])).toEqual([true]);
    go.open();
    await qstash.idle();
    expect((await queue.get('b'))?.state).toBe('completed');
  });

  it('fail with a coded error for what QStash cannot do, never with an empty answer', async () => {
    const { queue } = await open();
    await expect(queue.counts()).rejects.toMatchObject(CANNOT);
    expect(await queue.expire()).toBe(0);
    await queue.close();
    await queue.close();
    await expect(queue.list()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});

describe('schedules at QStash', () => {
  const scheduleOf = (cron: string, parts: Partial<JobSchedule> = {}): JobSchedule => {
    const { id: _id, runAt: _runAt, createdAt: _createdAt, ...job } = sampleJob('x');
    const { timeZone } = parts;
    const spec = { cron, ...(timeZone !== undefined && { timeZone }) };
    return { id: 'nightly/ü', ...spec, job: { ...job, cadence: { ...spec, since: 0 } } };
  };

  it('are set, listed, replaced and removed', async () => {
    const { queue, qstash } = await open();
    const first = await queue.setSchedule(scheduleOf('@daily'));
    expect(first.nextAt).toBeGreaterThan(Date.now());
    const vienna = scheduleOf('30 4 * * 1-5', { timeZone: 'Europe/Vienna' });
    await queue.setSchedule(vienna);
    expect(await queue.schedules()).toEqual([{ ...vienna, nextAt: expect.any(Number) }]);
    const client = new Client({ baseUrl: qstash.url, token: QSTASH_TOKEN });
    const [entry] = await client.schedules.list();
    expect(entry).toMatchObject({ cron: 'CRON_TZ=Europe/Vienna 30 4 * * 1-5', retries: 3 });
    expect(await queue.removeSchedule('nightly/ü')).toBe(true);
    expect(await queue.removeSchedule('nightly/ü')).toBe(false);
    expect(await queue.schedules()).toEqual([]);
  });

  it.each(['* * * * * *', 'soon', '@reboot'])('refuse the pattern %s', async (cron) => {
    const { queue } = await open();
    const setting = queue.setSchedule(scheduleOf(cron));
    await expect(setting).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await queue.schedules()).toEqual([]);
  });

  it('make one job for a moment, however often its message comes', async () => {
    const { queue, qstash } = await open();
    const ids: string[] = [];
    work(queue, ({ id, runAt, payload }) => {
      ids.push(id);
      expect(id).toBe(`nightly/ü@${runAt}`);
      expect(payload).toEqual({ id: 'x' });
      return completed();
    });
    await queue.setSchedule(scheduleOf('0 0 1 1 *'));
    await qstash.fire();
    await qstash.fire();
    const newYear = Date.UTC(new Date(Date.now() + 30_000).getUTCFullYear(), 0, 1);
    expect(ids).toEqual([`nightly/ü@${newYear}`]);
    expect(await queue.get(`nightly/ü@${newYear}`)).toMatchObject({ state: 'completed' });
    expect(await queue.list()).toHaveLength(1);
  });

  it('a job that is postponed past the next moments of its schedule stays the job of its own', async () => {
    const { queue, qstash, clock } = await open();
    const ids: string[] = [];
    work(queue, ({ id }) => {
      ids.push(id);
      return ids.length < 3 ? { state: 'postponed', retryAfterMs: 1 } : completed();
    });
    await queue.setSchedule(scheduleOf('* * * * *'));
    await qstash.fire();
    for (let round = 0; round < 2; round++) {
      clock.aheadMs += 5 * 60_000;
      await queue.deliver(JSON.parse(qstash.published.at(-1)?.body ?? '') as NewJob, 1);
    }
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(1);
    // The schedule's, the job's, and one for each time that it was postponed.
    expect(qstash.published).toHaveLength(4);
  });

  it('a job that is tried again after the next moment of its schedule stays the job of its own', async () => {
    const { queue, qstash, clock } = await open();
    const ids: string[] = [];
    work(queue, ({ id }) => {
      ids.push(id);
      clock.aheadMs += 2 * 60_000;
      return ids.length < 3 ? failed('not yet') : completed();
    });
    await queue.setSchedule(scheduleOf('* * * * *'));
    await qstash.fire();
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(1);
    expect(await queue.get(ids[0] ?? '')).toMatchObject({ state: 'completed', attempts: 3 });
  });

  it('a dead job of a schedule is put back as any other', async () => {
    const { queue, qstash } = await open();
    let isFixed = false;
    work(queue, () => (isFixed ? completed() : failed('no', { retryable: false })));
    await queue.setSchedule(scheduleOf('* * * * *'));
    await qstash.fire();
    const [dead] = await queue.list({ state: 'dead' });
    isFixed = true;
    expect(await queue.requeue(dead?.id ?? '')).toBe(true);
    await qstash.idle();
    expect((await queue.get(dead?.id ?? ''))?.state).toBe('completed');
  });
});

it('the library of QStash itself reads, cancels and finds what the queue has published', async () => {
  const { queue, qstash } = await open();
  const client = new Client({ baseUrl: qstash.url, token: QSTASH_TOKEN });
  work(queue, () => failed('no', { retryable: false }));
  await queue.add([sampleJob('a', LATER()), sampleJob('b')]);
  await qstash.idle();
  const { logs } = await client.logs();
  expect(logs.map(({ state }) => state)).toEqual([
    'FAILED',
    'ERROR',
    'ACTIVE',
    'CREATED',
    'CREATED',
  ]);
  const { messages } = await client.dlq.listMessages();
  expect(messages).toHaveLength(1);
  const waiting = logs.at(-1)?.messageId ?? '';
  expect(await client.messages.get(waiting)).toMatchObject({ messageId: waiting });
  await client.messages.cancel(waiting);
  expect((await queue.get('a'))?.state).toBe('cancelled');
});

import { afterEach, describe, expect, it } from 'vitest';
import type { EmbeddingItem, PushMessage, PushService } from '../contract/background-services.ts';
import type { CribHost } from '../contract/crib-host.ts';
import { defineFlow } from '../contract/flow.ts';
import type { EnqueueOptions } from '../contract/job.ts';
import type { Job } from '../contract/queue.ts';
import { createCribHost } from '../crib/create-crib.ts';
import type { CribOptions } from '../crib/crib-options.ts';

let crib: CribHost | undefined;
afterEach(() => crib?.close());

const BACKOFF = { initialMs: 5, factor: 1, maxMs: 5 };

const open = async (background: CribOptions['background'] = {}): Promise<CribHost> => {
  crib = await createCribHost({ store: 'memory', builtins: false, background });
  return crib;
};

/** Adds a job, works until it is over, and returns it. */
const runJob = async (
  host: CribHost,
  [type, payload]: readonly [string, unknown],
  options: EnqueueOptions = {},
): Promise<Job | undefined> => {
  const jobId = await host.jobs.enqueue(type, payload, { backoff: BACKOFF, ...options });
  await host.jobs.work();
  const isOver = async () => /completed|dead/.test((await host.jobs.get(jobId))?.state ?? '');
  await expect.poll(isOver, { timeout: 20_000 }).toBe(true);
  return host.jobs.get(jobId);
};

const eventOf = async (host: CribHost) => (await host.audit.query({ kind: 'event' }))[0]?.detail;

describe('generate_embedding', () => {
  const payload = { type: 'memory', id: 'm1', content: 'tools' };

  it('stores the vector for the user who added the job, and says so in the trail', async () => {
    const stored: EmbeddingItem[] = [];
    const embeddings = {
      generate: async (content: string) => [content.length, 0.5],
      store: async (item: EmbeddingItem) => void stored.push(item),
    };
    const host = await open({ embeddings });
    const job = await runJob(host, ['generate_embedding', payload], { userId: 'ada' });
    expect(job).toMatchObject({ state: 'completed', result: { vectorDimensions: 2 } });
    expect(stored).toEqual([{ type: 'memory', id: 'm1', userId: 'ada', vector: [5, 0.5] }]);
    expect(await eventOf(host)).toMatchObject({
      ...{ event: 'embedding.generated', resourceId: 'm1', vectorDimensions: 2 },
    });
  });

  it('stores nothing that is no vector', async () => {
    const stored: EmbeddingItem[] = [];
    const embeddings = {
      generate: async () => [Number.NaN],
      store: async (item: EmbeddingItem) => void stored.push(item),
    };
    const job = await runJob(await open({ embeddings }), ['generate_embedding', payload]);
    expect(job).toMatchObject({ state: 'dead', error: { code: 'OUTPUT_INVALID' } });
    expect(stored).toEqual([]);
  });

  it('is no type of job where the program gives no embeddings', async () => {
    const host = await open();
    await expect(host.jobs.enqueue('generate_embedding', payload)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('send_notification', () => {
  const payload = { userId: 'ada', title: 'Done', body: 'It is done.', data: { n: 1 } };
  const ada = { userId: 'ada' };

  /** Devices by what happens when they are sent to. */
  const pushTo = (devices: readonly ('fine' | 'gone' | 'busy')[]) => {
    const sent: PushMessage[] = [];
    const removed: string[] = [];
    const push: PushService = {
      tokens: async () => devices.map((token, n) => ({ id: `t${n}`, token, platform: 'test' })),
      removeToken: async (id) => void removed.push(id),
      send: async (message) => {
        if (message.token === 'gone')
          throw Object.assign(new Error('x'), { code: 'INVALID_TOKEN' });
        if (message.token === 'busy') throw new Error('busy');
        sent.push(message);
      },
    };
    return { push, sent, removed };
  };

  it('sends to each device by itself and removes tokens of devices that are gone', async () => {
    const { push, sent, removed } = pushTo(['gone', 'fine', 'busy', 'fine']);
    const host = await open({ push });
    const job = await runJob(host, ['send_notification', payload], ada);
    expect(job?.result).toEqual({ tokenCount: 4, successCount: 2, removed: 1 });
    expect(sent).toHaveLength(2);
    expect(sent[0]).toMatchObject({ title: 'Done', body: 'It is done.', data: { n: 1 } });
    expect(removed).toEqual(['t0']);
    expect(await eventOf(host)).toMatchObject({
      ...{ event: 'notification.sent', resourceId: 'ada', tokenCount: 4, successCount: 2 },
    });
  });

  it('has nothing to do for a user without devices', async () => {
    const host = await open({ push: pushTo([]).push });
    const job = await runJob(host, ['send_notification', payload], ada);
    expect(job?.result).toEqual({ tokenCount: 0, successCount: 0 });
    expect(await eventOf(host)).toBeUndefined();
  });

  it('is tried again when nothing could be sent', async () => {
    const host = await open({ push: pushTo(['busy', 'gone']).push });
    const job = await runJob(host, ['send_notification', payload], { ...ada, retries: 1 });
    expect(job).toMatchObject({ state: 'dead', attempts: 2, error: { message: 'busy' } });
  });

  it('threat: a user cannot notify another one', async () => {
    const { push, sent } = pushTo(['fine']);
    const host = await open({ push });
    const job = await runJob(host, ['send_notification', payload], { userId: 'bo' });
    expect(job).toMatchObject({ state: 'dead', error: { code: 'PERMISSION_DENIED' } });
    expect(sent).toEqual([]);
  });
});

describe('execute_workflow', () => {
  it('runs a flow to its end, with the retries of the job', async () => {
    const host = await open();
    let runs = 0;
    const run = async () => {
      runs += 1;
      if (runs === 1) throw new Error('not yet');
      return { runs };
    };
    host.flows.register(defineFlow({ name: 'work', version: '1.0.0', run }));
    const job = await runJob(host, ['execute_workflow', { workflowId: 'work' }], { userId: 'ada' });
    expect(job).toMatchObject({ state: 'completed', attempts: 2, result: { output: { runs: 2 } } });
    expect(await eventOf(host)).toMatchObject({ event: 'workflow.completed', workflowId: 'work' });
    const [first] = await host.flows.list();
    expect(first?.caller.userId).toBe('ada');
  });

  it('waits for a flow that sleeps, without using up attempts', async () => {
    const host = await open();
    const run = async (flow: { sleep(ms: number): Promise<void> }) => {
      await flow.sleep(300);
      return 'rested';
    };
    host.flows.register(defineFlow({ name: 'slow', version: '1.0.0', run }));
    const job = await runJob(host, ['execute_workflow', { workflowId: 'slow' }], { retries: 0 });
    expect(job).toMatchObject({ state: 'completed', attempts: 1, result: { output: 'rested' } });
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import type { EmbeddingItem, PushMessage, PushService } from '../contract/background-services.ts';
import type { CribHost } from '../contract/crib-host.ts';
import { defineFlow } from '../contract/define-flow.ts';
import type { EnqueueOptions } from '../contract/job.ts';
import type { Job } from '../contract/queue.ts';
import { createCribHost } from '../crib/create-crib.ts';
import type { CribOptions } from '../crib/crib-options.ts';

let crib: CribHost | undefined;
afterEach(() => crib?.close());

const BACKOFF = { initialMs: 5, factor: 1, maxMs: 5 };

const ALLOWED = ['send_notification'];

const open = async (
  background: CribOptions['background'] = {},
  config: NonNullable<CribOptions['config']> = {},
  allowed: readonly string[] = ALLOWED,
): Promise<CribHost> => {
  const rules = allowed.map((tool) => ({ name: tool, effect: 'allow' as const, tools: [tool] }));
  const policy = { version: 1 as const, rules };
  crib = await createCribHost({ store: 'memory', builtins: false, background, config, policy });
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
      event: 'embedding.generated',
      resourceId: 'm1',
      vectorDimensions: 2,
    });
    // Kept elsewhere: there is nothing to search here.
    expect(host.tools.get('search_embeddings')).toBeUndefined();
  });

  it('keeps vectors in the store, where their user finds them by meaning and no other does', async () => {
    const vectors: Readonly<Record<string, number[]>> = {
      cats: [1, 0.1],
      dogs: [0.9, 0.2],
      stocks: [0, 1],
      pets: [1, 0],
    };
    const generate = async (text: string) => vectors[text] ?? [0.5, 0.5];
    const host = await open({ embeddings: { generate } });
    const ada = { userId: 'ada' };
    for (const content of ['cats', 'dogs', 'stocks']) {
      const item = { type: 'knowledge', id: content, content };
      await runJob(host, ['generate_embedding', item], ada);
    }
    const search = async (as: { readonly userId: string }) => {
      const input = { query: 'pets', limit: 2 };
      const { data } = await host.execute('search_embeddings', input, as);
      return (data as { matches: { id: string }[] }).matches.map(({ id }) => id);
    };
    expect(await search(ada)).toEqual(['cats', 'dogs']);
    expect(await search({ userId: 'bo' })).toEqual([]);
    const gone = { type: 'knowledge', id: 'cats' };
    const asked = await host.execute('delete_embeddings', gone, ada);
    expect(asked.status).toBe('pending');
  });

  it('counts what a vector costs in the ledger, for the user who added the job', async () => {
    const embeddings = {
      model: 'm',
      price: { inputPerMillion: 20, outputPerMillion: 0 },
      generate: async () => ({ vector: [1, 2], inputTokens: 50_000, costUsd: 1 }),
    };
    const content = 'x'.repeat(60_000);
    const host = await open({ embeddings }, { budget: { dailyUsd: 2 } });
    const job = (id: string) =>
      runJob(host, ['generate_embedding', { type: 'memory', id, content }], { userId: 'ada' });
    expect(await job('a')).toMatchObject({ state: 'completed' });
    const [row] = await host.audit.query({ tool: 'save_embedding', kind: 'outcome' });
    expect(row).toMatchObject({ userId: 'ada', costMicros: 1_000_000 });
    // 1.2 dollars at most are held for it, and 1 is left.
    expect(await job('b')).toMatchObject({ state: 'dead', error: { code: 'BUDGET_EXCEEDED' } });
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

  it('is no type of job where no embeddings are given or configured', async () => {
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
    const push = {
      tokens: async () => devices.map((token, n) => ({ id: `t${n}`, token, platform: 'test' })),
      removeToken: async (id: string) => void removed.push(id),
      send: async (message: PushMessage) => {
        if (message.token.startsWith('gone'))
          throw Object.assign(new Error('x'), { code: 'INVALID_TOKEN' });
        if (message.token === 'busy') throw new Error('no room for busy');
        sent.push(message);
      },
    } satisfies PushService;
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
      event: 'notification.sent',
      resourceId: 'ada',
      tokenCount: 4,
      successCount: 2,
    });
  });

  it('sends to the devices in the store, and removes the token of one that is gone', async () => {
    const { push, sent } = pushTo([]);
    const host = await open({ push: { send: push.send } });
    await host.devices.add({ token: 'gone-phone', platform: 'ios' }, ada);
    const tablet = await host.devices.add({ token: 'tablet', platform: 'web' }, ada);
    await host.devices.add({ token: 'other', platform: 'web' }, { userId: 'bo' });
    const job = await runJob(host, ['send_notification', payload], ada);
    expect(job?.result).toEqual({ tokenCount: 2, successCount: 1, removed: 1 });
    expect(sent).toMatchObject([{ token: 'tablet', platform: 'web' }]);
    expect(await host.devices.list(ada)).toEqual([tablet]);
    expect(JSON.stringify(await host.audit.query())).not.toMatch(/gone-phone|tablet/);
    expect(await host.devices.remove(tablet.id, { userId: 'bo' })).toBe(false);
    expect(await host.devices.remove(tablet.id, ada)).toBe(true);
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
    expect(job).toMatchObject({
      state: 'dead',
      attempts: 2,
      error: { message: 'no room for [token]' },
    });
  });

  it('waits for a person where no rule allows it', async () => {
    const { push, sent } = pushTo(['fine']);
    const host = await open({ push }, {}, []);
    const jobId = await host.jobs.enqueue('send_notification', payload, ada);
    await host.jobs.work();
    const waiting = async () => (await host.approvals.list({ state: 'waiting' })).length;
    await expect.poll(waiting, { timeout: 20_000 }).toBe(1);
    expect(sent).toEqual([]);
    await host.jobs.cancel(jobId);
  });

  it('threat: a user cannot notify another one, by a job or by a call', async () => {
    const { push, sent } = pushTo(['fine']);
    const host = await open({ push });
    const bo = { userId: 'bo', roles: ['member'] };
    const job = await runJob(host, ['send_notification', payload], bo);
    expect(job).toMatchObject({ state: 'dead', error: { code: 'PERMISSION_DENIED' } });
    const call = await host.execute('send_notification', payload, bo);
    expect(call).toMatchObject({ success: false, error: { code: 'VALIDATION_ERROR' } });
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

  it('threat: gives the job of one user nothing that another user put under the id of its run', async () => {
    const host = await open();
    const run = async (_flow: unknown, input: unknown) => input;
    host.flows.register(defineFlow({ name: 'work', version: '1.0.0', run }));
    const jobId = await host.jobs.enqueue(
      'execute_workflow',
      { workflowId: 'work', input: { of: 'ada' } },
      { userId: 'ada', idempotencyKey: 'nightly' },
    );
    const runId = `job-${jobId}-1`;
    await (await host.flows.start('work', { of: 'eve' }, { userId: 'eve', runId })).finished;
    await host.jobs.work();
    await expect
      .poll(async () => (await host.jobs.get(jobId))?.state, { timeout: 20_000 })
      .toBe('dead');
    expect(await host.jobs.get(jobId)).toMatchObject({ error: { code: 'CONFLICT' } });
  });

  it('threat: no job of a flow takes an id that is made for another one', async () => {
    const host = await open();
    for (const runId of ['job-1-1', 'key-1', 'x'.repeat(201)]) {
      const payload = { flow: 'work', runId };
      await expect(host.jobs.enqueue('flow', payload)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
    }
    await host.jobs.enqueue('flow', { flow: 'work', runId: 'monday' });
  });
});

describe('a type that ships and whose service is not there', () => {
  it.each([
    ['generate_embedding', 'It needs model.embedding in the configuration'],
    ['send_notification', 'It needs background.push.send of createCrib'],
    ['report', 'Register it first'],
    ['report', 'Known here are: tool, flow, execute_workflow.'],
  ])('%s is refused with what it needs', async (type, need) => {
    const host = await open();
    await expect(host.jobs.enqueue(type, {})).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: `There is no type of job ${type}.`,
      extras: { suggestions: [expect.stringContaining(need)] },
    });
  });

  it('is suggested for a misspelt name, and can be registered by the program itself', async () => {
    const host = await open();
    await expect(host.jobs.enqueue('send_notificaton', {})).rejects.toThrow(
      'did you mean send_notification?',
    );
    host.jobs.register('send_notification', () => 'sent');
    await expect(host.jobs.enqueue('send_notification', {})).resolves.toBeTypeOf('string');
  });
});

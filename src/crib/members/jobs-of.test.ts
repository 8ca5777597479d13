import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sendingTools } from '../../../test/fixtures/sending-tools.ts';
import type { CribHost } from '../../contract/crib-host.ts';
import { defineFlow } from '../../contract/define-flow.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { JobState } from '../../contract/queue.ts';
import { REDACTED } from '../../governance/redaction/redaction.ts';
import { createSqliteStore } from '../../stores/sqlite/create-sqlite-store.ts';
import { sqliteDepsOf } from '../../stores/sqlite/sqlite-store.ts';
import { createCribHost } from '../create-crib.ts';
import { createRuntime } from '../create-runtime.ts';
import type { CribOptions } from '../crib-options.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const { sent, send, paid } = sendingTools();
const ALLOW = {
  version: 1 as const,
  rules: [{ name: 'all', effect: 'allow' as const, tools: ['*'] }],
};

interface Opened {
  readonly crib: CribHost;
  readonly root: string;
  again(options?: CribOptions): Promise<CribHost>;
}

const open = async (options: CribOptions = {}): Promise<Opened> => {
  sent.length = 0;
  const root = mkdtempSync(join(tmpdir(), 'toolcrib-jobs-'));
  cleanup.push(() => rmSync(root, { recursive: true, force: true }));
  const again = async (more: CribOptions = {}): Promise<CribHost> => {
    const crib = await createCribHost({
      ...{ root, home: join(root, 'home'), store: { sqlite: join(root, 'state.db') } },
      ...{ builtins: false, tools: [send, paid], policy: ALLOW },
      ...options,
      ...more,
    });
    cleanup.push(() => crib.close());
    return crib;
  };
  return { crib: await again(), root, again };
};

const untilState = (crib: CribHost, jobId: string, state: JobState): Promise<void> =>
  expect.poll(async () => (await crib.jobs.get(jobId))?.state, { timeout: 20_000 }).toBe(state);

const BACKOFF = { initialMs: 5, factor: 1, maxMs: 5 };

describe('crib.jobs', () => {
  it('a job of type tool makes one governed call in the background', async () => {
    const { crib } = await open();
    const jobId = await crib.jobs.enqueue('tool', { tool: 'send', input: { text: 'hello' } });
    expect((await crib.jobs.get(jobId))?.state).toBe('waiting');
    await crib.jobs.work();
    await untilState(crib, jobId, 'completed');
    expect((await crib.jobs.get(jobId))?.result).toEqual({ sent: 'hello' });
    expect(await crib.audit.query({ tool: 'send', kind: 'outcome' })).toHaveLength(1);
  });

  it('threat: a caller with a list of tools adds no jobs of a type that the list does not name', async () => {
    const { crib } = await open();
    crib.jobs.register('report', () => 'done');
    const add = (tools: readonly string[]) => crib.jobs.enqueue('report', {}, { tools });
    await expect(add(['send'])).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    await expect(add(['send', 'job:report'])).resolves.toBeTypeOf('string');
    await expect(
      crib.jobs.enqueue('tool', { tool: 'send' }, { tools: ['send'] }),
    ).resolves.toBeTypeOf('string');
  });

  it('a job of type flow starts a run of the flow', async () => {
    const { crib } = await open();
    const run = async () => 'over';
    crib.flows.register(defineFlow({ name: 'sample', version: '1.0.0', run }));
    const payload = { flow: 'sample', input: {}, runId: 'run-1' };
    const jobId = await crib.jobs.enqueue('flow', payload, { userId: 'ada' });
    await crib.jobs.work();
    await untilState(crib, jobId, 'completed');
    expect((await crib.jobs.get(jobId))?.result).toEqual({ runId: 'run-1' });
    await expect.poll(async () => (await crib.flows.get('run-1'))?.output).toBe('over');
    expect((await crib.flows.get('run-1'))?.caller.userId).toBe('ada');
  });

  it('a handler gets job, context and signal, and its result is kept', async () => {
    const { crib } = await open();
    crib.jobs.register('greet', async (job, context) => {
      await context.progress({ percent: 50 });
      const { name } = job.payload as { readonly name: string };
      return { text: `hello ${name}`, aborted: context.signal.aborted };
    });
    const jobId = await crib.jobs.enqueue('greet', { name: 'Ada' });
    await crib.jobs.work();
    await untilState(crib, jobId, 'completed');
    expect(await crib.jobs.get(jobId)).toMatchObject({
      ...{ attempts: 1, progress: { percent: 50 } },
      result: { text: 'hello Ada', aborted: false },
    });
  });

  it('the same key gives the same job, another payload a conflict, another user another job', async () => {
    const { crib } = await open();
    const enqueue = (text: string, userId: string) =>
      crib.jobs.enqueue('tool', { tool: 'send', input: { text } }, { idempotencyKey: 'k', userId });
    const first = await enqueue('a', 'ada');
    expect(await enqueue('a', 'ada')).toBe(first);
    await expect(enqueue('b', 'ada')).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await enqueue('b', 'bo')).not.toBe(first);
    expect(await crib.jobs.list()).toHaveLength(2);
  });

  it.each([
    ['a type that is not registered', () => ['sendd', {}], 'NOT_FOUND'],
    ['a payload that does not fit the type', () => ['tool', { tool: 7 }], 'VALIDATION_ERROR'],
    ['a payload that is no JSON', () => ['free', { at: new Date(0) }], 'VALIDATION_ERROR'],
    ['too many retries', () => ['free', {}, { retries: 10_001 }], 'VALIDATION_ERROR'],
    [
      'a priority that is out of range',
      () => ['free', {}, { priority: 1_001 }],
      'VALIDATION_ERROR',
    ],
    ['a queue name that makes no sense', () => ['free', {}, { queue: '../x' }], 'VALIDATION_ERROR'],
    ['a misspelt option', () => ['free', {}, { delay: 5 }], 'VALIDATION_ERROR'],
    ['a caller that is no text', () => ['free', {}, { userId: 7 }], 'VALIDATION_ERROR'],
  ] as const)('enqueue refuses %s and adds nothing', async (_, args, code) => {
    const { crib } = await open();
    crib.jobs.register('free', () => null);
    const [type, payload, options] = args() as unknown as [string, unknown, never];
    await expect(crib.jobs.enqueue(type, payload, options)).rejects.toMatchObject({ code });
    expect(await crib.jobs.list()).toEqual([]);
  });

  it('a job whose handler throws is tried again, then dead with the reason', async () => {
    const { crib } = await open();
    let runs = 0;
    crib.jobs.register('bad', () => {
      runs += 1;
      throw new Error(`failure ${runs}`);
    });
    const jobId = await crib.jobs.enqueue('bad', null, { retries: 2, backoff: BACKOFF });
    await crib.jobs.work();
    await untilState(crib, jobId, 'dead');
    expect((await crib.jobs.get(jobId))?.error).toMatchObject({
      ...{ code: 'EXECUTION_FAILED', message: 'failure 3' },
    });
    expect(runs).toBe(3);
  });

  it('threat: a secret in what a handler throws is not on record', async () => {
    const { crib } = await open();
    crib.jobs.register('leaky', () => {
      throw new Error(`no access with ghp_${'a1B2'.repeat(9)}`);
    });
    const jobId = await crib.jobs.enqueue('leaky', null, { retries: 0 });
    await crib.jobs.work();
    await untilState(crib, jobId, 'dead');
    const message = (await crib.jobs.get(jobId))?.error?.message;
    expect(message).toContain('no access with');
    expect(message).not.toContain('a1B2');
  });

  it('threat: a secret in the partial result that a handler throws is not on record', async () => {
    const { crib } = await open();
    crib.jobs.register('leaky', () => {
      const partial = { sent: 2, password: 'correct-horse', log: [`ghp_${'a1B2'.repeat(9)}`] };
      throw new ToolFailure('EXECUTION_FAILED', 'The third was refused.', { partial });
    });
    const jobId = await crib.jobs.enqueue('leaky', null, { retries: 0 });
    await crib.jobs.work();
    await untilState(crib, jobId, 'dead');
    expect((await crib.jobs.get(jobId))?.error?.partial).toEqual({
      ...{ sent: 2, password: REDACTED, log: [REDACTED] },
    });
  });

  it('a call that policy denies makes the job dead at once', async () => {
    const rules = [{ name: 'none', effect: 'deny' as const, tools: ['send'] }];
    const { crib } = await open({ policy: { version: 1, rules } });
    const jobId = await crib.jobs.enqueue('tool', { tool: 'send', input: { text: 'x' } });
    await crib.jobs.work();
    await untilState(crib, jobId, 'dead');
    const job = await crib.jobs.get(jobId);
    expect(job).toMatchObject({ attempts: 1, error: { code: 'PERMISSION_DENIED' } });
  });

  it('a job that takes too long fails with TIMEOUT, and its signal fires', async () => {
    const { crib } = await open();
    let isAborted = false;
    const handler = (_: unknown, { signal }: { readonly signal: AbortSignal }) =>
      new Promise<void>(() => {
        signal.addEventListener('abort', () => {
          isAborted = true;
        });
      });
    crib.jobs.register('slow', handler, { timeoutMs: 20 });
    const jobId = await crib.jobs.enqueue('slow', null, { retries: 0 });
    await crib.jobs.work();
    await untilState(crib, jobId, 'dead');
    expect((await crib.jobs.get(jobId))?.error?.code).toBe('TIMEOUT');
    expect(isAborted).toBe(true);
  });

  it('jobs of a type run at most as many at once as the type says', async () => {
    const { crib } = await open();
    let running = 0;
    let most = 0;
    const handler = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((done) => setTimeout(done, 5));
      running -= 1;
    };
    crib.jobs.register('few', handler, { concurrency: 2 });
    for (let n = 0; n < 10; n++) await crib.jobs.enqueue('few', n);
    await crib.jobs.work({ concurrency: 8 });
    await expect.poll(async () => (await crib.jobs.counts()).default?.completed).toBe(10);
    expect(most).toBe(2);
  });

  it('a job that is cancelled while it waits for a slot of its type is not begun', async () => {
    const { crib } = await open();
    const begun: unknown[] = [];
    let goOn = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const handler = async ({ payload }: { readonly payload: unknown }) => {
      begun.push(payload);
      await gate;
    };
    crib.jobs.register('one', handler, { concurrency: 1 });
    const first = await crib.jobs.enqueue('one', 'first');
    const second = await crib.jobs.enqueue('one', 'second');
    await crib.jobs.work({ concurrency: 8 });
    await untilState(crib, second, 'active');
    await crib.jobs.cancel(second);
    goOn();
    await untilState(crib, first, 'completed');
    await new Promise((done) => setTimeout(done, 50));
    expect(begun).toEqual(['first']);
  });

  it('a worker that asks for more jobs at once than its queue has configured gets those', async () => {
    const { crib } = await open({ config: { jobs: { queues: { mail: { concurrency: 2 } } } } });
    let running = 0;
    let most = 0;
    const handler = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((done) => setTimeout(done, 5));
      running -= 1;
    };
    crib.jobs.register('letter', handler, { queue: 'mail' });
    for (let n = 0; n < 10; n++) await crib.jobs.enqueue('letter', n);
    await crib.jobs.work({ concurrency: 8 });
    await expect.poll(async () => (await crib.jobs.counts()).mail?.completed).toBe(10);
    expect(most).toBe(2);
  });

  it('a worker without a handler for a type loses no job', async () => {
    const { crib, again } = await open();
    crib.jobs.register('theirs', () => null);
    const jobId = await crib.jobs.enqueue('theirs', null, { retries: 0 });
    const other = await again();
    await other.jobs.work();
    await untilState(other, jobId, 'dead');
    expect((await other.jobs.get(jobId))?.error).toMatchObject({ code: 'NOT_FOUND' });
    await crib.jobs.work();
    expect(await crib.jobs.requeue(jobId)).toBe(true);
  });

  it('a result that is no JSON makes the job dead and says that the handler has run', async () => {
    const { crib } = await open();
    crib.jobs.register('odd', () => ({ run: () => 1 }));
    const jobId = await crib.jobs.enqueue('odd', null);
    await crib.jobs.work();
    await untilState(crib, jobId, 'dead');
    expect((await crib.jobs.get(jobId))?.error?.message).toMatch(/has run/);
  });

  it('a schedule makes jobs as its caller, and refuses a pattern that makes no sense', async () => {
    let aheadMs = 0;
    const { crib } = await open({ runtime: { now: () => Date.now() + aheadMs } });
    const payload = { tool: 'send', input: { text: 'tick' } };
    const base = { type: 'tool', payload, userId: 'ada' };
    await crib.jobs.work();
    await crib.jobs.schedule('tick', { ...base, cron: '* * * * *' });
    aheadMs = 60_000;
    const completed = () => crib.jobs.list({ state: 'completed' });
    await expect
      .poll(async () => (await completed()).length, { timeout: 20_000 })
      .toBeGreaterThanOrEqual(1);
    expect(sent[0]).toBe('tick');
    expect((await completed())[0]).toMatchObject({ scheduleId: 'tick', caller: { userId: 'ada' } });
    expect(await crib.jobs.unschedule('tick')).toBe(true);
    await expect(crib.jobs.schedule('bad', { ...base, cron: 'soon' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it('jobs outlive the crib that added them; closing waits for those that run', async () => {
    const { crib, again } = await open();
    let isOver = false;
    crib.jobs.register('slow', async (_, context) => {
      await new Promise((done) => setTimeout(done, 100));
      // Calls still work while the crib closes.
      await context.call(send, { text: 'last' });
      isOver = true;
    });
    const running = await crib.jobs.enqueue('slow', null);
    const waiting = await crib.jobs.enqueue('tool', { tool: 'paid' }, { queue: 'later' });
    await crib.jobs.work({ queues: ['default'] });
    await untilState(crib, running, 'active');
    await crib.close();
    expect(isOver).toBe(true);
    const next = await again();
    expect((await next.jobs.get(running))?.state).toBe('completed');
    await next.jobs.work({ queues: ['later'] });
    await untilState(next, waiting, 'completed');
  });

  it('a crib that has only counted jobs closes', async () => {
    const { crib } = await open();
    expect(await crib.jobs.counts()).toEqual({});
    await crib.close();
  });

  it('a crib in memory has jobs, too', async () => {
    const { crib } = await open({ store: 'memory' });
    const jobId = await crib.jobs.enqueue('tool', { tool: 'paid', input: {} });
    await crib.jobs.work();
    await untilState(crib, jobId, 'completed');
  });
});

describe('the caller of a job', () => {
  it('is who added it; its calls and budgets are its own', async () => {
    const { crib } = await open({ config: { budget: { dailyUsd: 100 } } });
    crib.jobs.register('twice', async (_, context) => {
      await context.call(paid, {});
      return context.call(paid, {});
    });
    const as = { userId: 'bo', dailyUsd: 1.5 };
    const jobId = await crib.jobs.enqueue('twice', null, { ...as, retries: 0 });
    await crib.jobs.work();
    await untilState(crib, jobId, 'dead');
    const job = await crib.jobs.get(jobId);
    expect(job?.error?.code).toBe('BUDGET_EXCEEDED');
    expect(job?.caller).toMatchObject({ userId: 'bo', roles: [] });
  });

  it('threat: a user sees, cancels, requeues and removes its own jobs alone', async () => {
    const { crib } = await open();
    const mine = await crib.jobs.enqueue('tool', { tool: 'paid' }, { userId: 'ada' });
    const [bo, ada, admin] = [
      { userId: 'bo' },
      { userId: 'ada' },
      { userId: 'x', roles: ['admin'] },
    ];
    expect(await crib.jobs.get(mine, bo)).toBeUndefined();
    expect(await crib.jobs.list({ userId: 'ada' }, bo)).toEqual([]);
    for (const what of ['cancel', 'requeue', 'remove'] as const) {
      expect(await crib.jobs[what](mine, bo)).toBe(false);
    }
    expect(await crib.jobs.list({}, ada)).toHaveLength(1);
    expect(await crib.jobs.cancel(mine, ada)).toBe(true);
    expect(await crib.jobs.requeue(mine, admin)).toBe(true);
    const schedule = { cron: '@daily', type: 'tool', payload: { tool: 'paid' } };
    await crib.jobs.schedule('nightly', { ...schedule, ...ada });
    expect(await crib.jobs.schedules(bo)).toEqual([]);
    expect(await crib.jobs.unschedule('nightly', bo)).toBe(false);
    await expect(crib.jobs.schedule('nightly', { ...schedule, ...bo })).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    expect(await crib.jobs.unschedule('nightly', ada)).toBe(true);
  });

  it.each([
    [
      'its caller',
      (record: Record<string, unknown>) => ({
        ...record,
        caller: { ...(record.caller as object), userId: 'root', roles: ['owner'] },
      }),
    ],
    [
      'its payload',
      (record: Record<string, unknown>) => ({
        ...record,
        payload: { tool: 'send', input: { text: 'evil' } },
      }),
    ],
    ['its budget', (record: Record<string, unknown>) => ({ ...record, dailyUsd: 1_000 })],
    ['its seal', ({ seal: _seal, ...record }: Record<string, unknown>) => record],
  ])('threat: a job on disk with %s changed does not run', async (_, change) => {
    const { crib, root, again } = await open();
    const payload = { tool: 'send', input: { text: 'fine' } };
    const jobId = await crib.jobs.enqueue('tool', payload, { userId: 'bo', dailyUsd: 1 });
    const store = await createSqliteStore({
      path: join(root, 'state.db'),
      runtime: createRuntime(),
    });
    const { database, writer } = sqliteDepsOf(store) ?? {};
    const row = database?.prepare('SELECT record FROM jobs').get() as { readonly record: string };
    const text = JSON.stringify(change(JSON.parse(row.record)));
    await writer?.write(() => database?.prepare('UPDATE jobs SET record = ?').run(text));
    await store.close();
    await crib.close();
    const next = await again();
    await next.jobs.work();
    await untilState(next, jobId, 'dead');
    expect((await next.jobs.get(jobId))?.error?.code).toBe('SECURITY_VIOLATION');
    expect(sent).toEqual([]);
  });
});

describe('effects of a job', () => {
  it('a job that is tried again does not repeat a call that has changed something', async () => {
    const { crib } = await open();
    let runs = 0;
    crib.jobs.register('flaky', async (_, context) => {
      const first = await context.call(send, { text: 'one' });
      const second = await context.call(send, { text: 'two' });
      runs += 1;
      if (runs < 3) throw new Error('again');
      return [first, second];
    });
    const jobId = await crib.jobs.enqueue('flaky', null, { backoff: BACKOFF });
    await crib.jobs.work();
    await untilState(crib, jobId, 'completed');
    expect((await crib.jobs.get(jobId))?.result).toEqual([{ sent: 'one' }, { sent: 'two' }]);
    expect(sent).toEqual(['one', 'two']);
  });

  it('a call that needs approval postpones the job until a person has answered', async () => {
    const { crib } = await open({ policy: { version: 1, rules: [] } });
    const jobId = await crib.jobs.enqueue(
      'tool',
      { tool: 'send', input: { text: 'ask' } },
      { retries: 0 },
    );
    await crib.jobs.work();
    await untilState(crib, jobId, 'delayed');
    const [question] = await crib.approvals.list();
    expect(question?.tool).toBe('send');
    await crib.approvals.decide(question?.id ?? '', { approve: true, by: 'ada' });
    await untilState(crib, jobId, 'completed');
    expect(sent).toEqual(['ask']);
  });
});

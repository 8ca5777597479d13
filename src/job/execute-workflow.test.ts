import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CribHost } from '../contract/crib-host.ts';
import { defineFlow } from '../contract/define-flow.ts';
import { defineTool } from '../contract/define-tool.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { FlowContext } from '../contract/flow.ts';
import type { Job } from '../contract/queue.ts';
import type { Tool } from '../contract/tool.ts';
import { createCribHost } from '../crib/create-crib.ts';
import { type ExecuteWorkflowDeps, executeWorkflow } from './execute-workflow.ts';

let crib: CribHost | undefined;
afterEach(() => crib?.close());

const BACKOFF = { initialMs: 5, factor: 1, maxMs: 5 };
const sent: string[] = [];
const send = defineTool({
  name: 'send',
  description: 'Sends a text.',
  tier: 'write',
  input: z.object({ text: z.string() }),
  run: ({ text }) => {
    sent.push(text);
    return text;
  },
  undo: async ({ text }) => void sent.splice(sent.indexOf(text), 1),
});

const open = async (tool: Tool = send): Promise<CribHost> => {
  sent.length = 0;
  const rules = [{ name: 'send', effect: 'allow' as const, tools: ['send'] }];
  const policy = { version: 1 as const, rules };
  crib = await createCribHost({ store: 'memory', builtins: false, tools: [tool], policy });
  return crib;
};

const enqueue = (host: CribHost, retries = 3): Promise<string> =>
  host.jobs.enqueue('execute_workflow', { workflowId: 'work' }, { backoff: BACKOFF, retries });

const whenOver = async (host: CribHost, jobId: string): Promise<Job | undefined> => {
  const isOver = async () =>
    /completed|dead|cancelled/.test((await host.jobs.get(jobId))?.state ?? '');
  await expect.poll(isOver, { timeout: 20_000 }).toBe(true);
  return host.jobs.get(jobId);
};

const work = (run: (flow: FlowContext) => Promise<unknown>, undoOnFailure = false) =>
  defineFlow({ name: 'work', version: '1.0.0', undoOnFailure, run });

/** Makes attempts at a job as a worker makes them that has seen so many, without one that counts failures. */
const attemptsOf = async (host: CribHost, more: Partial<ExecuteWorkflowDeps> = {}) => {
  const jobId = await enqueue(host);
  const job = (await host.jobs.get(jobId)) as Job;
  const { flows, tools } = host;
  const handler = executeWorkflow({
    flows,
    tools,
    runtime: { now: () => Date.now() },
    note: async () => undefined,
    memory: async () => (await host.store()).memory,
    isCancelled: async () => false,
    ...more,
  });
  const attempt = (attempts: number): Promise<unknown> =>
    handler({ ...job, attempts }, { progress: async () => undefined });
  return { jobId, attempt };
};

const sendAndFail = async (flow: FlowContext): Promise<never> => {
  await flow.call(send, { text: 'a' });
  throw new ToolFailure('NETWORK', 'down');
};

describe('a job whose flow fails', () => {
  it('threat: does not run it again where it has changed something', async () => {
    const host = await open();
    host.flows.register(work(sendAndFail));
    const jobId = await enqueue(host);
    await host.jobs.work();
    expect(await whenOver(host, jobId)).toMatchObject({
      state: 'dead',
      error: { code: 'CONFLICT', cause: 'NETWORK' },
    });
    expect(sent).toEqual(['a']);
  });

  it('threat: judges a failed run that no attempt has reported, however many there were', async () => {
    const host = await open();
    host.flows.register(work(sendAndFail));
    const { jobId, attempt } = await attemptsOf(host);
    await (await host.flows.start('work', {}, { runId: `job-${jobId}-1` })).finished;
    for (const attempts of [2, 3, 4]) {
      await expect(attempt(attempts)).rejects.toMatchObject({ code: 'CONFLICT' });
    }
    expect(sent).toEqual(['a']);
  });

  it('starts at most one run more than it may be tried again, however often it is handed out', async () => {
    const host = await open();
    host.flows.register(
      work(async () => {
        throw new ToolFailure('NETWORK', 'down');
      }),
    );
    const { jobId, attempt } = await attemptsOf(host);
    for (let attempts = 1; attempts <= 20; attempts += 1) {
      await attempt(attempts).catch(() => undefined);
      const [newest] = await host.flows.list();
      await host.flows.finished(newest?.id ?? '');
    }
    expect((await host.flows.list()).map(({ id }) => id).toSorted()).toEqual(
      [1, 2, 3, 4].map((number) => `job-${jobId}-${number}`),
    );
  });

  it('puts the end of each run on record, once', async () => {
    const host = await open();
    host.flows.register(work(sendAndFail));
    const jobId = await enqueue(host);
    await host.jobs.work();
    await whenOver(host, jobId);
    const detail = { event: 'workflow.completed', resourceId: `job-${jobId}-1`, status: 'failed' };
    const rows = (await host.audit.query({ kind: 'event' })).filter(
      ({ detail: { event } }) => event === 'workflow.completed',
    );
    expect(rows).toMatchObject([{ status: 'failure', detail }]);
    expect(rows[0]?.detail.durationMs).toBeTypeOf('number');
  });

  it('runs it again where its effects were undone', async () => {
    const host = await open();
    let runs = 0;
    const run = async (flow: FlowContext): Promise<unknown> => {
      await flow.call(send, { text: 'a' });
      if ((await flow.value('run', () => (runs += 1))) < 3) throw new Error('not yet');
      return 'sent';
    };
    host.flows.register(work(run, true));
    const jobId = await enqueue(host);
    await host.jobs.work();
    expect(await whenOver(host, jobId)).toMatchObject({
      state: 'completed',
      result: { output: 'sent' },
    });
    expect(sent).toEqual(['a']);
  });

  it('runs it anew when the dead job is put back', async () => {
    const host = await open();
    let isDown = true;
    host.flows.register(
      work(async () => {
        if (isDown) throw new Error('down');
        return 'done';
      }),
    );
    const jobId = await enqueue(host, 1);
    await host.jobs.work();
    expect(await whenOver(host, jobId)).toMatchObject({ state: 'dead', attempts: 2 });
    isDown = false;
    await host.jobs.requeue(jobId);
    expect(await whenOver(host, jobId)).toMatchObject({
      state: 'completed',
      result: { output: 'done' },
    });
  });
});

describe('a job whose flow still runs', () => {
  const waiting = async (flow: FlowContext): Promise<unknown> => {
    await flow.call(send, { text: 'a' });
    return flow.waitForEvent('go');
  };
  const whenWaiting = (host: CribHost) =>
    expect
      .poll(async () => (await host.flows.list())[0]?.status, { timeout: 20_000 })
      .toBe('waiting');

  it('goes on with the run that an attempt has started whose process died', async () => {
    const host = await open();
    host.flows.register(work(waiting));
    const { jobId, attempt } = await attemptsOf(host);
    await host.flows.start('work', {}, { runId: `job-${jobId}-1` });
    await whenWaiting(host);
    await expect(attempt(2)).rejects.toThrow(`job-${jobId}-1 is not over`);
    await host.flows.send(`job-${jobId}-1`, 'go', 'went');
    await host.flows.finished(`job-${jobId}-1`);
    expect(await attempt(3)).toMatchObject({ output: 'went' });
    expect(sent).toEqual(['a']);
  });

  it('ends the run when it is cancelled', async () => {
    const host = await open();
    host.flows.register(work(waiting));
    const jobId = await enqueue(host);
    await host.jobs.work();
    await whenWaiting(host);
    expect(await host.jobs.cancel(jobId)).toBe(true);
    expect((await host.flows.list())[0]?.status).toBe('cancelled');
  });

  it('ends a run that was started while another process cancelled the job', async () => {
    const host = await open();
    host.flows.register(work(waiting));
    const { attempt } = await attemptsOf(host, { isCancelled: async () => true });
    await expect(attempt(1)).rejects.toMatchObject({ code: 'CANCELLED' });
    expect((await host.flows.list())[0]?.status).toBe('cancelled');
  });

  it('ends the run of a job that is cancelled already', async () => {
    const host = await open();
    host.flows.register(work(waiting));
    const jobId = await enqueue(host);
    await host.jobs.cancel(jobId);
    await host.flows.start('work', {}, { runId: `job-${jobId}-1` });
    await whenWaiting(host);
    expect(await host.jobs.cancel(jobId)).toBe(false);
    expect((await host.flows.list())[0]?.status).toBe('cancelled');
  });

  it('is cancelled while its run is being undone, which ends by itself', async () => {
    let letUndo = (): void => undefined;
    const undone = new Promise<void>((resolve) => {
      letUndo = resolve;
    });
    let isUndoing = false;
    const hold = defineTool({
      name: 'send',
      description: 'Is undone when it is let.',
      tier: 'write',
      input: z.object({ text: z.string() }),
      run: ({ text }) => text,
      undo: () => {
        isUndoing = true;
        return undone;
      },
    });
    const host = await open(hold);
    host.flows.register(work(sendAndFail, true));
    const jobId = await enqueue(host);
    await host.jobs.work();
    await expect.poll(() => isUndoing, { timeout: 20_000 }).toBe(true);
    expect(await host.jobs.cancel(jobId)).toBe(true);
    letUndo();
    expect(await host.flows.finished(`job-${jobId}-1`)).toMatchObject({ status: 'failed' });
  });

  it('runs its flow anew when it is put back after it was cancelled', async () => {
    const host = await open();
    host.flows.register(work(waiting));
    const jobId = await enqueue(host);
    await host.jobs.work();
    await whenWaiting(host);
    await host.jobs.cancel(jobId);
    expect(await host.jobs.requeue(jobId)).toBe(true);
    const second = `job-${jobId}-2`;
    await expect
      .poll(async () => (await host.flows.get(second))?.status, { timeout: 20_000 })
      .toBe('waiting');
    await host.flows.send(second, 'go', 'went');
    expect(await whenOver(host, jobId)).toMatchObject({ state: 'completed' });
  });

  it('is dead once a person has cancelled the run: it is not started again', async () => {
    const host = await open();
    host.flows.register(work(waiting));
    const jobId = await enqueue(host);
    await host.jobs.work();
    await whenWaiting(host);
    await host.flows.cancel(`job-${jobId}-1`);
    expect(await whenOver(host, jobId)).toMatchObject({
      state: 'dead',
      error: { code: 'CONFLICT' },
    });
    expect(await host.flows.list()).toHaveLength(1);
  });
});

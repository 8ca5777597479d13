import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CribHost } from '../contract/crib-host.ts';
import { ToolFailure } from '../contract/errors.ts';
import { defineFlow, type FlowContext } from '../contract/flow.ts';
import type { Job } from '../contract/queue.ts';
import { defineTool } from '../contract/tool.ts';
import { createCribHost } from '../crib/create-crib.ts';
import { executeWorkflow } from './execute-workflow.ts';

let crib: CribHost | undefined;
afterEach(() => crib?.close());

const BACKOFF = { initialMs: 5, factor: 1, maxMs: 5 };
const sent: string[] = [];
const send = defineTool({
  ...{ name: 'send', description: 'Sends a text.', tier: 'write' },
  input: z.object({ text: z.string() }),
  run: ({ text }) => {
    sent.push(text);
    return text;
  },
  undo: async ({ text }) => void sent.splice(sent.indexOf(text), 1),
});

const open = async (): Promise<CribHost> => {
  sent.length = 0;
  const rules = [{ name: 'send', effect: 'allow' as const, tools: ['send'] }];
  const policy = { version: 1 as const, rules };
  crib = await createCribHost({ store: 'memory', builtins: false, tools: [send], policy });
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
      ...{ state: 'dead', error: { code: 'CONFLICT', cause: 'NETWORK' } },
    });
    expect(sent).toEqual(['a']);
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
    const jobId = await host.jobs.enqueue('execute_workflow', { workflowId: 'work' });
    const job = { ...((await host.jobs.get(jobId)) as Job), attempts: 2 };
    await host.flows.start('work', {}, { runId: `job-${jobId}-1` });
    await whenWaiting(host);
    const handler = executeWorkflow({ flows: host.flows, tools: host.tools, note: async () => {} });
    const progress = async (): Promise<void> => {};
    await expect(handler(job, { progress })).rejects.toThrow(`job-${jobId}-1 is not over`);
    await host.flows.send(`job-${jobId}-1`, 'go', 'went');
    await host.flows.finished(`job-${jobId}-1`);
    expect(await handler(job, { progress })).toMatchObject({ output: 'went' });
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

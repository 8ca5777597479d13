/** A job that is cancelled by a process that dies before it comes to the run of the job. */
import { afterEach, describe, expect, it } from 'vitest';
import { aTool } from '../../test/fixtures/test-crib.ts';
import { ALLOW_ALL } from '../../test/fixtures/vendors/vendor-crib.ts';
import type { CribHost } from '../contract/crib-host.ts';
import { defineFlow } from '../contract/define-flow.ts';
import { createCribHost } from '../crib/create-crib.ts';
import { createMemoryStore } from '../stores/memory/create-memory-store.ts';

let crib: CribHost | undefined;
afterEach(() => crib?.close());

const sent: unknown[] = [];
const send = aTool({ name: 'send', tier: 'write', run: (input: unknown) => void sent.push(input) });

const mail = defineFlow({
  name: 'mail',
  version: '1.0.0',
  run: async (flow) => {
    await flow.waitForEvent('go');
    await flow.call(send, {});
  },
});
const outer = defineFlow({
  name: 'outer',
  version: '1.0.0',
  run: (flow) => flow.child(mail, {}, { key: 'mail' }),
});

/** Starts a job whose run waits, and cancels it as a process that dies when the job is cancelled. */
const cancelHalf = async (workflowId: string, waiting: string) => {
  sent.length = 0;
  const store = createMemoryStore();
  const { change } = store.flows;
  crib = await createCribHost({ store, builtins: false, tools: [send], policy: ALLOW_ALL });
  crib.flows.register(mail);
  crib.flows.register(outer);
  const jobId = await crib.jobs.enqueue('execute_workflow', { workflowId });
  await crib.jobs.work();
  const runId = `job-${jobId}-1${waiting}`;
  const waitsFor = async () => (await crib?.flows.get(runId))?.waitsFor;
  await expect.poll(waitsFor).toEqual(['event:go']);
  store.flows.change = async () => {
    throw new Error('killed');
  };
  await expect(crib.jobs.cancel(jobId)).rejects.toThrow('killed');
  store.flows.change = change.bind(store.flows);
  expect((await crib.jobs.get(jobId))?.state).toBe('cancelled');
  return { crib, runId };
};

describe('threat: a process that is killed when it has cancelled a job and not yet its run', () => {
  it.each([
    ['its run', 'mail', ''],
    ['a sub-flow of its run', 'outer', '.mail'],
  ])('leaves no effect that %s makes later', async (_what, workflowId, waiting) => {
    const { crib, runId } = await cancelHalf(workflowId, waiting);
    await crib.flows.send(runId, 'go');
    const status = async () => (await crib.flows.get(runId))?.status;
    await expect.poll(status).toMatch(/cancelled|completed/);
    expect([await status(), sent]).toEqual(['cancelled', []]);
  });
});

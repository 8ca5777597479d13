import { afterEach, describe, expect, it } from 'vitest';
import { defineFlow } from '../../contract/define-flow.ts';
import { FINISHED } from '../../contract/flow-store.ts';
import { createCribHost } from '../../crib/create-crib.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const crib of open.splice(0).reverse()) await crib.close();
});

const NAP_MS = 30;
const nap = defineFlow({
  name: 'nap',
  version: '1.0.0',
  run: async (flow) => {
    await flow.sleep(NAP_MS);
    return 'awake';
  },
});
const asks = defineFlow({
  name: 'asks',
  version: '1.0.0',
  run: async (flow) => (await flow.waitForApproval('Go on?')).approved,
});
const outer = defineFlow({
  name: 'outer',
  version: '1.0.0',
  run: async (flow) => flow.child(nap, {}),
});

const store = createMemoryStore();

const openCrib = async (onlyAwaitedRuns: boolean) => {
  const crib = await createCribHost({ store, builtins: false }, { onlyAwaitedRuns });
  open.push(crib);
  crib.flows.register(nap);
  crib.flows.register(asks);
  crib.flows.register(outer);
  return crib;
};

/** Starts runs in a process that ends while they wait: for a time that passes, and for an answer that comes. */
const leaveRuns = async (): Promise<readonly string[]> => {
  const crib = await openCrib(false);
  const sleeping = await crib.flows.start('nap', {});
  const asking = await crib.flows.start('asks', {});
  const ids = [sleeping.runId, asking.runId];
  const statuses = async () =>
    Promise.all(ids.map(async (id) => (await store.flows.get(id))?.status));
  await expect.poll(async () => (await crib.approvals.list()).length).toBe(1);
  await expect.poll(statuses).toEqual(['sleeping', 'waiting']);
  await crib.close();
  return ids;
};

describe('a process that continues only the runs it waits for', () => {
  it('leaves due and answered runs of others alone, and finishes its own with their children', async () => {
    const others = await leaveRuns();
    const crib = await openCrib(true);
    const [question] = await crib.approvals.list();
    await crib.approvals.decide(question?.id ?? '', { approve: true, by: 'ada' });
    const { finished } = await crib.flows.start('outer', {});
    expect(await finished).toMatchObject({ status: 'completed', output: 'awake' });
    const left = await Promise.all(others.map((id) => store.flows.get(id)));
    expect(left.map((run) => FINISHED.has(run?.status ?? 'failed'))).toEqual([false, false]);
    const ends = await Promise.all(others.map((id) => crib.flows.finished(id)));
    expect(ends.map(({ output }) => output)).toEqual(['awake', true]);
  });
});

/** Moving a blocked run to another version of its flow. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Crib } from '../contract/crib.ts';
import { defineFlow } from '../contract/define-flow.ts';
import type { FlowContext } from '../contract/flow.ts';
import { createCribHost } from '../crib/create-crib.ts';
import { createMemoryStore } from '../stores/memory/create-memory-store.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const flowOf = (version: string, name: string) =>
  defineFlow({
    name: 'paid',
    version,
    run: async (flow: FlowContext) => {
      await flow.value(name, () => 1);
      return flow.waitForEvent('paid');
    },
  });

const store = createMemoryStore();
const open = async (): Promise<Crib> => {
  const crib = await createCribHost({ store, builtins: false });
  cleanup.push(() => crib.close());
  return crib;
};

describe('a blocked run', () => {
  it('is moved to no version that cannot be, and keeps on record why it was blocked', async () => {
    const first = await open();
    first.flows.register(flowOf('1.0.0', 'before'));
    await first.flows.start('paid', {}, { runId: 'run' });
    await expect.poll(async () => (await first.flows.get('run'))?.status).toBe('waiting');
    await first.close();
    const second = await open();
    second.flows.register(flowOf('1.0.0', 'after'));
    await second.flows.send('run', 'paid', 7);
    const blocked = await second.flows.finished('run');
    expect(blocked).toMatchObject({ status: 'blocked', error: { code: 'CONFLICT' } });
    for (const [version, code] of [
      ['banana', 'VALIDATION_ERROR'],
      ['2.0.0', 'NOT_FOUND'],
    ] as const) {
      await expect(second.flows.resume('run', { version })).rejects.toMatchObject({ code });
    }
    expect(await store.flows.get('run')).toEqual(blocked);
    await second.close();
    // One that knows no version of the flow leaves it to the others.
    const third = await open();
    expect(await third.flows.resume('run', { version: '2.0.0' })).toBe(true);
    expect(await store.flows.get('run')).toMatchObject({ status: 'waiting', error: blocked.error });
    third.flows.register(flowOf('2.0.0', 'before'));
    expect(await third.flows.finished('run')).toMatchObject({ status: 'completed', output: 7 });
    expect(await store.flows.get('run')).not.toHaveProperty('error');
  });
});

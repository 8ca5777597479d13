import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import type { ServerState } from '../../contract/servers.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { createReadiness } from './readiness.ts';

const setUp = (states: readonly ServerState[] = []) => {
  const runtime = fakeRuntime();
  const store = createMemoryStore();
  let fault: Error | undefined;
  let writes = 0;
  const memory = {
    ...store.memory,
    write: async (item: Parameters<typeof store.memory.write>[0]) => {
      writes++;
      if (fault) throw fault;
      await store.memory.write(item);
    },
  };
  const servers = { list: () => states.map((state, at) => ({ name: `private-${at}`, state })) };
  const crib = { store: async () => ({ ...store, memory }), servers } as never;
  let setBackMs = 0;
  const now = () => runtime.now() - setBackMs;
  const readiness = createReadiness({ crib, runtime: { ...runtime, now } });
  const named = async () =>
    Object.fromEntries((await readiness.checks()).map((check) => [check.name, check]));
  return {
    runtime,
    readiness,
    named,
    writes: () => writes,
    setClockBack: (ms: number) => {
      setBackMs += ms;
    },
    breakStore: (error: Error | undefined) => {
      fault = error;
    },
  };
};

describe('createReadiness', () => {
  it('is ready when the store takes a write', async () => {
    expect((await setUp().readiness.checks()).every(({ ok }) => ok)).toBe(true);
  });

  it('notices a disk that became full, and that it has room again', async () => {
    const { runtime, named, breakStore } = setUp();
    expect((await named()).store?.ok).toBe(true);
    breakStore(new Error('ENOSPC: canary path'));
    await runtime.advance(1000);
    const broken = (await named()).store;
    expect(broken?.ok).toBe(false);
    expect(JSON.stringify(broken)).not.toContain('canary');
    breakStore(undefined);
    await runtime.advance(1000);
    expect((await named()).store?.ok).toBe(true);
  });

  it('notices a disk that became full after the clock was set back by an hour', async () => {
    const { named, breakStore, setClockBack } = setUp();
    expect((await named()).store?.ok).toBe(true);
    breakStore(new Error('ENOSPC'));
    setClockBack(3_600_000);
    expect((await named()).store?.ok).toBe(false);
  });

  it('threat: probes from anybody cost no more than a write a second', async () => {
    const { named, writes } = setUp();
    await Promise.all(Array.from({ length: 500 }, () => named()));
    expect(writes()).toBe(1);
  });

  it('tells how the servers are without naming them, and without going out with them', async () => {
    const { servers } = await setUp(['ready', 'open', 'ready']).named();
    expect(servers).toEqual({ name: 'servers', ok: true, detail: '2 ready, 1 open' });
  });

  it('is not ready once it shuts down', async () => {
    const { readiness, named } = setUp();
    readiness.drain();
    expect((await named()).accepting?.ok).toBe(false);
  });
});

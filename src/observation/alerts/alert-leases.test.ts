import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { AlertLeases } from './alert-leases.ts';
import { ALERT_SPACE } from './alert-records.ts';

const LEASE_MS = 30_000;

/** Two processes on one store and one clock. */
const twoProcesses = () => {
  const { memory } = createMemoryStore();
  const clock = { now: 1_000_000 };
  const now = () => clock.now;
  const of = (holder: string) => new AlertLeases({ memory, holder, leaseMs: LEASE_MS, now });
  return { memory, clock, one: of('one'), two: of('two') };
};

describe('AlertLeases', () => {
  it('gives each alert to one process, which keeps it while it renews', async () => {
    const { clock, one, two } = twoProcesses();
    expect([...(await one.take(['a', 'b']))]).toEqual(['a', 'b']);
    expect([...(await two.take(['a', 'b', 'c']))]).toEqual(['c']);
    clock.now += LEASE_MS - 1;
    await one.take(['a', 'b']);
    clock.now += LEASE_MS - 1;
    expect([...(await two.take(['a', 'b']))]).toEqual([]);
  });

  it('gives the alerts of a process that is gone to another when their leases end', async () => {
    const { clock, one, two } = twoProcesses();
    await one.take(['a']);
    clock.now += LEASE_MS;
    expect([...(await two.take(['a']))]).toEqual(['a']);
  });

  it('gives back at once what a process releases, and still tells when it was evaluated', async () => {
    const { clock, one, two } = twoProcesses();
    await one.take(['a']);
    const at = clock.now;
    clock.now += 5;
    await one.release();
    expect(await two.evaluatedAt()).toEqual(new Map([['a', at]]));
    expect([...(await two.take(['a']))]).toEqual(['a']);
  });

  it('threat: a lease that was planted for ever, or is no lease, holds nothing back', async () => {
    const { memory, clock, one } = twoProcesses();
    const planted = {
      a: { holder: 'nobody', at: 0, until: Number.MAX_SAFE_INTEGER },
      b: 'mine',
      c: { holder: 7, until: clock.now + 1 },
    };
    await memory.write({ space: ALERT_SPACE, key: 'leases', value: planted });
    expect([...(await one.take(['a', 'b', 'c']))]).toEqual(['a', 'b', 'c']);
  });

  it('knows no evaluation where nothing was stored', async () => {
    expect(await twoProcesses().one.evaluatedAt()).toEqual(new Map());
  });
});

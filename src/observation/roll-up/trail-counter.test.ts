/** Each row of the trail counts once: read from it, or counted while it was written. */
import { describe, expect, it } from 'vitest';
import { auditEntry } from '../../../test/conformance/store-samples.ts';
import type { AuditLog } from '../../contract/audit.ts';
import { MINUTE_MS } from '../../kit/data/durations.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { TrailCounter } from './trail-counter.ts';

const AT = 1_800_000_000_000;
const RANGE = { kind: 'overall', grain: MINUTE_MS, from: 0, to: 2 * AT } as const;

/** A trail that notes from which rows on it was read. */
const watchedTrail = () => {
  const { audit, rollUps } = createMemoryStore();
  const reads: number[] = [];
  const watched: Pick<AuditLog, 'scan' | 'onWritten'> = {
    ...(audit.onWritten && { onWritten: audit.onWritten }),
    scan: (from = 1) => {
      reads.push(from);
      return audit.scan(from);
    },
  };
  const write = async (rows: number) => {
    for (let n = 0; n < rows; n++) {
      await audit.append(auditEntry({ at: AT + n, kind: 'outcome', status: 'success' }));
    }
  };
  const calls = async (): Promise<number> => {
    const periods = await rollUps.read(RANGE);
    return periods.reduce((sum, { counts }) => sum + (counts.byStatus.success ?? 0), 0);
  };
  return { deps: { audit: watched, rollUps }, reads, write, calls };
};

describe('a counter of the trail', () => {
  it('reads nothing of what it counted while it was written', async () => {
    const { deps, reads, write, calls } = watchedTrail();
    const counter = new TrailCounter(deps);
    await write(3);
    counter.follow();
    await counter.count();
    expect(reads).toEqual([1, 4]);
    await write(5);
    await counter.count();
    expect(await calls()).toBe(8);
    // The look that finds nothing more.
    expect(reads).toEqual([1, 4, 9]);
    expect(await deps.rollUps.counted()).toBe(8);
  });

  it('reads the rows that another process wrote between its own', async () => {
    const { deps, reads, write, calls } = watchedTrail();
    const own = new TrailCounter(deps);
    own.follow();
    await write(2);
    own.unfollow();
    await write(3);
    own.follow();
    await write(4);
    await own.count();
    expect(await calls()).toBe(9);
    expect(reads).toEqual([1, 10]);
  });

  it('counts no row again that another counter has counted, in whole or in part', async () => {
    const { deps, write, calls } = watchedTrail();
    const [one, other] = [new TrailCounter(deps), new TrailCounter(deps)];
    one.follow();
    other.follow();
    await write(4);
    await other.count();
    await write(3);
    await one.count();
    await other.count();
    expect(await calls()).toBe(7);
  });

  it('counts rows that came while counts were written', async () => {
    const { deps, write, calls } = watchedTrail();
    const counter = new TrailCounter(deps);
    counter.follow();
    await write(2);
    const counting = counter.count();
    await write(2);
    await counting;
    await counter.count();
    expect(await calls()).toBe(4);
  });

  it('reads none of the rows that it writes while it reads', async () => {
    const { deps, reads, write, calls } = watchedTrail();
    const counter = new TrailCounter({
      ...deps,
      audit: {
        ...deps.audit,
        async *scan(from) {
          await write(2);
          yield* deps.audit.scan(from);
        },
      },
    });
    counter.follow();
    await counter.count();
    expect(await calls()).toBe(0);
    await counter.count();
    expect(await calls()).toBe(2);
    expect(reads).toEqual([1, 3]);
  });

  it('leaves rows for the next count that are written while it counts', async () => {
    const { deps, reads, write, calls } = watchedTrail();
    const counter = new TrailCounter({
      ...deps,
      rollUps: {
        ...deps.rollUps,
        add: async (rows) => {
          const isAdded = await deps.rollUps.add(rows);
          await write(1);
          return isAdded;
        },
      },
    });
    counter.follow();
    await write(3);
    await counter.count();
    expect(await calls()).toBe(3);
    expect(reads).toEqual([]);
  });

  it('reads what it forgot because nobody asked for it', async () => {
    const { deps, reads, write, calls } = watchedTrail();
    const counter = new TrailCounter(deps);
    counter.follow();
    for (let run = 0; run < 40; run++) {
      await write(1);
      counter.unfollow();
      await write(1);
      counter.follow();
    }
    await counter.count();
    expect(await calls()).toBe(80);
    expect(reads[0]).toBe(1);
  });

  it('leaves the rest for later when it is stopped', async () => {
    const { deps, write, calls } = watchedTrail();
    const counter = new TrailCounter(deps);
    await write(3);
    await counter.count(() => true);
    expect(await calls()).toBe(0);
    await counter.count();
    expect(await calls()).toBe(3);
  });
});

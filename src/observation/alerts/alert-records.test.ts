import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import type { AlertRecord } from './alert-record.ts';
import { ALERT_SPACE, AlertRecords } from './alert-records.ts';

const setUp = (key: string | undefined = 'k') => {
  const { memory } = createMemoryStore();
  const sealOf = (text: string) =>
    key === undefined ? undefined : `${key}:${text.length}:${text}`;
  const seals = {
    seal: async (text: string) => sealOf(text),
    isOurs: async (text: string, seal: string | undefined) => seal === sealOf(text),
  };
  return { memory, records: new AlertRecords({ memory, seals, now: () => 1000 }) };
};

const firing = (record: AlertRecord): AlertRecord => ({
  ...record,
  subjects: { git: { isFiring: true, isTold: true } },
});

describe('AlertRecords', () => {
  it('reads what it wrote, and counts the changes', async () => {
    const { records } = setUp();
    expect((await records.read('a')).version).toBe(0);
    await records.change('a', firing);
    const changed = await records.change('a', (record) => ({ ...record, problem: 'odd' }));
    expect(changed).toMatchObject({ version: 2, problem: 'odd' });
    expect((await records.read('a')).subjects.git).toEqual({ isFiring: true, isTold: true });
  });

  it('writes nothing where the change gives nothing', async () => {
    const { memory, records } = setUp();
    await records.change('a', () => undefined);
    expect(await memory.read(ALERT_SPACE, 'alert:a', 1000)).toBeUndefined();
  });

  it('makes a change again when another process was faster', async () => {
    const { records } = setUp();
    let tries = 0;
    let other: Promise<AlertRecord> | undefined;
    const slow = records.change('a', (record) => {
      tries += 1;
      if (tries === 1) other = records.change('a', (mine) => ({ ...mine, problem: 'other' }));
      return firing(record);
    });
    await slow;
    await other;
    const record = await records.read('a');
    expect(record.version).toBe(2);
    expect(record.subjects.git?.isFiring).toBe(true);
  });

  it('threat: a record that was planted, or moved to another alert, is none of ours', async () => {
    const { memory, records } = setUp();
    await records.change('a', firing);
    const stored = await memory.read(ALERT_SPACE, 'alert:a', 1000);
    await memory.write({ space: ALERT_SPACE, key: 'alert:b', value: stored });
    expect((await records.read('b')).subjects).toEqual({});
    const planted = { record: { ...firing(await records.read('a')), silence: { until: 9e15 } } };
    await memory.write({ space: ALERT_SPACE, key: 'alert:a', value: planted });
    expect(await records.read('a')).not.toHaveProperty('silence');
    await memory.write({ space: ALERT_SPACE, key: 'alert:a', value: 'no record' });
    expect((await records.read('a')).version).toBe(0);
  });

  it('takes a subject named like a member of every object for what it is', async () => {
    const { records } = setUp();
    await records.change('a', firing);
    expect((await records.read('a')).subjects.constructor).toBeUndefined();
  });
});

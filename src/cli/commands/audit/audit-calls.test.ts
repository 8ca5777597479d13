import { describe, expect, it } from 'vitest';
import type { AuditFilter, AuditRow } from '../../../contract/audit.ts';
import type { CribHost } from '../../../contract/crib-host.ts';
import { auditCalls } from './audit-calls.ts';

const row = (seq: number, kind: AuditRow['kind'], executionId: string): AuditRow =>
  ({ seq, kind, executionId, status: kind === 'intent' ? 'started' : 'success' }) as AuditRow;

/** A crib whose record is the rows given, newest first as the store hands them out. */
const cribOf = (rows: readonly AuditRow[]): CribHost => {
  const query = async (filter: AuditFilter = {}) =>
    rows
      .filter(
        ({ seq, executionId, status }) =>
          seq < (filter.before ?? Number.POSITIVE_INFINITY) &&
          executionId === (filter.executionId ?? executionId) &&
          status === (filter.status ?? status),
      )
      .toSorted((a, b) => b.seq - a.seq)
      .slice(0, filter.limit);
  return {
    store: async () => ({ audit: { query } }),
    executions: { status: async (id: string) => ({ effect: id === 'lost' ? 'unknown' : 'done' }) },
  } as unknown as CribHost;
};

const ROWS = [
  row(1, 'intent', 'a'),
  row(2, 'outcome', 'a'),
  row(3, 'intent', 'lost'),
  row(4, 'intent', 'b'),
  row(5, 'intent', 'c'),
  row(6, 'outcome', 'c'),
  row(7, 'outcome', 'b'),
];

const pages = async (limit: number, filter: AuditFilter = {}) => {
  const found: string[][] = [];
  let before: number | undefined;
  do {
    const page = await auditCalls(
      cribOf(ROWS),
      { ...filter, ...(before !== undefined && { before }) },
      limit,
    );
    found.push(page.calls.map(({ row: { executionId } }) => executionId));
    before = page.next;
  } while (before !== undefined && found.length < 10);
  return found;
};

describe('auditCalls', () => {
  it('lists each call once, newest first, with the state of its effect', async () => {
    const { calls, next } = await auditCalls(cribOf(ROWS), {}, 10);
    expect(calls.map(({ row: { seq }, effect }) => [seq, effect])).toEqual([
      [7, 'done'],
      [6, 'done'],
      [3, 'unknown'],
      [2, 'done'],
    ]);
    expect(next).toBeUndefined();
  });

  it.each([1, 2, 3])('pages of %d show the same calls, none twice', async (limit) => {
    const found = await pages(limit);
    expect(found.flat()).toEqual(['b', 'c', 'lost', 'a']);
    expect(found.every((page) => page.length <= limit)).toBe(true);
  });

  it('filters by status', async () => {
    expect((await pages(10, { status: 'success' })).flat()).toEqual(['b', 'c', 'a']);
  });

  it('reads further pages of a long record', async () => {
    const rows = Array.from({ length: 1000 }, (_, at) => row(at + 1, 'outcome', `x${at % 450}`));
    const { calls } = await auditCalls(cribOf(rows), {}, 1000);
    expect(calls).toHaveLength(450);
  });

  it('is empty for an empty record', async () => {
    expect(await auditCalls(cribOf([]), {}, 10)).toEqual({ calls: [] });
  });
});

describe('an event on record', () => {
  const UNDONE = [...ROWS, { ...row(8, 'event', 'a'), status: 'undone' as const }];

  it('an undo does not list its call a second time, nor move it up', async () => {
    const { calls } = await auditCalls(cribOf(UNDONE), {}, 10);
    expect(calls.map(({ row: { seq } }) => seq)).toEqual([7, 6, 3, 2]);
  });

  it('is found when asked for', async () => {
    const { calls } = await auditCalls(cribOf(UNDONE), { status: 'undone' }, 10);
    expect(calls.map(({ row: { seq } }) => seq)).toEqual([8]);
  });
});

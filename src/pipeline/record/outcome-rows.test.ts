import { expect, it } from 'vitest';
import type { AuditEntry } from '../../contract/audit.ts';
import { OutcomeRows, type OutcomeRowsDeps } from './outcome-rows.ts';
import { RunRecords } from './run-records.ts';

const entryOf = (executionId: string) => ({ executionId }) as AuditEntry;

it('a store that throws at once after it began another row loses no row and leaves no promise alone', async () => {
  const appended: string[] = [];
  const late: (() => unknown)[] = [];
  const append: OutcomeRowsDeps['audit']['append'] = ({ executionId }) => {
    appended.push(executionId);
    if (executionId === 'one') return Promise.reject(new Error('refused later'));
    throw new Error('refused at once');
  };
  const deps = {
    audit: { append, query: async () => [] },
    late: { add: (write: () => unknown) => void late.push(write) },
    policy: { version: '1' },
  };
  const rows = new OutcomeRows(deps as unknown as OutcomeRowsDeps);
  const runRecords = new RunRecords();
  const call = { notes: {}, options: { runRecords }, ready: { tool: {} } };
  for (const id of ['one', 'two', 'three']) {
    expect(rows.write(call as never, { success: true } as never, entryOf(id))).toBeUndefined();
  }
  await expect(runRecords.flush()).rejects.toThrow('refused at once');
  expect(appended).toEqual(['one', 'two']);
  expect(late).toHaveLength(3);
});

import { expect, it } from 'vitest';
import { OutcomeRows, type OutcomeRowsDeps } from './outcome-rows.ts';
import { RunRecords } from './run-records.ts';

const result = { success: true, status: 'success', metadata: { duration: 1 } };

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
  for (const executionId of ['one', 'two', 'three']) {
    const call = {
      executionId,
      caller: {},
      notes: {},
      options: { runRecords },
      ready: { tool: {} },
    };
    expect(rows.write(call as never, result as never)).toBeUndefined();
  }
  await expect(runRecords.flush()).rejects.toThrow('refused at once');
  expect(appended).toEqual(['one', 'two']);
  expect(late).toHaveLength(3);
});

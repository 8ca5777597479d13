/** The memory store passes the suite of all stores. */
import { describe, expect, it } from 'vitest';
import { describeStore } from '../../../test/conformance/store.ts';
import { approvalRecord, auditEntry } from '../../../test/conformance/store-samples.ts';
import { createMemoryStore } from './create-memory-store.ts';

describeStore('memory', async () => ({
  store: createMemoryStore(),
  cleanup: async () => undefined,
}));

describe('memory store', () => {
  it('keeps nothing in common with another memory store', async () => {
    const [one, other] = [createMemoryStore(), createMemoryStore()];
    await one.audit.append(auditEntry());
    expect(await other.audit.head()).toBeUndefined();
  });

  it('parks a question without a call key anew, though one like it waits', async () => {
    const { approvals } = createMemoryStore();
    for (const id of ['first', 'second']) {
      const record = approvalRecord(id);
      const parking = { record, maxWaiting: 2, reuse: true, now: record.createdAt };
      expect(await approvals.park(parking)).toEqual({ state: 'parked' });
    }
    expect(await approvals.list('waiting')).toHaveLength(2);
  });

  it('takes a million appends in seconds', async () => {
    const { audit } = createMemoryStore();
    const entry = auditEntry();
    const before = process.cpuUsage();
    for (let n = 0; n < 1_000_000; n++) await audit.append(entry);
    const { user } = process.cpuUsage(before);
    // Of all threads of this process: tests that run beside this one count as well.
    expect(user).toBeLessThan(30_000_000);
  });
});

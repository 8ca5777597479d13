import { describe, expect, it } from 'vitest';
import { auditEntry } from '../../../test/conformance/store-samples.ts';
import { openTestKey } from '../../../test/fixtures/signing-key.ts';
import type { AuditLog } from '../../contract/audit.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { makeCheckpoint } from './checkpoint.ts';
import { appendCheckpoint, readCheckpointRows } from './checkpoint-rows.ts';

const checkpointOf = (seq: number) =>
  makeCheckpoint({ seq, hash: 'ab'.repeat(32) }, { at: seq, store: 'first', key: openTestKey() });

/** Reads a log whose second row was changed behind its back. */
const changed = (audit: AuditLog): AuditLog => ({
  ...audit,
  anchor: () => audit.anchor(),
  scan: async function* scan() {
    for await (const page of audit.scan()) {
      yield page.map((row) => (row.seq === 2 ? { ...row, userId: 'eve' } : row));
    }
  },
});

describe('checkpoints in a second store', () => {
  it('are read in order, and rows of other kinds are ignored', async () => {
    const { audit } = createMemoryStore();
    const [one, two] = [checkpointOf(3), checkpointOf(6)];
    await appendCheckpoint(audit, one);
    await audit.append(auditEntry({ tool: 'audit_checkpoint' }));
    await audit.append(auditEntry({ kind: 'event', tool: 'audit_prune' }));
    await appendCheckpoint(audit, two);
    expect(await readCheckpointRows(audit, {})).toEqual({ checkpoints: [one, two] });
  });

  it('threat: a row that holds no checkpoint is refused', async () => {
    const { audit } = createMemoryStore();
    await audit.append(auditEntry({ kind: 'event', tool: 'audit_checkpoint', detail: {} }));
    await expect(readCheckpointRows(audit, {})).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('threat: a log that was changed is reported', async () => {
    const { audit } = createMemoryStore();
    for (const seq of [3, 6, 9]) await appendCheckpoint(audit, checkpointOf(seq));
    const { problem } = await readCheckpointRows(changed(audit), {});
    expect(problem).toMatchObject({ kind: 'edited', seq: 2 });
  });
});

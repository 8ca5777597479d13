/** Pruning beside other connections to the same file: one wins, nobody loses a row, the chain holds. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allRows, auditEntry, NOW, times } from '../../../test/conformance/store-samples.ts';
import type { AuditCheckpoint, AuditRow } from '../../contract/audit.ts';
import type { Store } from '../../contract/store.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { createSqliteStore } from './create-sqlite-store.ts';

let folder = '';
let stores: Store[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolcrib-pruning-'));
  const path = join(folder, 'crib.db');
  const open = () => createSqliteStore({ path, runtime: createRuntime(), lockTimeoutMs: 20_000 });
  stores = [await open(), await open(), await open()];
});
afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()));
  rmSync(folder, { recursive: true });
});

const at = (n: number): Store => stores[n] as Store;

const fill = (store: Store, count: number): Promise<unknown> =>
  Promise.all(times(count, async () => store.audit.append(auditEntry())));

const noteOf = ({ seq, hash }: Pick<AuditRow, 'seq' | 'hash'>): AuditCheckpoint => ({
  version: 1,
  seq,
  hash,
  at: NOW,
  store: 's',
  publicKey: 'k',
  signature: 's',
});

describe('pruning a file that others use', () => {
  it('succeeds for one of those who want the same', async () => {
    await fill(at(0), 10);
    const anchor = noteOf((await allRows(at(0)))[6] as AuditRow);
    const outcomes = await Promise.allSettled(stores.map(({ audit }) => audit.prune(anchor)));
    const won = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const lost = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
    expect([won, lost]).toEqual([[7], ['CONFLICT', 'CONFLICT']]);
  });

  it('leaves no gap for those who append meanwhile, everything pruned included', async () => {
    let pruned = 0;
    for (const round of times(20, (n) => n)) {
      const appending = Promise.all([fill(at(0), 5), fill(at(1), 5)]);
      const head = await at(2).audit.head();
      const isPruned = (await at(2).audit.anchor())?.seq === head?.seq;
      if (head && !isPruned) pruned += await at(2).audit.prune(noteOf(head));
      await appending;
      const rows = await allRows(at(2));
      expect(rows.map(({ seq }) => seq)).toEqual(times(rows.length, (n) => pruned + n + 1));
      expect(pruned + rows.length).toBe((round + 1) * 10);
      expect(await at(0).audit.head()).toEqual(await at(2).audit.head());
    }
    expect(pruned).toBeGreaterThan(100);
  });
});

/** Retention step by step: what goes is verified, told and anchored; what is odd stays. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  allRows,
  auditEntry,
  intentEntry,
  NOW,
  times,
} from '../../../test/conformance/store-samples.ts';
import { openTestKey } from '../../../test/fixtures/signing-key.ts';
import type { AuditCheckpoint } from '../../contract/audit.ts';
import type { Store } from '../../contract/store.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { openDatabase } from '../../kit/sqlite/open-database.ts';
import { createSqliteStore } from '../../stores/sqlite/create-sqlite-store.ts';
import { makeCheckpoint } from './checkpoint.ts';
import { pruneAudit } from './prune-audit.ts';
import { type OldRowsOptions, pruneOldRows } from './prune-old-rows.ts';
import { verifyAuditLog } from './verify-audit.ts';

const key = openTestKey();
let folder = '';
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolcrib-old-rows-'));
  store = await createSqliteStore({ path: join(folder, 'crib.db'), runtime: createRuntime() });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const fill = async (count: number, from = 0): Promise<void> => {
  await Promise.all(
    times(count, async (n) =>
      store.audit.append(auditEntry({ executionId: `e${from + n}`, at: NOW + from + n })),
    ),
  );
};

const note = async (): Promise<AuditCheckpoint> =>
  makeCheckpoint(await store.audit.head(), { at: 1, store: store.label, key });

const prune = (before: number, more: Partial<OldRowsOptions> = {}) =>
  pruneOldRows(store, {
    before: NOW + before,
    key,
    at: NOW + 5000,
    checkpoints: [],
    setting: 'audit.retentionDays',
    shouldContinue: async () => true,
    ...more,
  });

const verify = (checkpoints: readonly AuditCheckpoint[] = []) =>
  verifyAuditLog(store.audit, { checkpoints, trustedKeys: [key.publicKey] });

const tamper = async (sql: string): Promise<void> => {
  const opened = await openDatabase(join(folder, 'crib.db'));
  opened.exec(
    `DROP TRIGGER IF EXISTS audit_keeps_rows; DROP TRIGGER IF EXISTS audit_keeps_text; ${sql}`,
  );
  opened.close();
};

describe('old rows', () => {
  it('are pruned, and the trail records which and stays sound', async () => {
    await fill(30);
    const checkpoints = [await note()];
    expect(await prune(20, { checkpoints })).toEqual({ rows: 20, throughSeq: 20, isDone: true });
    const rows = await allRows(store);
    expect(rows.map(({ seq }) => seq)).toEqual(times(11, (n) => n + 21));
    expect(rows.at(-1)).toMatchObject({
      kind: 'event',
      tool: 'audit_prune',
      at: NOW + 5000,
      detail: {
        pruned: 20,
        throughSeq: 20,
        before: NOW + 20,
        setting: 'audit.retentionDays',
      },
    });
    expect(await verify(checkpoints)).toMatchObject({ ok: true, rows: 11 });
    expect(await prune(20)).toEqual({ rows: 0, throughSeq: 0, isDone: true });
    expect(await allRows(store)).toHaveLength(11);
  });

  it('are pruned page by page, each step recorded, from where the last pruning ended', async () => {
    await fill(2500);
    await pruneAudit(store, { before: NOW + 100, key, at: NOW + 4000 });
    expect(await prune(2400)).toMatchObject({ rows: 2300, throughSeq: 2400, isDone: true });
    const events = await store.audit.query({ kind: 'event' });
    expect(events.map(({ detail }) => detail.pruned)).toEqual([300, 1000, 1000, 100]);
    expect(await verify()).toMatchObject({ ok: true });
  });

  it('are pruned together when a running call spans more than a page', async () => {
    await store.audit.append(intentEntry('slow', { at: NOW }));
    await fill(1500);
    await store.audit.append(auditEntry({ executionId: 'slow', at: NOW + 1500 }));
    expect(await prune(1600)).toEqual({ rows: 1502, throughSeq: 1502, isDone: true });
    expect(await verify()).toMatchObject({ ok: true, rows: 1 });
  });

  it('are left for the next time when pruning is stopped, with no step half done', async () => {
    await fill(30);
    const stopped = await prune(20, { step: 8, shouldContinue: async () => false });
    expect(stopped).toEqual({ rows: 8, throughSeq: 8, isDone: false });
    expect(await store.audit.query({ kind: 'event' })).toHaveLength(1);
    expect(await verify()).toMatchObject({ ok: true, rows: 23 });
    expect(await prune(20, { step: 8 })).toMatchObject({ rows: 12, throughSeq: 20 });
    expect(await verify()).toMatchObject({ ok: true });
  });

  it('are kept while their call is in doubt or ended later', async () => {
    await fill(3);
    await store.audit.append(intentEntry('slow', { at: NOW + 3 }));
    await fill(4, 4);
    expect(await prune(8)).toMatchObject({ throughSeq: 3 });
    expect(await store.intents.open()).toMatchObject([{ entry: { executionId: 'slow' } }]);
    await store.audit.append(auditEntry({ executionId: 'slow', at: NOW + 9 }));
    expect(await prune(8)).toMatchObject({ rows: 0, isDone: true });
  });
});

describe('A1: pruning of old rows refuses', () => {
  it('an edited row among those that would go', async () => {
    await fill(30);
    await tamper("UPDATE audit SET tool = 'harmless' WHERE seq = 5");
    await expect(prune(20)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await allRows(store)).toHaveLength(30);
  });

  it('a trail that begins after a forged anchor', async () => {
    await fill(30);
    const stranger = openTestKey();
    await pruneAudit(store, { before: NOW + 5, key: stranger, at: NOW });
    await expect(prune(20)).rejects.toThrow(/not trusted/);
  });

  it('a trail that was cut off behind a checkpoint', async () => {
    await fill(30);
    const checkpoints = [await note(), { ...(await note()), seq: 3 }];
    await tamper('DELETE FROM audit WHERE seq > 25');
    await expect(prune(20, { checkpoints })).rejects.toThrow(/Row 30 is not as it was noted/);
    expect(await allRows(store)).toHaveLength(25);
  });

  it('rows that differ from a checkpoint', async () => {
    await fill(10);
    const early = { ...(await note()), hash: '0'.repeat(64) };
    await fill(20, 10);
    await expect(prune(20, { checkpoints: [early, await note()] })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(await allRows(store)).toHaveLength(30);
  });

  it('a later step when another process pruned meanwhile', async () => {
    await fill(30);
    const shouldContinue = async () => {
      await pruneAudit(store, { before: NOW + 15, key, at: NOW });
      return true;
    };
    await expect(prune(25, { step: 8, shouldContinue })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(await verify()).toMatchObject({ ok: true });
  });
});

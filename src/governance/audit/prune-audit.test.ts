/** Retention: old rows go, the rest stays verifiable, and nothing is lost or laundered on the way. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
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
import type { AuditLog } from '../../contract/audit.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Store } from '../../contract/store.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { openDatabase } from '../../kit/sqlite/open-database.ts';
import { createSqliteStore } from '../../stores/sqlite/create-sqlite-store.ts';
import { openSigningKey, type SigningKey } from '../signing/open-signing-key.ts';
import { makeCheckpoint } from './checkpoint.ts';
import { foreseePrune, type PruneOptions, pruneAudit } from './prune-audit.ts';
import { verifyAuditLog } from './verify-audit.ts';
import { verifyAuditFiles } from './verify-audit-files.ts';

let folder = '';
let key: SigningKey;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolcrib-prune-'));
  key = await openSigningKey(join(folder, 'key.pem'));
  store = await createSqliteStore({ path: join(folder, 'crib.db'), runtime: createRuntime() });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const fill = async (count: number, from = 0): Promise<void> => {
  for (const n of times(count, (i) => from + i)) {
    await store.audit.append(auditEntry({ executionId: `e${n}`, at: NOW + n }));
  }
};

const prune = (before: number, more: Partial<PruneOptions> = {}) =>
  pruneAudit(store, { before: NOW + before, key, at: NOW + 1000, ...more });

const trust = () => ({ trustedKeys: [key.publicKey] });
const archive = (): string => join(folder, 'old.jsonl');

describe('pruning', () => {
  it('removes old rows, records that in the trail, and leaves it sound', async () => {
    await fill(50);
    const checkpoints = [makeCheckpoint(await store.audit.head(), { at: 1, store: 's', key })];
    expect(await prune(20)).toEqual({ rows: 20, throughSeq: 20 });
    const rows = await allRows(store);
    expect(rows.map(({ seq }) => seq)).toEqual(times(31, (n) => n + 21));
    expect(rows.at(-1)).toMatchObject({
      kind: 'event',
      tool: 'audit_prune',
      userId: 'local',
      detail: { pruned: 20, throughSeq: 20, before: NOW + 20 },
    });
    const report = await verifyAuditLog(store.audit, { checkpoints, ...trust() });
    expect(report).toMatchObject({ ok: true, rows: 31 });
    expect(await prune(20)).toEqual({ rows: 0, throughSeq: 0 });
    expect(await allRows(store)).toHaveLength(31);
  });

  it('works in steps, after each of which the trail is sound', async () => {
    await fill(25);
    const anchors: number[] = [];
    const audit: AuditLog = Object.assign(Object.create(store.audit), {
      append: store.audit.append.bind(store.audit),
      scan: store.audit.scan.bind(store.audit),
      anchor: store.audit.anchor.bind(store.audit),
      prune: async (anchor: Parameters<AuditLog['prune']>[0]) => {
        anchors.push(anchor.seq);
        return store.audit.prune(anchor);
      },
    });
    const options = { before: NOW + 20, key, at: NOW, step: 8 };
    expect(await pruneAudit({ audit, label: 'l' }, options)).toEqual({ rows: 20, throughSeq: 20 });
    expect(anchors).toEqual([8, 16, 20]);
    expect(await verifyAuditLog(store.audit, trust())).toMatchObject({ ok: true, rows: 6 });
  });

  it('records the rows that were removed when a later step fails', async () => {
    await fill(25);
    let steps = 0;
    const audit = {
      append: store.audit.append.bind(store.audit),
      scan: store.audit.scan.bind(store.audit),
      anchor: store.audit.anchor.bind(store.audit),
      prune: async (anchor: Parameters<AuditLog['prune']>[0]) => {
        if (++steps === 2) throw new ToolFailure('CONFLICT');
        return store.audit.prune(anchor);
      },
    } as Partial<AuditLog> as AuditLog;
    const options = { before: NOW + 20, key, at: NOW, step: 8 };
    const pruning = pruneAudit({ audit, label: 'l' }, options);
    await expect(pruning).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await store.audit.query({ kind: 'event' }))[0]?.detail).toMatchObject({ pruned: 8 });
    expect(await verifyAuditLog(store.audit, trust())).toMatchObject({ ok: true });
  });

  it('can remove every row, and the trail continues', async () => {
    await fill(5);
    expect(await prune(100)).toMatchObject({ rows: 5 });
    await fill(2, 500);
    expect((await allRows(store)).map(({ seq }) => seq)).toEqual([6, 7, 8]);
    expect(await verifyAuditLog(store.audit, trust())).toMatchObject({ ok: true, rows: 3 });
  });

  it('keeps an intent and its outcome together, and keeps open calls', async () => {
    await fill(3);
    await store.audit.append(intentEntry('slow', { at: NOW + 3 }));
    await fill(4, 4);
    expect(await prune(8)).toMatchObject({ throughSeq: 3 });
    await store.audit.append(auditEntry({ executionId: 'slow', at: NOW + 9 }));
    expect(await prune(8)).toMatchObject({ rows: 0 });
    expect(await prune(2000)).toMatchObject({ throughSeq: 10 });
  });

  it('can be previewed: the same rows are counted and none is removed', async () => {
    await fill(50);
    const foresee = (before: number) => foreseePrune(store, { before: NOW + before, ...trust() });
    expect(await foresee(20)).toEqual({ rows: 20, throughSeq: 20 });
    expect(await foresee(0)).toEqual({ rows: 0, throughSeq: 0 });
    expect(await allRows(store)).toHaveLength(50);
    await prune(20);
    expect(await foresee(30)).toEqual({ rows: 10, throughSeq: 30 });
    const stranger = foreseePrune(store, { before: NOW + 30 });
    await expect(stranger).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('keeps a row that is not old although older ones follow', async () => {
    await fill(3);
    await store.audit.append(auditEntry({ at: NOW + 500 }));
    await fill(3, 4);
    expect(await prune(100)).toMatchObject({ throughSeq: 3 });
  });

  it('records who pruned and the request', async () => {
    await fill(3);
    const seen: number[] = [];
    const caller = { userId: 'ada', agentId: 'cli', sessionId: 's' };
    await prune(2, { caller, archive: archive(), onRows: (n) => void seen.push(n) });
    const [event] = await store.audit.query({ kind: 'event' });
    expect(event).toMatchObject({ ...caller, detail: { archive: 'old.jsonl', pruned: 2 } });
    expect(seen).toEqual([3]);
  });
});

describe('pruning into an archive', () => {
  it('writes the rows first, in private, so that all of it is one chain', async () => {
    await fill(2100);
    expect(await prune(1500, { archive: archive() })).toMatchObject({ rows: 1500 });
    expect(statSync(archive()).mode & 0o777).toBe(0o600);
    const second = join(folder, 'second.jsonl');
    expect(await prune(2000, { archive: second })).toMatchObject({ rows: 500, throughSeq: 2000 });
    const report = await verifyAuditFiles(
      { files: [second, archive()], log: store.audit },
      trust(),
    );
    expect(report).toMatchObject({ ok: true, rows: 2102 });
  });

  it('writes none when nothing is old', async () => {
    await fill(3);
    expect(await prune(-1, { archive: archive() })).toMatchObject({ rows: 0 });
    expect(existsSync(archive())).toBe(false);
  });

  it('overwrites nothing, and prunes nothing then', async () => {
    await fill(5);
    writeFileSync(archive(), 'mine');
    await expect(prune(3, { archive: archive() })).rejects.toMatchObject({ code: 'CONFLICT' });
    const nowhere = prune(3, { archive: join(folder, 'no', 'where') });
    await expect(nowhere).rejects.toMatchObject({ code: 'EXECUTION_FAILED' });
    expect(await allRows(store)).toHaveLength(5);
  });

  it.each([
    ['that cannot be read', new Error('disk'), 'EXECUTION_FAILED'],
    ['whose store says why', new ToolFailure('STORE_UNAVAILABLE'), 'STORE_UNAVAILABLE'],
  ])('leaves no half archive of a trail %s', async (_, error, code) => {
    await fill(5);
    let scans = 0;
    const audit = {
      anchor: async () => undefined,
      scan: () => {
        if (++scans === 3) throw error;
        return store.audit.scan();
      },
    } as Partial<AuditLog> as AuditLog;
    const options = { before: NOW + 3, key, at: NOW, archive: archive() };
    await expect(pruneAudit({ audit, label: 'l' }, options)).rejects.toMatchObject({ code });
    expect(existsSync(archive())).toBe(false);
  });

  it('keeps everything when the archive did not get what was verified', async () => {
    await fill(5);
    let scans = 0;
    const audit = {
      anchor: async () => undefined,
      async *scan() {
        const rows = await allRows(store);
        yield ++scans === 3 ? rows.toSpliced(1, 1) : rows;
      },
    } as Partial<AuditLog> as AuditLog;
    const options = { before: NOW + 3, key, at: NOW, archive: archive() };
    await expect(pruneAudit({ audit, label: 'l' }, options)).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(readdirSync(folder)).not.toContain('old.jsonl');
  });

  it('does without a folder that cannot be opened for its sync', async () => {
    await fill(5);
    const closed = join(folder, 'closed');
    const { mkdirSync } = await import('node:fs');
    mkdirSync(closed, { mode: 0o300 });
    expect(await prune(3, { archive: join(closed, 'a.jsonl') })).toMatchObject({ rows: 3 });
    chmodSync(closed, 0o700);
  });
});

describe('pruning a trail that was tampered with', () => {
  it('A1: is refused, so that an anchor cannot launder an edit', async () => {
    await fill(10);
    const database = await openDatabase(join(folder, 'crib.db'));
    database.exec("DROP TRIGGER audit_keeps_text; UPDATE audit SET tool = 'x' WHERE seq = 2");
    database.close();
    await expect(prune(5)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('Row 2 does not match'),
    });
    expect(await allRows(store)).toHaveLength(10);
    expect(await store.audit.anchor()).toBeUndefined();
  });

  it('A1: is refused when a checkpoint contradicts it or an anchor is foreign', async () => {
    await fill(10);
    const other = { seq: 4, hash: 'ab'.repeat(32) };
    const checkpoints = [makeCheckpoint(other, { at: 1, store: 's', key })];
    await expect(prune(5, { checkpoints })).rejects.toMatchObject({ code: 'CONFLICT' });
    const stranger = await openSigningKey(join(folder, 'stranger.pem'));
    await prune(3, { key: stranger });
    await expect(prune(5)).rejects.toThrow(/not trusted/);
    expect(await prune(5, { trustedKeys: [stranger.publicKey] })).toMatchObject({ rows: 2 });
  });

  it.each([
    ['no JSON', '{'],
    ['another row', '{"seq":1,"hash":"x"}'],
    ['no hash', '{"seq":3}'],
  ])('A1: an anchor that holds %s is reported, and appending still works', async (_, text) => {
    await fill(3);
    await prune(100);
    const database = await openDatabase(join(folder, 'crib.db'));
    const quoted = text.replaceAll("'", "''");
    database.exec(
      `DROP TRIGGER audit_keeps_rows; DELETE FROM audit; UPDATE audit_anchor SET checkpoint = '${quoted}'`,
    );
    database.close();
    await fill(1);
    expect(await verifyAuditLog(store.audit, trust())).toMatchObject({
      ok: false,
      problem: { kind: 'bad-checkpoint', seq: 3 },
    });
  });
});

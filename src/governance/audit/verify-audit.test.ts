/** A1: every kind of tampering is found, and a clean log raises no alarm. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { allRows, auditEntry, times } from '../../../test/conformance/store-samples.ts';
import type { AuditRow } from '../../contract/audit.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { type Database, openDatabase } from '../../kit/sqlite/open-database.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { migrate } from '../../stores/sqlite/database/migrate.ts';
import { sqliteStore } from '../../stores/sqlite/sqlite-store.ts';
import { verifyAudit } from './verify-audit.ts';

const LENGTH = 40;

async function* paged(rows: readonly AuditRow[], size = 7): AsyncIterable<readonly AuditRow[]> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}

const log = async (length: number, userId = 'alice'): Promise<readonly AuditRow[]> => {
  const store = createMemoryStore();
  for (const n of times(length, (index) => index)) {
    await store.audit.append(auditEntry({ executionId: `e${n}`, userId, detail: { n } }));
  }
  return allRows(store);
};

let clean: readonly AuditRow[] = [];
let other: readonly AuditRow[] = [];
beforeAll(async () => {
  clean = await log(LENGTH);
  other = await log(LENGTH, 'eve');
});

const headOf = (rows: readonly AuditRow[]) => {
  const last = rows.at(-1);
  return last && { seq: last.seq, hash: last.hash };
};

/** Replaces the row at the index by others. */
const spliced = (index: number, remove: number, ...rows: readonly AuditRow[]): AuditRow[] =>
  clean.toSpliced(index, remove, ...rows);

const at = (index: number): AuditRow => clean[index] as AuditRow;

type Tamper = (index: number) => readonly AuditRow[];

/** The index is never one of the last two: what happens at the end is the noted head's business. */
const TAMPERINGS: Readonly<Record<string, readonly [Tamper, string]>> = {
  'an edited field': [(n) => spliced(n, 1, { ...at(n), userId: 'eve' }), 'edited'],
  'an edited detail': [(n) => spliced(n, 1, { ...at(n), detail: { n: -1 } }), 'edited'],
  'an edited number': [(n) => spliced(n, 1, { ...at(n), costMicros: 1 }), 'edited'],
  'an edited hash': [(n) => spliced(n, 1, { ...at(n), hash: 'ab'.repeat(32) }), 'edited'],
  'a removed row': [(n) => spliced(n + 1, 1), 'gap'],
  'a removed row, the rest renumbered': [
    (n) => spliced(n, 1).map((row, index) => ({ ...row, seq: index + 1 })),
    'edited',
  ],
  'a removed beginning': [(n) => clean.slice(n + 1), 'bad-start'],
  'two rows swapped': [(n) => spliced(n, 2, at(n + 1), at(n)), ''],
  'two rows swapped, numbers kept': [
    (n) => spliced(n, 2, { ...at(n + 1), seq: n + 1 }, { ...at(n), seq: n + 2 }),
    'edited',
  ],
  'a repeated row': [(n) => spliced(n, 0, at(n)), ''],
  'a forged row': [(n) => spliced(n, 1, other[n] as AuditRow), 'edited'],
  'a removed end': [(n) => clean.slice(0, n), 'truncated'],
  'an empty log': [() => [], 'truncated'],
  'a whole new log': [() => other, 'edited'],
  'a new log up to a row': [(n) => [...other.slice(0, n + 1), ...clean.slice(n + 1)], 'edited'],
};

describe('verify audit', () => {
  it.each(Object.entries(TAMPERINGS))('finds %s, wherever it is', async (_, [tamper, kind]) => {
    await fc.assert(
      fc.asyncProperty(fc.nat(LENGTH - 3), fc.integer({ min: 1, max: 9 }), async (index, size) => {
        const report = await verifyAudit(paged(tamper(index), size), { expected: headOf(clean) });
        expect(report.ok).toBe(false);
        expect(report.problem?.message).toMatch(/^[A-Z].*\.$/);
        if (kind) expect(report.problem?.kind).toBe(kind);
        expect(report.rows).toBe(report.head?.seq ?? 0);
      }),
      { numRuns: 100 },
    );
  });

  it('says where the trouble starts and how far the log is sound', async () => {
    const edited = spliced(20, 1, { ...at(20), tool: 'other' });
    expect(await verifyAudit(paged(edited))).toEqual({
      ok: false,
      rows: 20,
      head: headOf(clean.slice(0, 20)),
      problem: { kind: 'edited', seq: 21, message: expect.stringMatching(/Row 21/) },
    });
    expect(await verifyAudit(paged(spliced(20, 3)))).toMatchObject({
      rows: 20,
      problem: { kind: 'gap', seq: 21 },
    });
    expect(await verifyAudit(paged(clean.slice(0, 20)), { expected: headOf(clean) })).toMatchObject(
      {
        rows: 20,
        problem: { kind: 'truncated', seq: 21 },
      },
    );
    expect(await verifyAudit(paged(clean.slice(5)))).toMatchObject({
      rows: 0,
      head: undefined,
      problem: { kind: 'bad-start', seq: 6 },
    });
  });

  it('sees a cut-off end only beside a head noted earlier', async () => {
    expect(await verifyAudit(paged(clean.slice(0, 20)))).toMatchObject({ ok: true, rows: 20 });
    const grown = await verifyAudit(paged(clean), { expected: headOf(clean.slice(0, 20)) });
    expect(grown).toEqual({ ok: true, rows: LENGTH, head: headOf(clean) });
  });

  it('finds a detail that cannot be read', async () => {
    const detail = { n: 1n } as unknown as AuditRow['detail'];
    const report = await verifyAudit(paged(spliced(3, 1, { ...at(3), detail })));
    expect(report.problem).toMatchObject({ kind: 'edited', seq: 4 });
  });

  it('hands on the failure when the rows cannot be read', async () => {
    // biome-ignore lint/correctness/useYield: a reader that fails before its first page
    const broken = (async function* (): AsyncGenerator<readonly AuditRow[]> {
      throw new RangeError('no rows');
    })();
    await expect(verifyAudit(broken)).rejects.toThrow('no rows');
  });

  it('checks the format that is documented, worked out by hand', async () => {
    const [row] = clean;
    const text = `[1,${row?.at},"outcome","e0","calculator","1.0.0","read_only","alice","agent-1","session-1","success","",1.25,0,"{\\"n\\":0}"]`;
    const hash = createHash('sha256')
      .update(`${'0'.repeat(64)}\n${text}`)
      .digest('hex');
    expect(row?.hash).toBe(hash);
  });

  it('raises no alarm on 1,000 clean logs', async () => {
    const detail = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue(), { maxKeys: 4 });
    const entry = fc
      .record({ tool: fc.string({ unit: 'binary' }), detail, durationMs: fc.double() })
      .map((parts) => auditEntry(parts));
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 6 }), async (entries) => {
        const { audit } = createMemoryStore();
        for (const one of entries) await audit.append(one);
        const report = await verifyAudit(audit.scan(), { expected: await audit.head() });
        expect(report).toMatchObject({ ok: true, rows: entries.length });
      }),
      { numRuns: 1000 },
    );
  });
});

/** With the triggers dropped, as anyone who can write the file can do. */
const SQL_TAMPERINGS: readonly (readonly [string, string, string])[] = [
  ['a field', "UPDATE audit SET status = 'failure' WHERE seq = 20", 'edited'],
  ['a time', 'UPDATE audit SET at = at + 1 WHERE seq = 20', 'edited'],
  ['white space in a detail', "UPDATE audit SET detail = detail || ' ' WHERE seq = 20", 'edited'],
  ['a key twice', `UPDATE audit SET detail = '{"n":9,"n":19}' WHERE seq = 20`, 'edited'],
  ['a number spelled anew', `UPDATE audit SET detail = '{"n":19.0}' WHERE seq = 20`, 'edited'],
  ['a detail that is no JSON', "UPDATE audit SET detail = '{' WHERE seq = 20", 'edited'],
  ['a detail that is no object', "UPDATE audit SET detail = '7' WHERE seq = 20", 'edited'],
  ['a removed row', 'DELETE FROM audit WHERE seq = 20', 'gap'],
  ['a removed beginning', 'DELETE FROM audit WHERE seq < 20', 'bad-start'],
  ['a removed end', 'DELETE FROM audit WHERE seq > 20', 'truncated'],
  [
    'two rows swapped',
    'UPDATE audit SET seq = 900 WHERE seq = 20; UPDATE audit SET seq = 20 WHERE seq = 21; UPDATE audit SET seq = 21 WHERE seq = 900',
    'edited',
  ],
];

describe('verify audit of a database', () => {
  const open = (database: Database) =>
    sqliteStore({ database, runtime: createRuntime(), lockTimeoutMs: 50, label: 'tampered' });

  it.each(SQL_TAMPERINGS)('finds %s', async (_, sql, kind) => {
    const database = await openDatabase(':memory:');
    migrate(database);
    const store = open(database);
    await Promise.all(
      times(LENGTH, async (n) => store.audit.append(auditEntry({ detail: { n } }))),
    );
    const head = await store.audit.head();
    expect(await verifyAudit(store.audit.scan(), { expected: head })).toMatchObject({ ok: true });
    database.exec(`DROP TRIGGER audit_keeps_rows; DROP TRIGGER audit_keeps_text; ${sql}`);
    const report = await verifyAudit(store.audit.scan(), { expected: head });
    expect(report.problem).toMatchObject({ kind });
    await store.close();
  });
});

import { expect, it } from 'vitest';
import { openDatabase } from '../../kit/sqlite/open-database.ts';
import { rowFields, toStoredEntry } from '../audit-row.ts';
import { AuditInserts } from './audit-inserts.ts';
import { MIGRATIONS } from './database/migrations.ts';

const fieldsOf = (seq: number) => {
  const entry = toStoredEntry({
    kind: 'outcome',
    executionId: `call-${seq}`,
    at: 1_700_000_000_000 + seq,
    tool: 'add',
    version: '1.0.0',
    tier: 'read_only',
    userId: 'ann',
    agentId: '',
    sessionId: '',
    status: 'success',
    code: '',
    durationMs: seq / 8,
    costMicros: seq,
    detail: { rule: 'read', input: { seq } },
  });
  return [...rowFields(seq, entry), `hash of ${seq}`];
};

it.each([0, 1, 3, 4, 5, 8, 11, 16, 17, 37])(
  'AuditInserts inserts %i rows, each value in its column',
  async (count) => {
    const database = await openDatabase(':memory:');
    database.exec(MIGRATIONS[0] as string);
    const rows = Array.from({ length: count }, (_, at) => fieldsOf(at + 1));
    new AuditInserts(database).run(rows.flat());
    const found = database.prepare('SELECT * FROM audit ORDER BY seq').all() as object[];
    expect(found.map((row) => Object.values(row))).toEqual(rows);
    database.close();
  },
);

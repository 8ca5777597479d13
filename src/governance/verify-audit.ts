/**
 * Walks the audit chain and finds the first row that was edited, removed, moved or cut off. It
 * shares no code with the stores that write the chain; both follow docs/audit-format.md.
 */
import { hash } from 'node:crypto';
import type { AuditRow, AuditVerification } from '../contract/audit.ts';

type Head = NonNullable<AuditVerification['head']>;
type Problem = NonNullable<AuditVerification['problem']>;

const START: Head = { seq: 0, hash: '0'.repeat(64) };

/** The hash a row must have after the one before it; `undefined` when it cannot be worked out. */
const hashAfter = (previous: string, row: AuditRow): string | undefined => {
  try {
    const fields = [
      row.seq,
      row.at,
      row.kind,
      row.executionId,
      row.tool,
      row.version,
      row.tier,
      row.userId,
      row.agentId,
      row.sessionId,
      row.status,
      row.code,
      row.durationMs,
      row.costMicros,
      JSON.stringify(row.detail),
    ];
    return hash('sha256', `${previous}\n${JSON.stringify(fields)}`, 'hex');
  } catch {
    return undefined;
  }
};

const orderProblem = (last: Head, row: AuditRow): Problem | undefined => {
  const wanted = last.seq + 1;
  if (row.seq === wanted) return undefined;
  return last.seq === 0
    ? {
        kind: 'bad-start',
        seq: row.seq,
        message: `The log starts with row ${row.seq} instead of row 1: its beginning is missing.`,
      }
    : {
        kind: 'gap',
        seq: wanted,
        message: `Row ${wanted} is not where it belongs: row ${last.seq} is followed by row ${row.seq}.`,
      };
};

const rowProblem = (last: Head, row: AuditRow, expected: Head | undefined): Problem | undefined => {
  const disorder = orderProblem(last, row);
  if (disorder) return disorder;
  if (hashAfter(last.hash, row) !== row.hash) {
    return {
      kind: 'edited',
      seq: row.seq,
      message: `Row ${row.seq} does not match its hash: it, or the row before it, was changed.`,
    };
  }
  if (row.seq === expected?.seq && row.hash !== expected.hash) {
    return {
      kind: 'edited',
      seq: row.seq,
      message: `Row ${row.seq} is not the row that was noted earlier: the log was rewritten up to it.`,
    };
  }
  return undefined;
};

const endProblem = (last: Head, expected: Head | undefined): Problem | undefined =>
  expected && last.seq < expected.seq
    ? {
        kind: 'truncated',
        seq: last.seq + 1,
        message: `The log ends with row ${last.seq}; row ${expected.seq} was there earlier.`,
      }
    : undefined;

/**
 * Reads the rows from the first on, oldest first. `rows` and `head` tell how far the log is sound;
 * a removed end shows only beside a head that was noted earlier. Rejects when the rows cannot be
 * read.
 */
export const verifyAudit = async (
  rows: AsyncIterable<readonly AuditRow[]>,
  expected?: Head,
): Promise<AuditVerification> => {
  let last = START;
  const report = (problem: Problem | undefined): AuditVerification => ({
    ok: problem === undefined,
    rows: last.seq,
    head: last.seq === 0 ? undefined : last,
    ...(problem && { problem }),
  });
  for await (const page of rows) {
    for (const row of page) {
      const problem = rowProblem(last, row, expected);
      if (problem) return report(problem);
      last = { seq: row.seq, hash: row.hash };
    }
  }
  return report(endProblem(last, expected));
};

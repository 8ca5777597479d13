/**
 * Copies a SQLite store to PostgreSQL: everything or nothing. The record is verified in the source, and
 * in the copy before that is committed; both have the same length and the same last row.
 */
import type { AuditVerification } from '../../contract/audit.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { verifyAudit } from '../../governance/audit/verify-audit.ts';
import { type CopiedTrail, importTables } from '../../stores/postgres/import-tables.ts';
import { type ExportedTables, withExportedTables } from '../../stores/sqlite/export-tables.ts';
import type { UnusedFile } from '../../stores/sqlite/unused-database.ts';

export interface CopyRequest {
  /** The database file of the source. */
  readonly from: UnusedFile;
  /** The address of the target, with its password. */
  readonly to: string;
  readonly schema: string;
  readonly runtime: Runtime;
  /** Where the files are that the calls of the source changed. */
  readonly place: string;
  onRows?(copied: number, total: number): void;
}

export interface CopiedStore {
  /** Rows of all tables. */
  readonly rows: number;
  readonly auditRows: number;
  readonly head: AuditVerification['head'];
  /** Host, database and schema of the target. */
  readonly target: string;
}

const unsound = (which: string, message: string): ToolFailure =>
  new ToolFailure('CONFLICT', `The record of the ${which} does not verify: ${message}`, {
    suggestions: ['Nothing was copied. Look at the record with: toolcrib audit verify'],
  });

const assertSound = (which: string, { ok, problem }: AuditVerification): void => {
  if (!ok) throw unsound(which, problem?.message ?? 'it was changed.');
};

const verifySource = async (source: ExportedTables): Promise<AuditVerification> => {
  const report = await verifyAudit(source.trail(), { anchor: source.anchor });
  assertSound('source', report);
  return report;
};

/** Checks the copy against the source before it is committed. */
const checkCopy = async (trail: CopiedTrail, source: AuditVerification): Promise<void> => {
  const copy = await verifyAudit(trail.scan(), { anchor: trail.anchor, expected: source.head });
  assertSound('copy', copy);
  if (copy.rows === source.rows && copy.head?.hash === source.head?.hash) return;
  throw unsound('copy', 'it has another length or another last row.');
};

export const copyStore = ({
  from,
  to,
  schema,
  runtime,
  place,
  onRows,
}: CopyRequest): Promise<CopiedStore> =>
  withExportedTables(from, runtime, async (source) => {
    const verified = await verifySource(source);
    const { rows, address } = await importTables(source, {
      url: to,
      schema,
      runtime,
      place,
      onRows: (copied) => onRows?.(copied, source.total),
      check: (trail) => checkCopy(trail, verified),
    });
    return { rows, auditRows: verified.rows, head: verified.head, target: address };
  });

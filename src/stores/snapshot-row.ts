/** How databases keep the bytes of a file before a call changed it. */
import type { Snapshot } from '../contract/store.ts';
import { fromSqlText } from '../kit/text/sql-text.ts';

export interface SnapshotRow {
  readonly step: number;
  readonly path: string;
  readonly before: Uint8Array | null;
  readonly before_mode: number | null;
  readonly after_hash: string | null;
  readonly kept_at: number;
}

export const toSnapshot = (executionId: string, row: SnapshotRow): Snapshot => ({
  executionId,
  order: row.step,
  path: fromSqlText(row.path),
  before: row.before === null ? undefined : Uint8Array.from(row.before),
  beforeMode: row.before_mode ?? undefined,
  afterHash: row.after_hash ?? undefined,
  keptAt: row.kept_at,
});

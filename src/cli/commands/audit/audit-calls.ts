/** The audit trail read call by call: rows are grouped, and each call says what became of its effect. */
import type { AuditRow } from '../../../contract/audit.ts';
import type { CribHost } from '../../../contract/crib-host.ts';
import type { ExecutionStatus } from '../../../contract/crib-members.ts';
import type { RowFilter } from './audit-filter.ts';

export interface AuditCall {
  /** The newest row of the call that the filter let through. */
  readonly row: AuditRow;
  readonly effect: ExecutionStatus['effect'];
}

export interface AuditPage {
  readonly calls: readonly AuditCall[];
  /** `before` for the next page; absent on the last one. */
  readonly next?: number;
}

const ROWS_AT_ONCE = 200;

const effectOf = async (crib: CribHost, row: AuditRow): Promise<AuditCall['effect']> =>
  (row.executionId === '' ? undefined : (await crib.executions.status(row.executionId))?.effect) ??
  'none';

/** An event, such as an undo, speaks of a call that has its own rows further down. */
const isAside = (row: AuditRow, { status, kind }: RowFilter): boolean =>
  row.kind === 'event' && row.executionId !== '' && status === undefined && kind === undefined;

/** By what a store is not asked for. */
const isWanted = (row: AuditRow, { agentId, sessionId, code }: RowFilter): boolean =>
  (agentId === undefined || row.agentId === agentId) &&
  (sessionId === undefined || row.sessionId === sessionId) &&
  (code === undefined || row.code === code);

/** A call that ended on an earlier page has its intent on this one. */
const endedEarlier = async (
  crib: CribHost,
  row: AuditRow,
  { before, ...filter }: RowFilter,
): Promise<boolean> => {
  if (row.kind === 'outcome' || before === undefined || row.executionId === '') return false;
  const store = await crib.store();
  const { executionId } = row;
  const newest = (await store.audit.query({ ...filter, executionId })).find((one) =>
    isWanted(one, filter),
  );
  return newest !== undefined && newest.seq >= before;
};

/** Newest first, `limit` calls at most. */
export const auditCalls = async (
  crib: CribHost,
  filter: RowFilter,
  limit: number,
): Promise<AuditPage> => {
  const { audit } = await crib.store();
  const seen = new Set<string>();
  const calls: AuditCall[] = [];
  let { before } = filter;
  for (;;) {
    const page = { ...filter, ...(before !== undefined && { before }), limit: ROWS_AT_ONCE };
    const rows = await audit.query(page);
    for (const row of rows) {
      if (!isWanted(row, filter)) {
        before = row.seq;
        continue;
      }
      const known = row.executionId !== '' && seen.has(row.executionId);
      if (!known && calls.length === limit) {
        return { calls, next: before ?? row.seq };
      }
      before = row.seq;
      if (known || isAside(row, filter) || (await endedEarlier(crib, row, filter))) continue;
      seen.add(row.executionId);
      calls.push({ row, effect: await effectOf(crib, row) });
    }
    if (rows.length < ROWS_AT_ONCE) return { calls };
  }
};

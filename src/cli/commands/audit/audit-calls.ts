/** Reads the audit trail call by call, filtered: groups the rows of a call and finds the state of its effect. */
import type { Command } from 'commander';
import {
  AUDIT_STATUSES,
  type AuditFilter,
  type AuditKind,
  type AuditRow,
} from '../../../contract/audit.ts';
import type { CribHost } from '../../../contract/crib-host.ts';
import type { ExecutionStatus } from '../../../contract/crib-members.ts';
import { ERRORS, isErrorCode } from '../../../contract/errors.ts';
import { TIERS, type Tier } from '../../../contract/tool.ts';
import { compact } from '../../../kit/data/compact.ts';
import { misuse } from '../../input/misuse.ts';
import { readMoment } from '../../input/moment.ts';
import type { Io } from '../../io.ts';

export interface FilterOptions {
  readonly user?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly tool?: string;
  readonly tier?: string;
  readonly status?: string;
  readonly kind?: string;
  readonly code?: string;
  readonly since?: string;
  readonly until?: string;
}

/** Filters also by columns that a store does not filter by. */
export interface RowFilter extends AuditFilter {
  readonly agentId?: string;
  readonly sessionId?: string;
  readonly code?: AuditRow['code'];
}

const KINDS: readonly AuditKind[] = ['intent', 'outcome', 'event'];

const oneOf = <T extends string>(option: string, text: string, allowed: readonly T[]): T => {
  const match = allowed.find((value) => value === text);
  if (match !== undefined) return match;
  throw misuse(`${option} does not accept that value.`, `Use one of: ${allowed.join(', ')}.`);
};

const codeOf = (text: string): AuditRow['code'] => {
  const code = text.toUpperCase();
  return isErrorCode(code)
    ? code
    : oneOf('--code', code, Object.keys(ERRORS) as (keyof typeof ERRORS)[]);
};

/** Throws VALIDATION_ERROR for a value that no row can have. */
export const auditFilterOf = (io: Io, options: FilterOptions): RowFilter => {
  const { user, agent, session, tool, tier, status, kind, code, since, until } = options;
  const now = io.runtime.now();
  return {
    ...compact({ userId: user, agentId: agent, sessionId: session, tool }),
    ...(tier !== undefined && { tier: oneOf<Tier>('--tier', tier, TIERS) }),
    ...(status !== undefined && { status: oneOf('--status', status, AUDIT_STATUSES) }),
    ...(kind !== undefined && { kind: oneOf('--kind', kind, KINDS) }),
    ...(code !== undefined && { code: codeOf(code) }),
    ...(since !== undefined && { from: readMoment('--since', since, now) }),
    ...(until !== undefined && { to: readMoment('--until', until, now) }),
  };
};

/** Adds the filter options. `what` names what the command lists: calls or rows. */
export const withFilters = (command: Command, what: string): Command =>
  command
    .option('--user <id>', `only ${what} of this user`)
    .option('--agent <id>', `only ${what} of this agent`)
    .option('--session <id>', `only ${what} of this session`)
    .option('--tool <name>', `only ${what} of this tool`)
    .option('--tier <tier>', `only of: ${TIERS.join(', ')}`)
    .option('--status <status>', `only of: ${AUDIT_STATUSES.join(', ')}`)
    .option('--kind <kind>', `only rows of: ${KINDS.join(', ')}`)
    .option('--code <code>', 'only with this error code')
    .option('--since <when>', 'from then on: a date, or 90m, 2h, 7d ago')
    .option('--until <when>', 'before then');

export interface AuditCall {
  /** The newest row of the call that the filter let through. */
  readonly row: AuditRow;
  readonly effect: ExecutionStatus['effect'];
}

interface AuditPage {
  readonly calls: readonly AuditCall[];
  /** `before` for the next page; absent on the last one. */
  readonly next?: number;
}

const ROWS_AT_ONCE = 200;

const effectOf = async (crib: CribHost, row: AuditRow): Promise<AuditCall['effect']> =>
  (row.executionId === '' ? undefined : (await crib.executions.status(row.executionId))?.effect) ??
  'none';

/** Recognizes events such as an undo: the call that they are about has its own rows further down. */
const isAside = (row: AuditRow, { status, kind }: RowFilter): boolean =>
  row.kind === 'event' && row.executionId !== '' && status === undefined && kind === undefined;

/** Filters by the columns that a store does not filter by. */
const matches = (row: AuditRow, { agentId, sessionId, code }: RowFilter): boolean =>
  (agentId === undefined || row.agentId === agentId) &&
  (sessionId === undefined || row.sessionId === sessionId) &&
  (code === undefined || row.code === code);

/** Tells whether the call was listed on an earlier page, where its outcome is; its intent is on this one. */
const endedEarlier = async (
  crib: CribHost,
  row: AuditRow,
  { before, ...filter }: RowFilter,
): Promise<boolean> => {
  if (row.kind === 'outcome' || before === undefined || row.executionId === '') return false;
  const store = await crib.store();
  const { executionId } = row;
  const newest = (await store.audit.query({ ...filter, executionId })).find((one) =>
    matches(one, filter),
  );
  return newest !== undefined && newest.seq >= before;
};

/** Lists calls, newest first, `limit` at most. */
export const auditCalls = async (
  crib: CribHost,
  filter: RowFilter,
  limit: number,
): Promise<AuditPage> => {
  const { audit } = await crib.store();
  const executionIds = new Set<string>();
  const calls: AuditCall[] = [];
  let { before } = filter;
  for (;;) {
    const page = { ...filter, ...(before !== undefined && { before }), limit: ROWS_AT_ONCE };
    const rows = await audit.query(page);
    for (const row of rows) {
      if (!matches(row, filter)) {
        before = row.seq;
        continue;
      }
      const isSeen = row.executionId !== '' && executionIds.has(row.executionId);
      if (!isSeen && calls.length === limit) {
        return { calls, next: before ?? row.seq };
      }
      before = row.seq;
      if (isSeen || isAside(row, filter) || (await endedEarlier(crib, row, filter))) continue;
      executionIds.add(row.executionId);
      calls.push({ row, effect: await effectOf(crib, row) });
    }
    if (rows.length < ROWS_AT_ONCE) return { calls };
  }
};

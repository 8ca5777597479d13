/** The options that pick audit rows, and what they mean. */
import type { Command } from 'commander';
import type { AuditFilter, AuditKind, AuditRow, AuditStatus } from '../../../contract/audit.ts';
import { ERRORS, isErrorCode, ToolFailure } from '../../../contract/errors.ts';
import { TIERS, type Tier } from '../../../contract/tool.ts';
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

/** Also by what a store is not asked for. */
export interface RowFilter extends AuditFilter {
  readonly agentId?: string;
  readonly sessionId?: string;
  readonly code?: AuditRow['code'];
}

const STATUSES: readonly AuditStatus[] = [
  'success',
  'failure',
  'timeout',
  'cancelled',
  'denied',
  'pending',
  'started',
  'unknown',
  'undone',
];

const KINDS: readonly AuditKind[] = ['intent', 'outcome', 'event'];

const oneOf = <T extends string>(option: string, given: string, allowed: readonly T[]): T => {
  const found = allowed.find((value) => value === given);
  if (found !== undefined) return found;
  throw new ToolFailure('VALIDATION_ERROR', `${option} does not know that value.`, {
    suggestions: [`Use one of: ${allowed.join(', ')}.`],
  });
};

const codeOf = (given: string): AuditRow['code'] => {
  const code = given.toUpperCase();
  return isErrorCode(code)
    ? code
    : oneOf('--code', code, Object.keys(ERRORS) as (keyof typeof ERRORS)[]);
};

/** Throws VALIDATION_ERROR for a value that no row can have. */
export const auditFilterOf = (io: Io, options: FilterOptions): RowFilter => {
  const { user, agent, session, tool, tier, status, kind, code, since, until } = options;
  const now = io.runtime.now();
  return {
    ...(user !== undefined && { userId: user }),
    ...(agent !== undefined && { agentId: agent }),
    ...(session !== undefined && { sessionId: session }),
    ...(tool !== undefined && { tool }),
    ...(tier !== undefined && { tier: oneOf<Tier>('--tier', tier, TIERS) }),
    ...(status !== undefined && { status: oneOf('--status', status, STATUSES) }),
    ...(kind !== undefined && { kind: oneOf('--kind', kind, KINDS) }),
    ...(code !== undefined && { code: codeOf(code) }),
    ...(since !== undefined && { from: readMoment('--since', since, now) }),
    ...(until !== undefined && { to: readMoment('--until', until, now) }),
  };
};

/** `what` is what the command picks: calls or rows. */
export const withFilters = (command: Command, what: string): Command =>
  command
    .option('--user <id>', `only ${what} of this user`)
    .option('--agent <id>', `only ${what} of this agent`)
    .option('--session <id>', `only ${what} of this session`)
    .option('--tool <name>', `only ${what} of this tool`)
    .option('--tier <tier>', `only of: ${TIERS.join(', ')}`)
    .option('--status <status>', `only of: ${STATUSES.join(', ')}`)
    .option('--kind <kind>', `only rows of: ${KINDS.join(', ')}`)
    .option('--code <code>', 'only with this error code')
    .option('--since <when>', 'from then on: a date, or 90m, 2h, 7d ago')
    .option('--until <when>', 'before then');

/** `toolcrib audit list`: the calls on record, newest first. */
import type { Command } from 'commander';
import type { AuditFilter, AuditStatus } from '../../contract/audit.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { TIERS, type Tier } from '../../contract/tool.ts';
import { type AuditCall, auditCalls } from '../audit-calls.ts';
import { leaving, withExamples, withJson } from '../command-parts.ts';
import { formatCost, formatDuration, formatTime } from '../format-units.ts';
import { type Io, note, print, printJson } from '../io.ts';
import { readMoment } from '../moment.ts';
import { withCrib } from '../open-crib.ts';
import { effectCell, statusCell } from '../status-cell.ts';
import { type Cell, table } from '../table.ts';
import { wholeNumber } from '../whole-number.ts';

interface ListOptions {
  readonly user?: string;
  readonly tool?: string;
  readonly tier?: string;
  readonly status?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
  readonly before?: number;
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

const oneOf = <T extends string>(option: string, given: string, allowed: readonly T[]): T => {
  const found = allowed.find((value) => value === given);
  if (found !== undefined) return found;
  throw new ToolFailure('VALIDATION_ERROR', `${option} does not know that value.`, {
    suggestions: [`Use one of: ${allowed.join(', ')}.`],
  });
};

const filterOf = (io: Io, options: ListOptions): AuditFilter => {
  const { user, tool, tier, status, since, until, before } = options;
  const now = io.runtime.now();
  return {
    ...(user !== undefined && { userId: user }),
    ...(tool !== undefined && { tool }),
    ...(tier !== undefined && { tier: oneOf<Tier>('--tier', tier, TIERS) }),
    ...(status !== undefined && { status: oneOf('--status', status, STATUSES) }),
    ...(since !== undefined && { from: readMoment('--since', since, now) }),
    ...(until !== undefined && { to: readMoment('--until', until, now) }),
    ...(before !== undefined && { before }),
  };
};

const HEAD = [
  'time',
  'execution',
  'tool',
  'tier',
  'user',
  'status',
  'effect',
  'took',
  'cost',
  'code',
];

const rowOf = (io: Io, { row, effect }: AuditCall): readonly (string | Cell)[] => [
  { text: formatTime(row.at), paint: io.ink.dim },
  row.executionId,
  { text: row.tool, paint: io.ink.bold },
  row.tier,
  row.userId,
  statusCell(row.status, io.ink),
  effectCell(effect, io.ink),
  { text: formatDuration(row.durationMs), align: 'right' },
  { text: formatCost(row.costMicros / 1e6), align: 'right' },
  row.code,
];

const listCalls = (io: Io, options: ListOptions): Promise<number> =>
  withCrib(io, async ({ crib }) => {
    const { calls, next } = await auditCalls(crib, filterOf(io, options), options.limit);
    if (io.json) {
      printJson(io, {
        calls: calls.map(({ row, effect }) => ({ ...row, effect })),
        next: next ?? null,
      });
      return 0;
    }
    if (calls.length === 0) {
      print(io, 'No call on record fits.');
      return 0;
    }
    const head = HEAD.map((text) => ({ text, paint: io.ink.dim }));
    print(io, ...table([head, ...calls.map((call) => rowOf(io, call))]));
    if (next !== undefined) note(io, io.noteInk.dim(`Older ones: add --before ${next}`));
    return 0;
  });

export const auditListCommand = (audit: Command, io: Io): Command => {
  const command = withJson(
    audit.command('list', { isDefault: true }).description('list calls, newest first'),
  )
    .option('--user <id>', 'only calls of this user')
    .option('--tool <name>', 'only calls of this tool')
    .option('--tier <tier>', `only of: ${TIERS.join(', ')}`)
    .option('--status <status>', `only of: ${STATUSES.join(', ')}`)
    .option('--since <when>', 'from then on: a date, or 90m, 2h, 7d ago')
    .option('--until <when>', 'before then')
    .option('--limit <count>', 'this many at most', wholeNumber('--limit', 1), 20)
    .option('--before <number>', 'older than this row: the next page', wholeNumber('--before', 1))
    .action(leaving(io, (options: ListOptions) => listCalls(io, options)));
  return withExamples(
    command,
    'toolcrib audit list --since 2h --status denied',
    'toolcrib audit list --tool write_file --limit 5 --json',
  );
};

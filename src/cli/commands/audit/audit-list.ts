/** `toolcrib audit list`: the calls on record, newest first. */
import type { Command } from 'commander';
import { summaryOfRow } from '../../../contract/call-summary.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { wholeNumber } from '../../input/misuse.ts';
import { hint, type Io, print, printJson } from '../../io.ts';
import { formatCost, formatDuration, formatTime } from '../../output/format-units.ts';
import { type Cell, printTable } from '../../output/table.ts';
import { withStore } from '../../session/open-crib.ts';
import {
  type AuditCall,
  auditCalls,
  auditFilterOf,
  type FilterOptions,
  type RowFilter,
  withFilters,
} from './audit-calls.ts';
import { effectCell, statusCell } from './audit-show.ts';

interface ListOptions extends FilterOptions {
  readonly limit: number;
  readonly before?: number;
}

const filterOf = (io: Io, options: ListOptions): RowFilter => ({
  ...auditFilterOf(io, options),
  ...(options.before !== undefined && { before: options.before }),
});

const HEAD = {
  names: [
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
    'what',
  ],
  /** What a narrow terminal does without, first what matters least: effect, cost, tier, took, user, code, what. */
  spare: [6, 8, 3, 7, 4, 9, 10],
};

const MAX_WHAT = 80;

const clipped = (text: string): string =>
  text.length > MAX_WHAT ? `${text.slice(0, MAX_WHAT - 1)}…` : text;

const rowOf = (io: Io, { row, effect }: AuditCall): readonly (string | Cell)[] => [
  { text: formatTime(row.at), paint: io.ink.dim },
  { text: row.executionId, whole: true },
  { text: row.tool, paint: io.ink.bold },
  row.tier,
  row.userId,
  statusCell(row.status, io.ink),
  effectCell(effect, io.ink),
  { text: row.kind === 'event' ? '' : formatDuration(row.durationMs), align: 'right' },
  { text: formatCost(row.costMicros / 1e6), align: 'right' },
  row.code,
  { text: clipped(visibleText(summaryOfRow(row))), paint: io.ink.dim },
];

const listCalls = (io: Io, options: ListOptions): Promise<number> =>
  withStore(io, async ({ crib }) => {
    const { calls, next } = await auditCalls(crib, filterOf(io, options), options.limit);
    if (io.json) {
      printJson(io, {
        calls: calls.map(({ row, effect }) => ({ ...row, effect, summary: summaryOfRow(row) })),
        next: next ?? null,
      });
      return 0;
    }
    if (calls.length === 0) {
      print(io, 'No call on record matches.');
      return 0;
    }
    const rows = calls.map((call) => rowOf(io, call));
    printTable(io, HEAD, rows);
    if (next !== undefined) hint(io, `Older ones: add --before ${next}`);
    return 0;
  });

export const auditListCommand = (audit: Command, io: Io): Command => {
  const list = withJson(audit.command('list', { isDefault: true }));
  const command = withFilters(list, 'calls')
    .option('--limit <count>', 'list at most this many', wholeNumber('--limit', 1), 20)
    .option(
      '--before <number>',
      'list calls older than this row: the next page',
      wholeNumber('--before', 1),
    )
    .action(leaving(io, (options: ListOptions) => listCalls(io, options)));
  return withExamples(
    command,
    'toolcrib audit list --since 2h --status denied',
    'toolcrib audit list --tool write_file --limit 5 --json',
  );
};

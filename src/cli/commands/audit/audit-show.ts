/** `toolcrib audit show`: all rows of one call, in the order in which they were written. */
import type { Command } from 'commander';
import type { Colors } from 'picocolors/types.js';
import type { AuditRow, AuditStatus } from '../../../contract/audit.ts';
import type { ExecutionStatus } from '../../../contract/crib-members.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { findExecution } from '../../input/by-start.ts';
import { type Io, print, printJson } from '../../io.ts';
import { formatJson } from '../../output/format-json.ts';
import { formatCost, formatDuration, formatTime } from '../../output/format-units.ts';
import { type Cell, type Facts, factRows, table } from '../../output/table.ts';
import { withStore } from '../../session/open-crib.ts';

/** Shows a status in its colour. */
export const statusCell = (status: AuditStatus, ink: Colors): Cell => {
  if (status === 'success') return { text: status, paint: ink.green };
  if (status === 'failure' || status === 'denied') return { text: status, paint: ink.red };
  return { text: status, paint: ink.yellow };
};

const WORDS: Readonly<Record<ExecutionStatus['effect'], string>> = {
  none: 'none',
  done: 'done',
  not_done: 'not done',
  unknown: 'unknown',
  undone: 'undone',
};

export const effectCell = (effect: ExecutionStatus['effect'], ink: Colors): Cell => ({
  text: WORDS[effect],
  ...(effect === 'unknown' ? { paint: ink.red } : effect === 'none' ? { paint: ink.dim } : {}),
});

const painted = ({ text, paint }: Cell): string => paint?.(text) ?? text;

const rowLines = (io: Io, row: AuditRow, start: number): readonly string[] => {
  const { ink } = io;
  const facts = [
    `#${row.seq}`,
    row.kind,
    painted(statusCell(row.status, ink)),
    ...(row.code === '' ? [] : [ink.red(row.code)]),
    ...(row.kind === 'outcome'
      ? [formatDuration(row.durationMs), formatCost(row.costMicros / 1e6)]
      : []),
  ];
  const detail = formatJson(row.detail, ink).split('\n');
  return [
    `${ink.bold('●')} ${formatTime(row.at)} ${ink.dim(`+${formatDuration(row.at - start)}`)}  ${facts.join('  ')}`,
    ...(Object.keys(row.detail).length === 0
      ? []
      : detail.map((line) => `${ink.dim('│')} ${line}`)),
    `${ink.dim('│')} ${ink.dim(`hash ${row.hash}`)}`,
  ];
};

const showCall = (io: Io, typed: string): Promise<number> =>
  withStore(io, async ({ crib }) => {
    const store = await crib.store();
    const executionId = await findExecution(crib, typed);
    const rows = (await store.audit.query({ executionId })).toReversed();
    const [first] = rows;
    if (!first) {
      throw new ToolFailure('NOT_FOUND', 'The trail no longer holds this call: it was pruned.', {
        suggestions: ['Look for it in an archive of audit prune.'],
      });
    }
    const status = await crib.executions.status(executionId);
    if (io.json) {
      printJson(io, { executionId, status, rows });
      return 0;
    }
    const facts: Facts = [
      ['execution', executionId],
      ['tool', `${first.tool} ${first.version}`],
      ['tier', first.tier],
      ['caller', `user ${first.userId}, agent ${first.agentId}, session ${first.sessionId}`],
      ['state', status?.state ?? 'unknown'],
      ['effect', effectCell(status?.effect ?? 'unknown', io.ink).text],
    ];
    print(io, ...table(factRows(facts, io.ink)), '');
    for (const row of rows) print(io, ...rowLines(io, row, first.at));
    return 0;
  });

export const auditShowCommand = (audit: Command, io: Io): Command =>
  withExamples(
    withJson(audit.command('show <executionId>')).action(
      leaving(io, (executionId: string) => showCall(io, executionId)),
    ),
    'toolcrib audit show <executionId>',
  );

/** Prints the result of a call: the data to stdout, everything else to stderr. */
import type { DryRunReport } from '../../contract/crib.ts';
import { ERRORS } from '../../contract/errors.ts';
import type { ToolResult, ToolStatus } from '../../contract/result.ts';
import { visibleBlock, visibleText } from '../../kit/text/visible-text.ts';
import { hint, type Io, note, print, printJson, warn } from '../io.ts';
import { errorLines } from './error-lines.ts';
import { formatJson } from './format-json.ts';
import { formatCost, formatDuration, formatTime } from './format-units.ts';
import { table } from './table.ts';

/** Exit codes of results that failed without an error. */
const EXIT_BY_STATUS: Readonly<Record<ToolStatus, number>> = {
  success: 0,
  failure: 1,
  denied: 3,
  timeout: 4,
  cancelled: 4,
  pending: 5,
};

/** Returns the exit code of the program that a tool ran, unless it was 0. */
const failedCommand = ({ success, data }: ToolResult): number | undefined => {
  if (!success || typeof data !== 'object' || data === null) return undefined;
  const { success: succeeded, exitCode } = data as { success?: unknown; exitCode?: unknown };
  return succeeded === false && typeof exitCode === 'number' && exitCode !== 0
    ? exitCode
    : undefined;
};

/** Returns the exit code of a result. A failed program counts as a failed tool, so that scripts notice it. */
export const exitCodeOf = (result: ToolResult): number => {
  const { success, status, error } = result;
  if (success) return failedCommand(result) === undefined ? 0 : EXIT_BY_STATUS.failure;
  return error ? ERRORS[error.code].exit : EXIT_BY_STATUS[status];
};

interface ResultOptions {
  readonly quiet: boolean;
  readonly dryRun: boolean;
  /** True after a call that can be undone. */
  readonly undoable: boolean;
}

const dryRunLines = (io: Io, report: DryRunReport): readonly string[] => {
  const { estimate, preconditions } = report;
  const verdict =
    report.verdict === 'allow'
      ? io.ink.green('would run')
      : io.ink.yellow('would ask a person first');
  const rows = [
    ['verdict', `${report.verdict}: ${report.reason}`],
    ['rule', report.rule],
    ['cost', `${formatCost(estimate.costMicros / 1e6)} (${estimate.confidence})`],
    ['time', estimate.timeMs === undefined ? 'unknown' : formatDuration(estimate.timeMs)],
    ['approvals', String(report.approvalsNeeded)],
    ['effects', report.effects.join('; ') || 'none declared'],
    ...preconditions.results.map(({ passed, description, critical }) => [
      passed ? '✓ holds' : critical ? '✗ fails' : '! fails',
      description,
    ]),
    ...report.inspected.map((finding) => ['! noticed', finding]),
  ];
  return [
    `Dry run: this call ${verdict}. Nothing was run.`,
    ...table(rows).map((row) => `  ${row}`),
  ];
};

const isDryRun = (data: unknown): data is DryRunReport =>
  typeof data === 'object' && data !== null && 'verdict' in data && 'preconditions' in data;

const printData = (io: Io, { data }: ToolResult, dryRun: boolean): void => {
  if (data === undefined) return;
  if (dryRun && isDryRun(data)) print(io, ...dryRunLines(io, data));
  else if (typeof data === 'string') print(io, visibleBlock(data).replace(/\n$/, ''));
  else print(io, formatJson(data, io.ink));
};

/** Explains how to continue a call that waits for an approval. */
const pendingLines = (io: Io, { approval, metadata }: ToolResult): readonly string[] => {
  const arrow = io.noteInk.cyan('→');
  const until = approval ? ` until ${formatTime(approval.expiresAt)}` : '';
  return [
    `${io.noteInk.yellow('…')} Waiting for a person's approval${until}; nothing was run.`,
    `  ${arrow} Run the same command in a terminal: it asks you there.`,
    `  ${arrow} Or approve it yourself in advance: the same command with --yes.`,
    ...(approval
      ? [
          `  ${arrow} Or let another person decide: toolcrib approvals approve ${approval.approvalId} --run`,
        ]
      : [`  ${arrow} The call is on record: toolcrib audit show ${metadata.executionId}`]),
  ];
};

const metadataLine = ({ metadata }: ToolResult, undoable: boolean): string =>
  [
    formatDuration(metadata.duration),
    formatCost(metadata.cost),
    ...(metadata.attempts > 1 ? [`${metadata.attempts} attempts`] : []),
    ...(metadata.cached ? ['cached'] : []),
    ...(metadata.degraded ? ['degraded'] : []),
    `execution ${metadata.executionId}`,
    ...(undoable ? [`undo with: toolcrib undo ${metadata.executionId}`] : []),
  ].join(' · ');

/** The exit code of a shell that did not find a program. */
const NOT_FOUND_HINT =
  ' A program was not found: the sandbox sees those of the system, and what a task names (docs/commands.md).';

export const printResult = (io: Io, result: ToolResult, options: ResultOptions): void => {
  if (io.json) {
    printJson(io, result);
    return;
  }
  printData(io, result, options.dryRun);
  if (result.status === 'pending') note(io, ...pendingLines(io, result));
  else if (result.error) note(io, ...errorLines(result.error, io.noteInk));
  const code = failedCommand(result);
  if (code !== undefined) {
    const why = code === 127 ? NOT_FOUND_HINT : '';
    warn(io, `The command ended with exit code ${code}.${why}`);
  }
  if (options.quiet) return;
  for (const warning of result.warnings ?? []) {
    warn(io, visibleText(warning));
  }
  if (result.metadata.executionId === '') return;
  hint(io, metadataLine(result, options.undoable));
};

/** `toolcrib flow runs`: the runs on record, newest first. */
import { type Command, Option } from 'commander';
import { FLOW_STATUSES, type FlowRun, type FlowStatus } from '../../../contract/flow-store.ts';
import { compact } from '../../../kit/data/compact.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { wholeNumber } from '../../input/misuse.ts';
import { type Io, print, printJson } from '../../io.ts';
import { agoCell, type Cell, printTable } from '../../output/table.ts';
import { withStore } from '../../session/open-crib.ts';
import { shownRun } from './follow-run.ts';
import { statusCell, waitText } from './run-lines.ts';

interface RunsOptions {
  readonly status?: FlowStatus;
  readonly flow?: string;
  readonly user?: string;
  readonly limit?: number;
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1000;

const HEAD = {
  names: ['run', 'flow', 'status', 'started', 'user', 'waits for'],
  /** What a narrow terminal does without: user, when. */
  spare: [4, 3],
};

const rowOf = (io: Io, run: FlowRun): readonly (string | Cell)[] => [
  run.id,
  { text: `${run.flow}@${run.version}`, paint: io.ink.bold },
  statusCell(run, io.ink),
  agoCell(run.createdAt, io),
  run.caller.userId,
  run.error && run.status !== 'blocked' ? run.error.code : waitText(run),
];

const runs = (io: Io, { status, flow, user, limit = DEFAULT_LIMIT }: RunsOptions) =>
  withStore(io, async ({ crib }) => {
    const flowRuns = await crib.flows.list({
      limit,
      ...compact({ status, flow, userId: user }),
    });
    const isFiltered = status !== undefined || flow !== undefined || user !== undefined;
    if (io.json) printJson(io, { runs: flowRuns.map(shownRun) });
    else if (flowRuns.length === 0)
      print(io, isFiltered ? 'There is no such run.' : 'There are no runs.');
    else {
      const rows = flowRuns.map((run) => rowOf(io, run));
      printTable(io, HEAD, rows);
    }
    return 0;
  });

export const flowRunsCommand = (flow: Command, io: Io): Command =>
  withExamples(
    withJson(flow.command('runs'))
      .addOption(new Option('--status <status>', 'only runs of this status').choices(FLOW_STATUSES))
      .option('--flow <name>', 'only runs of this flow')
      .option('--user <id>', 'only runs of this user')
      .option(
        '--limit <count>',
        'list at most this many; 20 by default',
        wholeNumber('--limit', 1, MAX_LIMIT),
      )
      .action(leaving(io, (options: RunsOptions) => runs(io, options))),
    'toolcrib flow runs',
    'toolcrib flow runs --status blocked --json',
  );

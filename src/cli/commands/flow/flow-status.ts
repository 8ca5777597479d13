/** `toolcrib flow status`: one run in full. */
import type { Command } from 'commander';
import type { FlowRun } from '../../../contract/flow-store.ts';
import { isNote } from '../../../contract/flow-view.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, note, print, printJson } from '../../io.ts';
import { errorLines } from '../../output/error-lines.ts';
import { formatJson } from '../../output/format-json.ts';
import { counted, formatCost, formatTime } from '../../output/format-units.ts';
import { table } from '../../output/table.ts';
import { withStore } from '../../session/open-crib.ts';
import { doubtfulStep, doubtLines } from './doubtful-call.ts';
import { findRun } from './find-run.ts';
import { shownRun } from './follow-run.ts';
import { resumeCommand } from './resume-command.ts';
import { statusCell, waitText } from './run-lines.ts';

const MAX_INPUT = 200;

const factRows = (io: Io, run: FlowRun, spent: { steps: number; costUsd: number }) => [
  ['run', run.id],
  ['flow', `${run.flow}@${run.version}`],
  ['status', statusCell(run, io.ink)],
  ...(waitText(run) === '' ? [] : [['waits for', waitText(run)]]),
  ['user', run.caller.userId],
  ['started', formatTime(run.createdAt)],
  ['changed', formatTime(run.updatedAt)],
  ...(run.parent === undefined ? [] : [['started by', run.parent.runId]]),
  ['steps', `${counted(spent.steps, 'step')}, ${formatCost(spent.costUsd)}`],
  ['input', (JSON.stringify(run.input) ?? '').slice(0, MAX_INPUT)],
];

const status = (io: Io, typed: string): Promise<number> =>
  withStore(io, async ({ crib }) => {
    const run = await findRun(crib, typed);
    const steps = (await crib.flows.steps(run.id)).filter((step) => !isNote(step));
    const costUsd = run.cost.usd;
    if (io.json) {
      printJson(io, { ...shownRun(run), steps: steps.length, costUsd });
      return 0;
    }
    print(io, ...table(factRows(io, run, { steps: steps.length, costUsd })));
    if (run.output !== undefined) print(io, '', formatJson(run.output, io.ink));
    const doubtful = await doubtfulStep(crib, run);
    if (doubtful) note(io, ...doubtLines(io, doubtful, resumeCommand(run)));
    else if (run.error) note(io, ...errorLines(run.error, io.noteInk));
    return 0;
  });

export const flowStatusCommand = (flow: Command, io: Io): Command =>
  withExamples(
    withJson(flow.command('status'))
      .argument('<run>', 'id of the run, or a unique beginning of it')
      .action(leaving(io, (run: string) => status(io, run))),
    'toolcrib flow status monday',
    'toolcrib flow status 0196f3 --json',
  );

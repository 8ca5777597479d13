/** `toolcrib flow cancel`: ends a run and the runs that it started. What they have done is not undone. */
import type { Command } from 'commander';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, printDone, printJson } from '../../io.ts';
import { withStore } from '../../session/open-crib.ts';
import { findRun, isOver } from './find-run.ts';

const cancel = (io: Io, typed: string): Promise<number> =>
  withStore(io, async ({ crib }) => {
    const run = await findRun(crib, typed);
    if (!(await crib.flows.cancel(run.id))) throw isOver((await crib.flows.get(run.id)) ?? run);
    if (io.json) printJson(io, { id: run.id, cancelled: true });
    else printDone(io, `Cancelled: ${run.flow}. What it has done stays done.`);
    return 0;
  });

export const flowCancelCommand = (flow: Command, io: Io): Command =>
  withExamples(
    withJson(flow.command('cancel'))
      .argument('<run>', 'id of the run, or a unique beginning of it')
      .action(leaving(io, (run: string) => cancel(io, run))),
    'toolcrib flow cancel monday',
  );

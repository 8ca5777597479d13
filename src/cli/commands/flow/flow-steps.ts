/** `toolcrib flow steps`: the steps of a run, with time, cost and what they wait for. */
import type { Command } from 'commander';
import { stepViews } from '../../../contract/flow-view.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, print, printJson, widthOf } from '../../io.ts';
import { table } from '../../output/table.ts';
import { withStore } from '../../session/open-crib.ts';
import { findRun } from './find-run.ts';
import { markOf, stepFacts } from './run-lines.ts';

const steps = (io: Io, typed: string): Promise<number> =>
  withStore(io, async ({ crib }) => {
    const { id } = await findRun(crib, typed);
    const { audit } = await crib.store();
    const views = await stepViews(await crib.flows.steps(id), audit);
    if (io.json) printJson(io, { steps: views });
    else if (views.length === 0) print(io, 'The run has made no step yet.');
    else {
      const now = io.runtime.now();
      const rows = views.map((step) => [
        step.key,
        { text: step.name, paint: io.ink.bold },
        stepFacts(step, now),
        { text: step.summary ?? '', paint: io.ink.dim },
      ]);
      const marks = views.map((step) => markOf(step, io.ink));
      const lines = table(rows, widthOf(io) - 2);
      print(io, ...lines.map((line, at) => `${marks[at]} ${line}`));
    }
    return 0;
  });

export const flowStepsCommand = (flow: Command, io: Io): Command =>
  withExamples(
    withJson(flow.command('steps'))
      .argument('<run>', 'id of the run, or a unique beginning of it')
      .action(leaving(io, (run: string) => steps(io, run))),
    'toolcrib flow steps monday',
    'toolcrib flow steps 0196f3 --json',
  );

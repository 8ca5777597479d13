/** `toolcrib flow resume`: continues a run here, and stays with it. */
import type { Command } from 'commander';
import { FINISHED } from '../../../contract/flow-store.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, note, printJson } from '../../io.ts';
import { findRun, isBusy, isOver } from './find-run.ts';
import { type FollowOptions, withFlowSession, withFollowing } from './flow-session.ts';
import { followRun, shownRun } from './follow-run.ts';

interface ResumeOptions extends FollowOptions {
  readonly version?: string;
}

const resume = (io: Io, typed: string, options: ResumeOptions): Promise<number> =>
  withFlowSession(io, options, async (following) => {
    const { crib } = following;
    const run = await findRun(crib, typed);
    if (FINISHED.has(run.status)) throw isOver(run);
    const { version = run.version } = options;
    const flows = await crib.flows.registered();
    const isKnown = flows.some((flow) => flow.name === run.flow && flow.versions.includes(version));
    // A run that is waiting, or whose process is gone, needs no change: this process takes it over when
    // it is due.
    if (run.status === 'blocked' || version !== run.version) {
      const chosen = options.version === undefined ? {} : { version };
      if (!(await crib.flows.resume(run.id, chosen))) throw isBusy(run);
    }
    if (isKnown) return followRun(io, following, run.id);
    if (io.json) {
      const steps = (await crib.flows.steps(run.id)).length;
      const shown = shownRun((await crib.flows.get(run.id)) ?? run);
      printJson(io, { run: shown, steps, waitsFor: [], blocked: [], missingVersion: true });
    }
    note(
      io,
      `The flow ${run.flow}@${version} is not known here: a process that has it continues the run.`,
    );
    return 5;
  });

export const flowResumeCommand = (flow: Command, io: Io): Command =>
  withExamples(
    withFollowing(withJson(flow.command('resume')))
      .argument('<run>', 'id of the run, or a unique beginning of it')
      .option('--version <version>', 'continue with this version of the flow')
      .action(leaving(io, (run: string, options: ResumeOptions) => resume(io, run, options))),
    'toolcrib flow resume 0196f3',
    'toolcrib flow resume monday --version 2.0.0',
  );

/** `toolcrib flow resume`: continues a run here, and stays with it. */
import type { Command } from 'commander';
import type { StepSettlement } from '../../../contract/flow.ts';
import { FINISHED } from '../../../contract/flow-store.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { misuse } from '../../input/misuse.ts';
import { parseJson } from '../../input/parse-json.ts';
import { type Io, note, printJson } from '../../io.ts';
import { findRun, isBusy, isOver } from './find-run.ts';
import { type FollowOptions, withFlowSession, withFollowing } from './flow-session.ts';
import { followRun, shownRun } from './follow-run.ts';
import { resumeCommand } from './resume-command.ts';

interface ResumeOptions extends FollowOptions {
  readonly version?: string;
  readonly done?: string;
  readonly notDone?: string;
  readonly data?: string;
}

/** Reads what the user says of the call that blocks the run. */
const settlementOf = ({ done, notDone, data }: ResumeOptions): StepSettlement | undefined => {
  if (done !== undefined && notDone !== undefined) {
    throw misuse('Give one of --done and --not-done.');
  }
  if (done === undefined && data !== undefined) throw misuse('--data goes with --done.');
  if (done !== undefined && data === undefined) {
    throw misuse(
      '--done needs --data: the flow goes on with what the call returned.',
      'Give it as JSON, and --data null where the call returned nothing.',
    );
  }
  if (notDone !== undefined) return { step: notDone, as: 'not_done' };
  if (done === undefined || data === undefined) return undefined;
  return { step: done, as: 'done', data: parseJson(data, 'The data', []) };
};

const settledLine = ({ noteInk }: Io, { step, as }: StepSettlement): string =>
  `${noteInk.green('✓')} Recorded: the call of step ${visibleText(step)} ${
    as === 'done' ? 'took effect, and returned this' : 'did nothing, and is made again'
  }.`;

const resume = async (io: Io, typed: string, options: ResumeOptions): Promise<number> => {
  const settle = settlementOf(options);
  return withFlowSession(io, options, async (following) => {
    const { crib } = following;
    const run = await findRun(crib, typed);
    if (FINISHED.has(run.status)) throw isOver(run);
    const { version = run.version } = options;
    const flows = await crib.flows.registered();
    const isKnown = flows.some((flow) => flow.name === run.flow && flow.versions.includes(version));
    // A run that is waiting, or whose process is gone, needs no change: this process takes it over when
    // it is due.
    if (run.status === 'blocked' || version !== run.version || settle) {
      const chosen = {
        ...(options.version !== undefined && { version }),
        ...(settle && { settle }),
      };
      if (!(await crib.flows.resume(run.id, chosen))) throw isBusy(run);
      if (settle && !io.json) note(io, settledLine(io, settle));
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
      `  ${io.noteInk.cyan('→')} Name the module that brings it: ${resumeCommand(run, options.module)('--module <file>')}`,
    );
    return 5;
  });
};

export const flowResumeCommand = (flow: Command, io: Io): Command =>
  withExamples(
    withFollowing(withJson(flow.command('resume')))
      .argument('<run>', 'id of the run, or a unique beginning of it')
      .option('--version <version>', 'continue with this version of the flow')
      .option('--done <step>', 'the call in doubt of this step took effect: go on after it')
      .option('--data <json>', 'what that call returned, as JSON; null where it returned nothing')
      .option('--not-done <step>', 'the call in doubt of this step did nothing: make it again')
      .action(leaving(io, (run: string, options: ResumeOptions) => resume(io, run, options))),
    'toolcrib flow resume 0196f3',
    'toolcrib flow resume monday --version 2.0.0',
    'toolcrib flow resume monday --not-done 3',
    `toolcrib flow resume monday --done 3 --data '{"id":7}'`,
  );

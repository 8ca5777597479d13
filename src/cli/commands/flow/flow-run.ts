/** `toolcrib flow run`: starts a run and stays with it. */
import { basename } from 'node:path';
import type { Command } from 'commander';
import { ToolFailure } from '../../../contract/errors.ts';
import { compact } from '../../../kit/data/compact.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type CallerOptions, callerFrom, withCaller } from '../../input/caller-options.ts';
import { misuse } from '../../input/misuse.ts';
import { applyPairs } from '../../input/pairs.ts';
import { type GivenInput, readInput } from '../../input/read-input.ts';
import { type Io, note } from '../../io.ts';
import { faultText } from './fault-line.ts';
import { type FollowOptions, withFlowSession, withFollowing } from './flow-session.ts';
import { isFile } from './flow-source.ts';
import { type Following, followRun } from './follow-run.ts';
import { withTrustHint } from './untrusted-flows.ts';

interface RunOptions extends FollowOptions, CallerOptions {
  readonly input?: string;
  readonly inputFile?: string;
  readonly version?: string;
  readonly id?: string;
  readonly plan?: string;
}

const givenInput = (
  io: Io,
  args: readonly string[],
  { input, inputFile }: RunOptions,
): Promise<GivenInput> => {
  if (input !== undefined && inputFile !== undefined) {
    throw misuse('The input is given more than once.', 'Give --input or --input-file, not both.');
  }
  return readInput(io, {
    args: input === undefined ? args : [input, ...args],
    file: inputFile,
  });
};

/** Says what keeps a flow from being run that is there as a file. */
const unloaded = async (
  { flows }: Following['crib'],
  typed: string,
): Promise<readonly string[]> => {
  if (isFile(typed)) {
    return [
      'Name the flow, not its file: a file counts below .toolcrib/flows, once it is trusted.',
    ];
  }
  const faults = await flows.fileFaults();
  const fault = faults.find(
    ({ file = '', severity }) =>
      severity === 'error' && basename(file).replace(/\.ya?ml$/i, '') === typed,
  );
  return fault ? [`Its file is left out: ${faultText(fault)}.`] : [];
};

const start = async (
  { crib }: Following,
  name: string,
  { given, options }: { readonly given: GivenInput; readonly options: RunOptions },
): Promise<string> => {
  const flows = await crib.flows.registered();
  const schema = flows.find((flow) => flow.name === name)?.input;
  const input = applyPairs(given.base, given.pairs, schema);
  const { version, id, plan } = options;
  try {
    const { runId } = await crib.flows.start(name, input, {
      ...callerFrom(options),
      ...compact({ version, runId: id, planApproval: plan }),
    });
    return runId;
  } catch (error) {
    if (!(error instanceof ToolFailure) || error.code !== 'NOT_FOUND') throw error;
    const advice =
      flows.length === 0
        ? 'No flow is known here: put one below .toolcrib/flows, or name a module with --module.'
        : `Flows are: ${flows.map((flow) => flow.name).join(', ')}.`;
    throw new ToolFailure('NOT_FOUND', error.message, {
      suggestions: [...(await unloaded(crib, name)), advice],
    });
  }
};

const run = async (
  io: Io,
  name: string,
  { args, options }: { readonly args: readonly string[]; readonly options: RunOptions },
): Promise<number> => {
  const given = await givenInput(io, args, options);
  return withFlowSession(io, options, async (following, open) => {
    const runId = await withTrustHint(open, name, () => start(following, name, { given, options }));
    if (!io.json && options.quiet !== true && io.stderr.isTTY !== true) note(io, `run ${runId}`);
    return followRun(io, following, runId);
  });
};

const INPUT_HELP = `
Ctrl-C leaves the run where it is; toolcrib flow resume <run> continues it.
Exit codes: 0 completed, 1 failed, 2 bad input, 3 denied, 4 cancelled, timed out or left,
            5 waits for a person`;

export const flowRunCommand = (flow: Command, io: Io): Command => {
  const command = withFollowing(withCaller(withJson(flow.command('run'))))
    .argument('<flow>', 'name of the flow; see `toolcrib flow list`')
    .argument('[input...]', 'JSON, or key=value pairs as for `toolcrib run`')
    .option('-i, --input <json>', 'the input as JSON')
    .option('--input-file <file>', 'read the input from a JSON or YAML file, - for stdin')
    .option('--version <version>', 'the version of the flow; by default the newest')
    .option('--id <id>', 'the id of the run: the same id again continues the same run')
    .option('--plan <approval>', 'the approval of the plan, as `flow plan --approve` names it')
    .addHelpText('after', INPUT_HELP)
    .action(
      leaving(io, (name: string, args: readonly string[], options: RunOptions) =>
        run(io, name, { args, options }),
      ),
    );
  return withExamples(
    command,
    `toolcrib flow run research topic=bees`,
    `toolcrib flow run research --input '{"topic":"bees"}' --id monday --json`,
    'toolcrib flow run price_list --module ./flows.mjs',
  );
};

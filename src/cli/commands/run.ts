/** `toolcrib run`: one call of one tool through the whole pipeline. */
import type { Command } from 'commander';
import { createTerminalApprover } from '../../approvers/terminal/create-terminal-approver.ts';
import type { ReadInput } from '../../approvers/terminal/terminal-talk.ts';
import type { Approver } from '../../contract/approver.ts';
import type { CallAs } from '../../contract/call-options.ts';
import type { Crib } from '../../contract/crib.ts';
import { ERRORS, ToolFailure } from '../../contract/errors.ts';
import type { ToolResult } from '../../contract/result.ts';
import { type CallerOptions, callerFrom, withCaller } from '../caller-options.ts';
import { leaving, withExamples, withJson } from '../command-parts.ts';
import { exitCodeOf } from '../exit-code.ts';
import { applyPairs } from '../input/pairs.ts';
import { parseJson } from '../input/parse-json.ts';
import { type GivenInput, readInput } from '../input/read-input.ts';
import type { Io } from '../io.ts';
import { noteNextStep } from '../next-step.ts';
import { onInterrupt } from '../on-interrupt.ts';
import { openCrib } from '../open-crib.ts';
import { printResult } from '../print-result.ts';
import { type ProgressLine, startProgress } from '../progress-line.ts';
import { refusedResult } from '../refused-result.ts';
import { settleTrust } from '../settle-trust.ts';
import { wholeNumber } from '../whole-number.ts';

interface RunOptions extends CallerOptions {
  readonly input?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly timeout?: number;
  readonly idempotencyKey?: string;
  readonly approval?: string;
  readonly version?: string;
  readonly quiet?: boolean;
}

const INPUT_HELP = `
Input, in one of these ways:
  '{"path": "a.txt"}'   one JSON argument
  path=a.txt count=3    fields, typed by the tool's schema; a.b=c goes into an object,
                        tags=x,y or tags=x tags=y make a list
  key:='[1, 2]'         raw JSON          key=@notes.md   the text of a file
  --input call.json     a file, JSON or YAML
  -                     JSON on stdin; also when something is piped in and no input is given`;

/** An input that was typed as JSON while the question was open. */
const readTyped = (text: string): ReadInput => {
  try {
    return { value: parseJson(text, 'This') };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { fault: error.message };
  }
};

const approverOf = (io: Io, options: RunOptions, progress: ProgressLine | undefined): Approver =>
  options.yes === true
    ? {
        ask: () => Promise.resolve({ answer: 'approve', by: `${options.user ?? 'local'} (--yes)` }),
      }
    : createTerminalApprover({
        input: io.stdin,
        output: io.stderr,
        runtime: io.runtime,
        by: `${options.user ?? 'local'} (terminal)`,
        colour: io.noteInk.isColorSupported,
        onQuestion: (open) => progress?.pause(open),
        readInput: readTyped,
        checkCondition: async (condition) =>
          (await import('../../policy-desk.ts')).conditionProblem(condition),
      });

const callAs = (options: RunOptions): CallAs => ({
  ...callerFrom(options),
  ...(options.version !== undefined && { version: options.version }),
  ...(options.idempotencyKey !== undefined && { idempotencyKey: options.idempotencyKey }),
  ...(options.approval !== undefined && { approvalId: options.approval }),
  ...(options.timeout !== undefined && { timeoutMs: options.timeout }),
  ...(options.dryRun === true && { dryRun: true }),
});

/** Whether `toolcrib undo` would have something to restore. */
const isUndoable = async (crib: Crib, result: ToolResult): Promise<boolean> => {
  const { toolName, executionId } = result.metadata;
  if (!result.success || crib.tools.get(toolName)?.tool.tier === 'read_only') return false;
  const store = await crib.store();
  return (await store.snapshots.of(executionId)).length > 0;
};

interface Run {
  readonly tool: string;
  readonly given: GivenInput;
  readonly options: RunOptions;
}

/** An unknown tool goes through the pipeline as well: the attempt belongs on record. */
const inputFor = (crib: Crib, { tool, given, options }: Run): unknown => {
  const known = crib.tools.get(tool, options.version) ?? crib.tools.get(tool);
  const schema = known ? crib.tools.inputSchema(known.tool.name) : undefined;
  return applyPairs(given.base, given.pairs, schema);
};

const call = async (io: Io, run: Run): Promise<number> => {
  const { options } = run;
  // Before anything draws on the terminal: a question about the folder must be readable.
  await settleTrust(io);
  const shown = io.stderr.isTTY === true && io.env.TERM !== 'dumb' && options.quiet !== true;
  const progress = shown
    ? startProgress({ output: io.stderr, runtime: io.runtime, label: run.tool })
    : undefined;
  const cancelled = new AbortController();
  const release = onInterrupt(io, () => cancelled.abort());
  try {
    const { crib } = await openCrib(io, approverOf(io, options, progress));
    try {
      const onProgress: NonNullable<CallAs['onProgress']> = (fraction, said) =>
        progress?.update(fraction, said);
      const input = inputFor(crib, run);
      const as = { ...callAs(options), signal: cancelled.signal, onProgress };
      const result = await crib.execute(run.tool, input, as);
      progress?.stop();
      const undoable = !io.json && (await isUndoable(crib, result));
      const { quiet = false, dryRun = false } = options;
      printResult(io, result, { quiet, dryRun, undoable });
      if (!io.json) noteNextStep(io, result, { input, caller: callerFrom(options) });
      // An interrupted call was cancelled, whichever gate noticed it first.
      const interrupted = cancelled.signal.aborted && !result.success;
      return interrupted ? ERRORS.CANCELLED.exit : exitCodeOf(result);
    } finally {
      await crib.close();
    }
  } finally {
    progress?.stop();
    release();
  }
};

const runTool = async (
  io: Io,
  tool: string,
  { args, options }: { readonly args: readonly string[]; readonly options: RunOptions },
): Promise<number> => {
  try {
    const given = await readInput(io, { args, file: options.input });
    return await call(io, { tool, given, options });
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    const result = refusedResult(tool, error, io.runtime.now());
    printResult(io, result, { quiet: false, dryRun: false, undoable: false });
    return exitCodeOf(result);
  }
};

const withOptions = (command: Command): Command =>
  withCaller(withJson(command))
    .option('-i, --input <file>', 'read the input from a JSON or YAML file, - for stdin')
    .option('--dry-run', 'walk every gate, run nothing, and report')
    .option('-y, --yes', 'approve the call yourself, without being asked: you answer for it')
    .option('--timeout <ms>', 'how long the call may take', wholeNumber('--timeout', 1))
    .option('--idempotency-key <key>', 'the same key and input again return the stored result')
    .option('--approval <id>', 'the approval that a pending call named, now given')
    .option('--version <version>', 'the version of the tool; the active one otherwise')
    .option('-q, --quiet', 'print the data and errors only');

export const runCommand = (program: Command, io: Io): Command => {
  const command = withOptions(program.command('run').description('call a tool'))
    .argument('<tool>', 'name of the tool; see `toolcrib tools`')
    .argument('[input...]', 'JSON, or key=value pairs')
    .addHelpText('after', INPUT_HELP)
    .action(
      leaving(io, (tool: string, args: readonly string[], options: RunOptions) =>
        runTool(io, tool, { args, options }),
      ),
    );
  return withExamples(
    command,
    `toolcrib run calculator expression='sqrt(16)+2^3'`,
    `toolcrib run write_file path=notes.txt content=@draft.md --dry-run`,
    `echo '{"path":"notes.txt"}' | toolcrib run read_file --json`,
  );
};

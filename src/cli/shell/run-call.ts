/** A call of a tool, as `toolcrib run` makes it, on the crib that the shell keeps open. */
import { parseArgs } from 'node:util';
import type { CallAs } from '../../contract/call-options.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Crib } from '../../contract/crib.ts';
import { ERRORS, ToolFailure } from '../../contract/errors.ts';
import type { ToolResult } from '../../contract/result.ts';
import { exitCodeOf } from '../exit-code.ts';
import { applyPairs } from '../input/pairs.ts';
import { type GivenInput, readInput } from '../input/read-input.ts';
import type { Io } from '../io.ts';
import { noteNextStep } from '../next-step.ts';
import { printResult } from '../print-result.ts';
import { startProgress } from '../progress-line.ts';
import { refusedResult } from '../refused-result.ts';
import { wholeNumber } from '../whole-number.ts';
import { shellApprover } from './shell-approver.ts';

export interface CallSite {
  readonly io: Io;
  readonly crib: Crib;
  readonly caller: Partial<Caller>;
  readonly signal: AbortSignal;
}

export interface WantedCall {
  readonly tool: string;
  readonly args: readonly string[];
}

const OPTIONS = {
  'dry-run': { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
  quiet: { type: 'boolean', short: 'q' },
  json: { type: 'boolean' },
  timeout: { type: 'string' },
  input: { type: 'string', short: 'i' },
} as const;

const readOptions = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch {
    throw new ToolFailure('VALIDATION_ERROR', 'There is an option that a call does not have.', {
      suggestions: [
        `A call takes --${Object.keys(OPTIONS).join(', --')}; put a value that starts with - in quotes behind key=.`,
      ],
    });
  }
};

type Options = ReturnType<typeof readOptions>['values'];

/** An unknown tool goes through the pipeline as well: the attempt belongs on record. */
const inputFor = ({ tools }: Crib, tool: string, given: GivenInput): unknown => {
  const known = tools.get(tool);
  const schema = known ? tools.inputSchema(known.tool.name) : undefined;
  return applyPairs(given.base, given.pairs, schema);
};

const isUndoable = async (crib: Crib, { success, metadata }: ToolResult): Promise<boolean> => {
  const { toolName, executionId } = metadata;
  if (!success || crib.tools.get(toolName)?.tool.tier === 'read_only') return false;
  return (await (await crib.store()).snapshots.of(executionId)).length > 0;
};

const execute = async (
  { io, crib, caller, signal }: CallSite,
  tool: string,
  { input, options }: { readonly input: unknown; readonly options: Options },
): Promise<ToolResult> => {
  const shown = io.stderr.isTTY === true && io.env.TERM !== 'dumb' && options.quiet !== true;
  const progress = shown
    ? startProgress({ output: io.stderr, runtime: io.runtime, label: tool })
    : undefined;
  const timeoutMs =
    options.timeout === undefined ? undefined : wholeNumber('--timeout', 1)(options.timeout);
  const as: CallAs = {
    ...caller,
    signal,
    approver: shellApprover(io, {
      user: caller.userId,
      yes: options.yes === true,
      onQuestion: (open) => progress?.pause(open),
    }),
    onProgress: (fraction, said) => progress?.update(fraction, said),
    ...(options['dry-run'] === true && { dryRun: true }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
  try {
    return await crib.execute(tool, input, as);
  } finally {
    progress?.stop();
  }
};

const callTool = async (site: CallSite, wanted: WantedCall): Promise<number> => {
  const { values: options, positionals } = readOptions(wanted.args);
  const io: Io = { ...site.io, json: site.io.json || options.json === true };
  const given = await readInput(io, { args: positionals, file: options.input });
  const input = inputFor(site.crib, wanted.tool, given);
  const result = await execute({ ...site, io }, wanted.tool, { input, options });
  const undoable = !io.json && (await isUndoable(site.crib, result));
  const { quiet = false, 'dry-run': dryRun = false } = options;
  printResult(io, result, { quiet, dryRun, undoable });
  if (!io.json) noteNextStep(io, result, { input, caller: site.caller });
  const interrupted = site.signal.aborted && !result.success;
  return interrupted ? ERRORS.CANCELLED.exit : exitCodeOf(result);
};

/** The answer is the exit code. */
export const runCall = async (site: CallSite, wanted: WantedCall): Promise<number> => {
  try {
    return await callTool(site, wanted);
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    const result = refusedResult(wanted.tool, error, site.io.runtime.now());
    printResult(site.io, result, { quiet: false, dryRun: false, undoable: false });
    return exitCodeOf(result);
  }
};

/** Makes one call that a person typed: reads its input, shows progress, prints the result and the next step. */
import type { CallAs } from '../../contract/call-options.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Crib } from '../../contract/crib.ts';
import { ERRORS, ToolFailure, toolError } from '../../contract/errors.ts';
import type { ToolResult } from '../../contract/result.ts';
import { plainMetadata } from '../../kit/model/plain-metadata.ts';
import { visibleJson } from '../../kit/text/visible-text.ts';
import { callerArguments } from '../input/caller-options.ts';
import { applyPairs } from '../input/pairs.ts';
import type { GivenInput } from '../input/read-input.ts';
import { type Io, note } from '../io.ts';
import { shellQuote } from '../output/format-units.ts';
import { exitCodeOf, printResult } from '../output/print-result.ts';
import { type ProgressLine, progressOn } from '../output/progress-line.ts';
import { unansweredHint } from './find-tool.ts';

/** Makes the result of a call that was refused before the pipeline, in the shape of all others. */
export const refusedResult = (tool: string, failure: ToolFailure, now: number): ToolResult => ({
  success: false,
  status: 'failure',
  error: toolError(failure.code, failure.message, failure.extras),
  metadata: plainMetadata({
    executionId: '',
    toolName: tool,
    timestamp: now,
    traceId: '',
    labels: { trust: 'trusted', sensitivity: 'public' },
  }),
});

/** A longer input is not repeated in the suggested command. */
const MAX_INPUT_CHARS = 500;

const NAMES_RULE = /\(rule [^()]+\)$/;

const explainCommand = (tool: string, input: unknown, caller: Partial<Caller>): string => {
  const json = JSON.stringify(input) ?? '';
  const argument =
    json.length > MAX_INPUT_CHARS ? '--input <the same input, in a file>' : shellQuote(json);
  const parts = ['toolcrib policy explain', shellQuote(tool), argument, ...callerArguments(caller)];
  return visibleJson(parts.join(' '));
};

/** Prints the command that shows more about a pending or denied call. */
export const noteNextStep = (
  io: Io,
  result: ToolResult,
  { input, caller }: { readonly input: unknown; readonly caller: Partial<Caller> },
): void => {
  const arrow = `  ${io.noteInk.cyan('→')}`;
  const { status, approval, error, metadata } = result;
  if (status === 'pending' && approval) {
    note(io, `${arrow} See exactly what waits: toolcrib approvals show ${approval.approvalId}`);
  }
  if (error?.code === 'PERMISSION_DENIED' && NAMES_RULE.test(error.message)) {
    note(io, `${arrow} Why: ${explainCommand(metadata.toolName, input, caller)}`);
  }
};

interface TypedCall {
  readonly tool: string;
  readonly given: GivenInput;
  readonly caller: Partial<Caller>;
  readonly as: CallAs & { readonly signal: AbortSignal };
  readonly quiet: boolean;
  readonly progress: ProgressLine | undefined;
}

/** Starts the progress line of a call; `undefined` with `--quiet` or without a terminal. */
export const callProgress = (io: Io, tool: string, quiet: boolean): ProgressLine | undefined =>
  quiet ? undefined : progressOn(io, tool);

/**
 * Builds the input by the schema. An unknown tool has none, but is still called, so that the attempt is
 * on record.
 */
const inputFor = ({ tools }: Crib, { tool, given, as }: TypedCall): unknown => {
  const entry = tools.get(tool, as.version) ?? tools.get(tool);
  const schema = entry ? tools.inputSchema(entry.tool.name) : undefined;
  return applyPairs(given.base, given.pairs, schema);
};

/** Tells whether `toolcrib undo` has something to restore. */
export const isUndoable = async (
  crib: Crib,
  { success, metadata }: ToolResult,
): Promise<boolean> => {
  const { toolName, executionId } = metadata;
  if (!success || crib.tools.get(toolName)?.tool.tier === 'read_only') return false;
  return crib.executions.isUndoable(executionId);
};

const SEARCH = 'Search the tools: toolcrib tools search <words>';

/** Adds to a "not found" result the command that searches, and which servers may still bring the tool. */
export const withSearchHint = (crib: Pick<Crib, 'servers'>, result: ToolResult): ToolResult => {
  if (result.success || result.error?.code !== 'TOOL_NOT_FOUND') return result;
  const { suggestions = [] } = result.error;
  return {
    ...result,
    error: { ...result.error, suggestions: [...suggestions, ...unansweredHint(crib), SEARCH] },
  };
};

/** Makes the call and returns the exit code. Rejects with a ToolFailure when the input cannot be read. */
export const makeCall = async (io: Io, crib: Crib, call: TypedCall): Promise<number> => {
  const { tool, caller, as, quiet, progress } = call;
  const input = inputFor(crib, call);
  const answer = await crib.execute(tool, input, {
    ...caller,
    ...as,
    onProgress: (fraction, message) => progress?.update(fraction, message),
  });
  const result = withSearchHint(crib, answer);
  progress?.stop();
  const undoable = !io.json && (await isUndoable(crib, result));
  printResult(io, result, { quiet, dryRun: as.dryRun === true, undoable });
  if (!io.json) noteNextStep(io, result, { input, caller });
  // An interrupted call counts as cancelled, whichever gate noticed it first.
  const interrupted = as.signal.aborted && !result.success;
  return interrupted ? ERRORS.CANCELLED.exit : exitCodeOf(result);
};

/** Runs work, and prints a failure before the pipeline like the result of a call. */
export const orRefused = async (
  io: Io,
  tool: string,
  work: () => Promise<number>,
): Promise<number> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    const result = refusedResult(tool, error, io.runtime.now());
    printResult(io, result, { quiet: false, dryRun: false, undoable: false });
    return exitCodeOf(result);
  }
};

/** Turns a run into the reply to the call that started it. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { toolError } from '../../../contract/errors.ts';
import type { FlowRun } from '../../../contract/flow-store.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { errorText } from '../../../kit/text/error-text.ts';
import { META, textBlock } from '../call/tool-reply.ts';

/** The URI at which a client reads one of its runs. */
export const RUNS = 'toolcrib://runs/';

/** A longer output is read page by page. */
const MAX_CHARS = 100_000;
const PREVIEW_CHARS = 4_000;

const linkTo = ({ id, flow }: FlowRun) =>
  ({
    type: 'resource_link',
    uri: `${RUNS}${encodeURIComponent(id)}`,
    name: `Run of ${flow}`,
    mimeType: 'application/json',
  }) as const;

export const runMeta = ({ id, status, error }: FlowRun): Record<string, unknown> => ({
  [META.runId]: id,
  [META.status]: status,
  ...(error && { [META.code]: error.code }),
});

const completed = (run: FlowRun): CallToolResult => {
  const { output } = run;
  if (output === undefined) return { content: [textBlock('Done.')], _meta: runMeta(run) };
  const shown = typeof output === 'string' ? output : JSON.stringify(output);
  if (shown.length > MAX_CHARS) {
    const note = `The output has ${shown.length} characters; these are the first. Read the rest there:`;
    const content = [textBlock(shown.slice(0, PREVIEW_CHARS)), textBlock(note), linkTo(run)];
    return { content, _meta: runMeta(run) };
  }
  return {
    content: [textBlock(shown)],
    ...(isRecord(output) && { structuredContent: { ...output } }),
    _meta: runMeta(run),
  };
};

const MISSING = toolError('CANCELLED', 'The run was cancelled.');

/** Replies with the end of a run: its output, or why there is none. A blocked run needs a person. */
export const endReply = (run: FlowRun): CallToolResult => {
  if (run.status === 'completed') return completed(run);
  const { error = MISSING } = run;
  const lines = [errorText(error)];
  if (run.status === 'blocked') {
    lines.push(
      `The run ${run.id} is blocked until a person decides: toolcrib flow status ${run.id}`,
    );
  }
  return { content: [textBlock(lines.join('\n'))], isError: true, _meta: runMeta(run) };
};

/** Says what a run that is not over is doing. */
export const stateText = (run: FlowRun, approvals: readonly string[]): string => {
  const { status, wakeAt, error } = run;
  if (approvals.length > 0) {
    const commands = approvals.map((id) => `toolcrib approvals approve ${id}`);
    return `It waits for a person to approve: ${commands.join('; ')}`;
  }
  if (status === 'blocked') return `It is blocked: ${error?.message ?? 'a person has to decide'}`;
  if (status === 'sleeping' && wakeAt !== undefined) {
    return `It sleeps until ${new Date(wakeAt).toISOString()}.`;
  }
  return status === 'waiting' ? `It waits for: ${(run.waitsFor ?? []).join(', ')}` : 'It runs.';
};

/** Replies to a client that is not made to wait until the run is over. */
export const laterReply = (run: FlowRun, approvals: readonly string[]): CallToolResult => ({
  content: [
    textBlock(
      [
        `The run ${run.id} was started and goes on by itself. ${stateText(run, approvals)}`,
        'Do not start it again. Read the resource below for its state and its output.',
      ].join('\n'),
    ),
    linkTo(run),
  ],
  structuredContent: { runId: run.id, status: run.status },
  _meta: runMeta(run),
});

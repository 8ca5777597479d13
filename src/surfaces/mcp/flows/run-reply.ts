/** Turns a run into the reply to the call that started it. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { toolError } from '../../../contract/errors.ts';
import type { FlowRun } from '../../../contract/flow-store.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { errorText } from '../../../kit/text/error-text.ts';
import { META, textBlock } from '../call/tool-reply.ts';
import type { RunState } from './own-runs.ts';

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

const runMeta = ({ id, status, error }: FlowRun): Record<string, unknown> => ({
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

const blockedText = ({ id }: FlowRun): string =>
  `The run ${id} is blocked until a person decides: toolcrib flow status ${id}`;

/** Replies with the end of a run: its output, or why there is none. What is blocked needs a person. */
export const endReply = ({ run, blocked }: Pick<RunState, 'run' | 'blocked'>): CallToolResult => {
  if (run.status === 'completed') return completed(run);
  const stuck = run.status === 'blocked' ? [run] : blocked;
  const { error = MISSING } = stuck[0] ?? run;
  const lines = [errorText(error), ...stuck.map(blockedText)];
  return { content: [textBlock(lines.join('\n'))], isError: true, _meta: runMeta(run) };
};

/** Says what a run that is not over is doing. */
export const stateText = ({ run, approvals, blocked }: RunState): string => {
  const { status, wakeAt, error } = run;
  if (approvals.length > 0) {
    const commands = approvals.map((id) => `toolcrib approvals approve ${id}`);
    return `It waits for a person to approve: ${commands.join('; ')}`;
  }
  if (status === 'blocked') return `It is blocked: ${error?.message ?? 'a person has to decide'}`;
  if (blocked.length > 0) return blocked.map(blockedText).join(' ');
  if (status === 'sleeping' && wakeAt !== undefined) {
    return `It sleeps until ${new Date(wakeAt).toISOString()}.`;
  }
  return status === 'waiting' ? `It waits for: ${(run.waitsFor ?? []).join(', ')}` : 'It runs.';
};

/** Replies to a client that is not made to wait until the run is over. */
export const laterReply = (state: RunState): CallToolResult => ({
  content: [
    textBlock(
      [
        `The run ${state.run.id} was started and goes on by itself. ${stateText(state)}`,
        'Do not start it again. Read the resource below for its state and its output.',
      ].join('\n'),
    ),
    linkTo(state.run),
  ],
  structuredContent: { runId: state.run.id, status: state.run.status },
  _meta: runMeta(state.run),
});

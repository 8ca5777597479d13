/**
 * Runs as tasks of the protocol: those of 2025-11-25, and the extension that 2026-07-28 has instead.
 * The id of a task is that of its run, so that a task lasts as long as its run is on record.
 */
import type { CallToolResult, InputRequest, Task } from '@modelcontextprotocol/server';
import { FINISHED, type FlowRun } from '../../../contract/flow-store.ts';
import { DAY_MS } from '../../../kit/data/durations.ts';
import type { RunState } from './own-runs.ts';
import { endReply, stateText } from './run-reply.ts';

/** The extension of 2026-07-28, by which clients say that they take tasks. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** Names the task that a message belongs to. */
export const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/** A run is kept for so long after its end; no task is forgotten earlier. */
const KEPT_MS = 30 * DAY_MS;
const POLL_MS = 1_000;

export const isOver = ({ status }: FlowRun): boolean => FINISHED.has(status);

/** Says how far the task is. What is blocked waits for a person, as an open approval does. */
const statusOf = ({ run, approvals, blocked }: RunState): Task['status'] => {
  const { status } = run;
  if (status === 'completed' || status === 'failed' || status === 'cancelled') return status;
  const needsPerson = status === 'blocked' || approvals.length + blocked.length > 0;
  return needsPerson ? 'input_required' : 'working';
};

const messageOf = (state: RunState): string =>
  isOver(state.run) ? (state.run.error?.message ?? 'It is over.') : stateText(state);

const commonOf = (state: RunState) => ({
  taskId: state.run.id,
  status: statusOf(state),
  statusMessage: messageOf(state),
  createdAt: new Date(state.run.createdAt).toISOString(),
  lastUpdatedAt: new Date(state.run.updatedAt).toISOString(),
});

/** Shows a run as a task of 2025-11-25. */
export const taskOf = (state: RunState): Task => ({
  ...commonOf(state),
  ttl: KEPT_MS,
  pollInterval: POLL_MS,
});

/** Replies to a call that asked for a task, in the words of 2025-11-25. */
export const createdTask = (state: RunState): CallToolResult => ({
  // The library takes no result of a call without content.
  content: [],
  task: taskOf(state),
});

/** Shows a task of the extension, without what depends on its status. */
const plainTask = (state: RunState) => {
  const common = commonOf(state);
  // In the extension a task fails only by an error of the protocol; a result that is an error completes it.
  const status = common.status === 'failed' ? 'completed' : common.status;
  return { ...common, status, ttlMs: KEPT_MS, pollIntervalMs: POLL_MS };
};

/** Replies to a call with a task instead of a result, in the words of the extension. */
export const taskReply = (state: RunState): CallToolResult => ({
  resultType: 'task',
  content: [],
  ...plainTask(state),
});

export type TaskQuestions = Readonly<Record<string, InputRequest>>;

/** Shows a run as a task of the extension, with its result or what its client is asked. */
export const detailedTask = (state: RunState, questions: TaskQuestions) => {
  const task = plainTask(state);
  if (task.status === 'completed') return { ...task, result: endReply(state) };
  return task.status === 'input_required' ? { ...task, inputRequests: questions } : task;
};

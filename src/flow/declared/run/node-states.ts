/** Reads the state of each step of a run from its journal. */
import type { ToolError } from '../../../contract/errors.ts';
import type { FlowData, FlowNodeState, FlowRunNodes } from '../../../contract/flow-data.ts';
import { FINISHED, type FlowRun, type JournalStep } from '../../../contract/flow-store.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { buildTree, type StepNode } from '../step-tree.ts';

const ITEM = /\.i\d+/;
const ATTEMPT = /^(?:\.try\d+)?$/;

/** The rows of one step: those of its attempts, of its items, and the one that says how it ended. */
interface Rows {
  readonly own: JournalStep[];
  readonly items: JournalStep[];
  end: JournalStep | undefined;
}

const rowsByStep = (steps: readonly JournalStep[]): ReadonlyMap<string, Rows> => {
  const rows = new Map<string, Rows>();
  for (const step of steps) {
    const dot = step.key.indexOf('.');
    const id = dot === -1 ? step.key : step.key.slice(0, dot);
    const rest = dot === -1 ? '' : step.key.slice(dot);
    const entry = rows.get(id) ?? { own: [], items: [], end: undefined };
    if (rest === '.end') entry.end = step;
    else if (ITEM.test(rest)) entry.items.push(step);
    else entry.own.push(step);
    rows.set(id, entry);
  }
  return rows;
};

type Status = Pick<FlowNodeState, 'status' | 'because' | 'error'>;

/** Tells a step that failed from one that was cancelled with its group. */
const failedStatus = (error: ToolError | undefined): Status => {
  if (!error) return { status: 'failed' };
  return error.code === 'CANCELLED'
    ? { status: 'cancelled', because: error.message }
    : { status: 'failed', error };
};

const statusOfEnd = ({ value }: JournalStep): Status => {
  const { status, because, error } = isRecord(value) ? value : {};
  if (status === 'skipped') return { status, because: String(because) };
  if (status === 'failed') return failedStatus(error as ToolError);
  return { status: 'done' };
};

/** Finds the result of a step that is done: what its `output` made, or what it returned. */
const resultOf = (end: JournalStep | undefined, row: JournalStep | undefined) => {
  if (isRecord(end?.value) && 'data' in end.value) return { data: end.value.data };
  return row?.state === 'done' ? { data: row.value ?? null } : {};
};

const statusOfRow = (row: JournalStep): Status => {
  if (row.state === 'done') return { status: 'done' };
  if (row.state === 'failed') return failedStatus(row.error);
  if (row.approvalId !== undefined) return { status: 'pending_approval' };
  return { status: row.kind === 'call' ? 'running' : 'waiting' };
};

/** Finds the row that speaks for the step: one that is open, or else the one that ended last. */
const tellingRow = (rows: readonly JournalStep[]): JournalStep | undefined =>
  rows.find(({ state, key }) => state === 'open' && !key.endsWith('.timeout')) ??
  rows
    .filter(({ key }) => !/\.(?:timeout|wait\d+|reads)$/.test(key))
    .toSorted((one, other) => (one.position ?? 0) - (other.position ?? 0))
    .at(-1);

const statusOf = (rows: Rows, isOver: boolean): Status => {
  if (rows.end) return statusOfEnd(rows.end);
  const row = tellingRow(rows.own);
  const status = row && statusOfRow(row);
  // A call under way has no row yet; its items have.
  if (!status) return { status: isOver ? 'cancelled' : 'running' };
  return isOver && row.state === 'open' ? { status: 'cancelled' } : status;
};

const NO_ROWS: Rows = { own: [], items: [], end: undefined };

const stateOf = ({ step, type }: StepNode, rows: Rows | undefined, run: FlowRun): FlowNodeState => {
  const isOver = FINISHED.has(run.status);
  const because = run.error ? `the run ended: ${run.error.code}` : 'the run is over';
  if (!rows) {
    const status = isOver ? ('cancelled' as const) : ('pending' as const);
    return { id: step.id, type, status, attempts: 0, ...(isOver && { because }) };
  }
  const { own, items } = rows ?? NO_ROWS;
  const row = tellingRow(own);
  const all = [...own, ...items, ...(rows.end ? [rows.end] : [])];
  const finished = all.flatMap(({ finishedAt }) => finishedAt ?? []);
  const count = (state: JournalStep['state']) =>
    items.filter((item) => item.kind !== 'sleep' && item.state === state).length;
  const attempts = own.filter(({ key }) => ATTEMPT.test(key.slice(step.id.length))).length;
  const status = statusOf(rows, isOver);
  return {
    ...{ id: step.id, type, attempts },
    ...status,
    ...(status.status === 'done' && resultOf(rows.end, row)),
    ...(items.length > 0 && { items: { done: count('done'), failed: count('failed') } }),
    ...(row?.approvalId !== undefined && { approvalId: row.approvalId }),
    ...(row?.executionId !== undefined && { executionId: row.executionId }),
    ...(row?.childId !== undefined && { childId: row.childId }),
    startedAt: Math.min(...all.slice(0, 1).map(({ startedAt }) => startedAt)),
    ...(finished.length > 0 && {
      finishedAt: finished.reduce((one, other) => Math.max(one, other)),
    }),
  };
};

const OVER: ReadonlySet<string> = new Set(['done', 'failed', 'skipped', 'cancelled']);

export const nodeStates = (
  flow: FlowData,
  run: FlowRun,
  steps: readonly JournalStep[],
): FlowRunNodes => {
  const rows = rowsByStep(steps);
  const nodes = buildTree(flow).nodes.map((node) => stateOf(node, rows.get(node.step.id), run));
  const over = nodes.filter(({ status }) => OVER.has(status)).length;
  return { nodes, progress: { over, all: nodes.length } };
};

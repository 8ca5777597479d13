/** Reads the state of each step of a run from its journal. */
import type { ToolError } from '../../../contract/errors.ts';
import type { FlowData, FlowNodeState, FlowRunNodes } from '../../../contract/flow-data.ts';
import { FINISHED, type FlowRun, type JournalStep } from '../../../contract/flow-store.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { buildTree, type StepNode } from '../step-tree.ts';

/** Follows the id of a step in its key: one for each group around it that was tried again. */
const ROUNDS = /^(?:\.[A-Za-z]\w*-\d+)+/;
const END = /^\.end(?=\.|$)/;
const ITEM = /\.i\d+(?=\.|$)/;
const ATTEMPT = /^(?:\.try\d+)?$/;

/** The rows of one step in one try of the groups around it: of its attempts, of its items, and how it ended. */
interface Rows {
  readonly own: JournalStep[];
  readonly items: JournalStep[];
  end: JournalStep | undefined;
  attempts: number;
}

/** By the tries of the groups around it, as they stand in keys. */
type RowsByRound = Map<string, Rows>;

const rowsByStep = (steps: readonly JournalStep[]): ReadonlyMap<string, RowsByRound> => {
  const all = new Map<string, RowsByRound>();
  for (const step of steps) {
    const [id = ''] = step.key.split('.', 1);
    const rest = step.key.slice(id.length);
    const isEnd = END.test(rest);
    const [round = ''] = ROUNDS.exec(isEnd ? rest.replace(END, '') : rest) ?? [];
    const rounds: RowsByRound = all.get(id) ?? new Map();
    all.set(id, rounds);
    const entry = rounds.get(round) ?? { own: [], items: [], end: undefined, attempts: 0 };
    rounds.set(round, entry);
    if (isEnd) entry.end = step;
    else if (ITEM.test(rest)) entry.items.push(step);
    else {
      entry.own.push(step);
      if (ATTEMPT.test(rest.slice(round.length))) entry.attempts += 1;
    }
  }
  return all;
};

/** Numbers the tries of the groups around a step, outermost first. */
const triesIn = ({ group }: StepNode, round: string): readonly number[] => {
  const tries = new Map(
    round.split('.').map((part) => {
      const [id = '', number] = part.split('-');
      return [id, Number(number)];
    }),
  );
  const numbers: number[] = [];
  for (let { owner } = group; owner; { owner } = owner.group) {
    numbers.unshift(tries.get(owner.step.id) ?? 1);
  }
  return numbers;
};

/** Finds the last try: earlier ones say nothing of how the step stands. */
const lastRound = (node: StepNode, rounds: RowsByRound): Rows => {
  const entries = [...rounds].map(([round, rows]) => ({ tries: triesIn(node, round), rows }));
  const isLater = (one: readonly number[], other: readonly number[]): boolean => {
    const at = one.findIndex((number, index) => number !== other[index]);
    return at !== -1 && (one[at] ?? 0) > (other[at] ?? 0);
  };
  return entries.reduce((last, each) => (isLater(each.tries, last.tries) ? each : last)).rows;
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

/** Counts the items of a list: as its end says, or so far by their rows. */
const itemsOf = ({ items, end }: Rows): FlowNodeState['items'] => {
  if (isRecord(end?.value) && isRecord(end.value.items)) {
    return { done: Number(end.value.items.done), failed: Number(end.value.items.failed) };
  }
  const count = (state: JournalStep['state']) =>
    items.filter((item) => item.kind !== 'sleep' && item.state === state).length;
  return items.length > 0 ? { done: count('done'), failed: count('failed') } : undefined;
};

const stateOf = (node: StepNode, rounds: RowsByRound | undefined, run: FlowRun): FlowNodeState => {
  const { step, type } = node;
  const isOver = FINISHED.has(run.status);
  const because = run.error ? `the run ended: ${run.error.code}` : 'the run is over';
  if (!rounds) {
    const status = isOver ? ('cancelled' as const) : ('pending' as const);
    return { id: step.id, type, status, attempts: 0, ...(isOver && { because }) };
  }
  const rows = lastRound(node, rounds);
  const row = tellingRow(rows.own);
  const ofRounds = [...rounds.values()];
  const all = ofRounds.flatMap(({ own, items, end }) => [...own, ...items, ...(end ? [end] : [])]);
  const finished = all.flatMap(({ finishedAt }) => finishedAt ?? []);
  const status = statusOf(rows, isOver);
  const items = itemsOf(rows);
  return {
    id: step.id,
    type,
    attempts: ofRounds.reduce((sum, each) => sum + each.attempts, 0),
    ...status,
    ...(status.status === 'done' && resultOf(rows.end, row)),
    ...(items && { items }),
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

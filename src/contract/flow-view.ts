/** A run and its steps as people look at them: with what each call cost, and as a graph. */
import type { AuditLog, AuditRow } from './audit.ts';
import { summaryOfRow } from './call-summary.ts';
import type { FlowRun, JournalStep, StepKind } from './flow-store.ts';
import { MICROS_PER_USD } from './tool-cost.ts';

/** One step with what the audit trail says of its call. */
export interface StepView
  extends Omit<JournalStep, 'digest' | 'position' | 'eventId' | 'eventNonce' | 'seal'> {
  /** Of the call alone, without what was waited for. */
  readonly callMs?: number;
  readonly costUsd?: number;
  /** The call in one line, redacted. */
  readonly summary?: string;
  /** The input of the call as the trail keeps it, redacted. */
  readonly input?: unknown;
}

/** Joins a step with the outcome of its call, where there is one. */
const stepView = (step: JournalStep, outcome: AuditRow | undefined): StepView => {
  const { digest: _, position: _position, seal: _seal, ...row } = step;
  const { eventId: _event, eventNonce: _nonce, ...shown } = row;
  if (!outcome) return shown;
  const { input } = outcome.detail;
  return {
    ...shown,
    callMs: outcome.durationMs,
    costUsd: outcome.costMicros / MICROS_PER_USD,
    summary: summaryOfRow(outcome),
    ...(input !== undefined && { input }),
  };
};

/** Names of the rows that a declared flow writes for itself: its digest, and how a step ended. */
const OWN_ROW = /^(?:flow [0-9a-f]{64}|end)$/;

/** Says whether a step is a note of the engine and none of the flow. */
export const isNote = ({ kind, name, key }: JournalStep): boolean =>
  kind === 'value' && OWN_ROW.test(name) && !/^\d+$/.test(key);

/** The key of the sleep that ends a declared flow; the hyphen keeps it apart from ids of steps. */
export const RUN_LIMIT_KEY = 'flow-timeout';

const STEP_LIMIT = '.timeout';

/** Names the sleep that ends a step of a declared flow. */
export const stepLimitKey = (key: string): string => key + STEP_LIMIT;

/** Tells a time limit from a sleep of the flow itself. */
export const isTimeLimit = ({ kind, key }: Pick<JournalStep, 'kind' | 'key'>): boolean =>
  kind === 'sleep' && (key === RUN_LIMIT_KEY || key.endsWith(STEP_LIMIT));

const UNDO = 'undo:';

/** Names a step: one of a declared flow has an id of its own, one of code has a number. */
export const stepLabel = ({ key, name }: Pick<StepView, 'key' | 'name'>): string => {
  // The name of an undo is the id of the call, by which nobody knows the step.
  if (key.startsWith(UNDO)) return `undo of step ${key.slice(UNDO.length)}`;
  return /^\d+$/.test(key) ? name : `${key}: ${name}`;
};

/**
 * Joins steps with the outcomes of their calls; notes of the engine are left out. `outcomes` keeps
 * them between two calls for the same run: an outcome never changes.
 */
export const stepViews = async (
  steps: readonly JournalStep[],
  audit: Pick<AuditLog, 'query'>,
  outcomes: Map<string, AuditRow> = new Map(),
): Promise<readonly StepView[]> => {
  const views: StepView[] = [];
  for (const step of steps) {
    if (isNote(step)) continue;
    const { executionId } = step;
    if (executionId !== undefined && !outcomes.has(executionId)) {
      const [row] = await audit.query({ executionId, kind: 'outcome', limit: 1 });
      if (row) outcomes.set(executionId, row);
    }
    views.push(stepView(step, executionId === undefined ? undefined : outcomes.get(executionId)));
  }
  return views;
};

/** The state of a node: that of its step, or `planned` for one that has not begun. */
export type NodeState = JournalStep['state'] | 'planned' | 'skipped';

export interface DrawnNode {
  readonly id: string;
  readonly label: string;
  readonly kind: StepKind | 'group';
  readonly state: NodeState;
  /** A second line: time, cost, what is waited for. */
  readonly note?: string;
}

export interface DrawnEdge {
  readonly from: string;
  readonly to: string;
  readonly label?: string;
}

/** What is drawn: the steps of a run in the order in which they ran, or those that a flow declares. */
export interface FlowDrawing {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
  /** How much is not drawn, because it would be too much to be laid out; absent where nothing is missing. */
  readonly leftOut?: { readonly nodes: number; readonly edges: number };
}

/** Says how much of a drawing was left out; `undefined` where nothing was. */
export const leftOutText = ({ leftOut }: Pick<FlowDrawing, 'leftOut'>): string | undefined =>
  leftOut &&
  `Too large to be drawn whole: without ${leftOut.nodes} steps and ${leftOut.edges} arrows.`;

/** What a run waits for, as it stands in `waitsFor`. */
export const APPROVAL_WAIT = 'approval:';

/** Returns the approvals that a run or a job waits for. */
export const waitingApprovals = ({ waitsFor = [] }: Pick<FlowRun, 'waitsFor'>): readonly string[] =>
  waitsFor
    .filter((each) => each.startsWith(APPROVAL_WAIT))
    .map((each) => each.slice(APPROVAL_WAIT.length));

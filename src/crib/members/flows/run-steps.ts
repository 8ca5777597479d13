/** Reads the steps of a run: those on record, those that this process works on, and those that a cancel cut off. */
import type { AuditLog } from '../../../contract/audit.ts';
import {
  FINISHED,
  type FlowRun,
  type Flows,
  type JournalStep,
} from '../../../contract/flow-store.ts';
import { cutOffCalls } from '../../../flow/cut-off-calls.ts';
import type { FlowService } from '../../../flow/flow-service.ts';
import { cancelledStep, cutOffStep } from '../../../flow/turn.ts';

export interface RunStepsDeps {
  /** Returns the service if it is open already. */
  opened(): Promise<Pick<FlowService, 'underWay'>> | undefined;
  stored(): Promise<Pick<Flows, 'steps' | 'get'>>;
  audit(): Promise<Pick<AuditLog, 'query'>>;
}

/**
 * Merges the steps on record with those that are running or not written yet, in the order in which they
 * began. The last entry of a step counts, and none comes after its end.
 */
const withUnderWay = (
  recorded: readonly JournalStep[],
  underWay: readonly JournalStep[],
): readonly JournalStep[] => {
  if (underWay.length === 0) return recorded;
  const steps = new Map(recorded.map((step) => [step.key, step]));
  for (const step of underWay) {
    if (steps.get(step.key)?.position === undefined) steps.set(step.key, step);
  }
  return [...steps.values()].sort((one, other) => one.startedAt - other.startedAt);
};

/**
 * Shows an open step of a run that is over as cancelled: nobody closed it before the run was cancelled. One
 * that blocked the run has the call in doubt on record.
 */
const closedWith = (step: JournalStep, run: FlowRun): JournalStep => {
  const { state, kind, executionId } = step;
  if (state !== 'open') return step;
  const isInDoubt = kind === 'call' && executionId !== undefined;
  const error = isInDoubt ? cutOffStep(executionId) : cancelledStep();
  return { ...step, state: 'failed', error, finishedAt: run.updatedAt };
};

export const runSteps = async (
  runId: string,
  { opened, stored, audit }: RunStepsDeps,
): Promise<readonly JournalStep[]> => {
  // Read before the store: a step that is written in between is then in both, not in neither.
  const underWay = (await opened())?.underWay(runId) ?? [];
  const flows = await stored();
  const steps = withUnderWay(await flows.steps(runId), underWay);
  const run = await flows.get(runId);
  if (!run || !FINISHED.has(run.status)) return steps;
  const cutOff = await cutOffCalls(run, steps, { audit: await audit() });
  return withUnderWay(steps, cutOff).map((step) => closedWith(step, run));
};

/** Reads the steps of a run: those on record, and those that this process works on. */
import {
  FINISHED,
  type FlowRun,
  type Flows,
  type JournalStep,
} from '../../../contract/flow-store.ts';
import type { FlowService } from '../../../flow/flow-service.ts';
import { cancelledStep } from '../../../flow/turn.ts';

export interface RunStepsDeps {
  /** Returns the service if it is open already. */
  opened(): Promise<Pick<FlowService, 'underWay'>> | undefined;
  stored(): Promise<Pick<Flows, 'steps' | 'get'>>;
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

/** Shows an open step of a run that is over as cancelled: nobody closed it before the run was cancelled. */
const closedWith = (step: JournalStep, run: FlowRun): JournalStep =>
  step.state === 'open'
    ? { ...step, state: 'failed', error: cancelledStep(), finishedAt: run.updatedAt }
    : step;

export const runSteps = async (
  runId: string,
  { opened, stored }: RunStepsDeps,
): Promise<readonly JournalStep[]> => {
  // Read before the store: a step that is written in between is then in both, not in neither.
  const underWay = (await opened())?.underWay(runId) ?? [];
  const flows = await stored();
  const steps = withUnderWay(await flows.steps(runId), underWay);
  if (!steps.some(({ state }) => state === 'open')) return steps;
  const run = await flows.get(runId);
  return run && FINISHED.has(run.status) ? steps.map((step) => closedWith(step, run)) : steps;
};

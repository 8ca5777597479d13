/** Finds runs that nobody continues because their version is registered nowhere near. */
import type { ListedFlowRun } from '../contract/flow.ts';
import type { FlowRun } from '../contract/flow-store.ts';
import type { FlowRegistry } from './flow-registry.ts';

/** A process that has the version takes a run that is due within a second. */
const GRACE_MS = 10_000;

/** Tells whether a run that sleeps or waits has been due for so long that nobody seems to take it. */
export const isOverdue = ({ status, wakeAt }: FlowRun, now: number): boolean =>
  (status === 'sleeping' || status === 'waiting') &&
  wakeAt !== undefined &&
  wakeAt <= now - GRACE_MS;

/** Marks the overdue runs whose version is not registered in this process. */
export const markMissingVersions = (
  runs: readonly FlowRun[],
  registry: Pick<FlowRegistry, 'find'>,
  now: number,
): readonly ListedFlowRun[] =>
  runs.map((run) => {
    const isMissing = isOverdue(run, now) && !registry.find(run.flow, run.version);
    return isMissing ? { ...run, missingVersion: true } : run;
  });

/** Finds runs that no live process continues, because none has registered their version. */
import type { ListedFlowRun } from '../contract/flow.ts';
import { FINISHED, type FlowRun, type Flows } from '../contract/flow-store.ts';
import type { FlowRegistry } from './flow-registry.ts';

/** A process that has the version takes a run that is due within a second. */
const GRACE_MS = 10_000;

/** How many runs that nobody takes are looked at. */
const MAX_UNCLAIMED = 1_000;

/** Tells whether a run has been due for so long that perhaps nobody takes it. */
export const isOverdue = ({ status, wakeAt }: FlowRun, now: number): boolean =>
  !FINISHED.has(status) && wakeAt !== undefined && wakeAt <= now - GRACE_MS;

export interface MissingVersionDeps {
  readonly registry: Pick<FlowRegistry, 'keys'>;
  readonly flows: Pick<Flows, 'unclaimed'>;
  readonly now: number;
}

/**
 * Marks the overdue runs that no living process owns, also those whose process was killed while it ran
 * them, and whose version is not registered in this process.
 */
export const markMissingVersions = async (
  runs: readonly FlowRun[],
  { registry, flows, now }: MissingVersionDeps,
): Promise<readonly ListedFlowRun[]> => {
  const unclaimed = await flows.unclaimed({ now, flows: registry.keys(), limit: MAX_UNCLAIMED });
  const missing = new Set(unclaimed.map(({ id }) => id));
  return runs.map((run) =>
    isOverdue(run, now) && missing.has(run.id) ? { ...run, missingVersion: true } : run,
  );
};

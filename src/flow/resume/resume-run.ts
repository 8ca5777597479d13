/** Makes a run due that no process works on, whatever it waited for. */
import type { FlowRun, Flows, RunChange } from '../../contract/flow-store.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { FlowRegistry } from '../flow-registry.ts';
import { type FlowSeals, movedTo } from '../run-seals.ts';

export interface ResumeDeps {
  readonly runtime: Pick<Runtime, 'now'>;
  readonly registry: Pick<FlowRegistry, 'assertTarget'>;
  flows(): Promise<Flows>;
  seals(): Promise<FlowSeals>;
}

/** Makes the change that moves a run to a version. Throws for one that the run could not go on with. */
const moveTo = async (
  version: string,
  run: FlowRun | undefined,
  { registry, seals }: ResumeDeps,
): Promise<Partial<RunChange>> => {
  if (run && run.version !== version) registry.assertTarget(run.flow, version);
  return movedTo(version, run, await seals());
};

/**
 * Moves the run to another version if one is named. False for one that is finished, unknown or worked on.
 * Why it was blocked stays on record until a turn begins.
 */
export const resumeRun = async (
  runId: string,
  version: string | undefined,
  deps: ResumeDeps,
): Promise<boolean> => {
  const now = deps.runtime.now();
  const flows = await deps.flows();
  const change: RunChange = {
    status: 'waiting',
    updatedAt: now,
    wakeAt: now,
    waitsFor: undefined,
    ...(version !== undefined && (await moveTo(version, await flows.get(runId), deps))),
  };
  return flows.change(runId, change, { onlyIdle: true });
};

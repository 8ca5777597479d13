/** Makes a run due that no process works on, whatever it waited for. */
import type { Flows } from '../../contract/flow-store.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { stopped } from '../run-record.ts';
import { type FlowSeals, movedTo } from '../run-seals.ts';

export interface ResumeDeps {
  readonly runtime: Pick<Runtime, 'now'>;
  flows(): Promise<Flows>;
  seals(): Promise<FlowSeals>;
}

/** Moves the run to another version if one is named. False for one that is finished, unknown or worked on. */
export const resumeRun = async (
  runId: string,
  version: string | undefined,
  deps: ResumeDeps,
): Promise<boolean> => {
  const now = deps.runtime.now();
  const flows = await deps.flows();
  const moved =
    version !== undefined && (await movedTo(version, await flows.get(runId), await deps.seals()));
  const due = { ...stopped('waiting', now), wakeAt: now, error: undefined };
  return flows.change(runId, { ...due, ...moved }, { onlyIdle: true });
};

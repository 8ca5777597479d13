/** Finds a run by its id, which may be shortened to a unique beginning. */
import type { Crib } from '../../../contract/crib.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { FlowRunInfo } from '../../../contract/flow.ts';
import type { FlowRun } from '../../../contract/flow-store.ts';
import { byStart } from '../../input/by-start.ts';

/** How many runs are searched for a shortened id, the newest. */
const MAX_RUNS = 5000;

/** Finds a run by its id or a unique beginning of it. Fails with NOT_FOUND. */
export const findRun = async (crib: Crib, typed: string): Promise<FlowRunInfo> => {
  const exact = await crib.flows.get(typed);
  if (exact) return exact;
  const listed = byStart(await crib.flows.list({ limit: MAX_RUNS }), typed, ({ id }) => id);
  const run = listed && (await crib.flows.get(listed.id));
  if (run) return run;
  throw new ToolFailure('NOT_FOUND', 'There is no run of that id.', {
    suggestions: ['See which there are: toolcrib flow runs'],
  });
};

/** Makes the failure for a run that cannot be changed any more. */
export const isOver = ({ id, status }: Pick<FlowRun, 'id' | 'status'>): ToolFailure =>
  new ToolFailure('CONFLICT', `The run ${id} is ${status}: nothing can be changed any more.`);

/** Makes the failure for a run that another process works on. */
export const isBusy = ({ id }: Pick<FlowRun, 'id'>): ToolFailure =>
  new ToolFailure('CONFLICT', `A process works on the run ${id} at this moment.`, {
    suggestions: ['Try again when it waits, or end that process first.'],
  });

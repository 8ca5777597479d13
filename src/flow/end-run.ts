/** Ends what runs leave behind: the runs that they have started, and their questions. */
import { ToolFailure, toolError } from '../contract/errors.ts';
import { FINISHED, type FlowRun, type Flows } from '../contract/flow-store.ts';
import type { Runtime } from '../contract/runtime.ts';
import { stopped } from './run-record.ts';

export interface EndRunDeps {
  readonly flows: Pick<Flows, 'change' | 'get' | 'steps'>;
  readonly runtime: Pick<Runtime, 'now'>;
  /** Writes what this process has not written of a run. Never rejects. */
  flush(runId: string): Promise<void>;
  /** Ends the work of this process at a run. */
  drop(runId: string, cause: unknown): void;
  /** Tells those who wait for a run. */
  ended(run: FlowRun): Promise<void>;
  /** Takes a question back that nobody has answered. */
  withdraw(approvalId: string): Promise<void>;
}

export const undoing = (runId: string): ToolFailure =>
  new ToolFailure('CONFLICT', `The run ${runId} has failed, and what it did is being undone.`, {
    suggestions: ['Wait for its end; toolcrib flow steps shows how far it is.'],
  });

/** Ends a run, unless a process takes back what it did: then half of it would be left. */
export const endRun = async (
  runId: string,
  deps: EndRunDeps,
): Promise<'cancelled' | 'over' | 'undoing'> => {
  const { flows, runtime, flush, drop, ended } = deps;
  await flush(runId);
  const error = toolError('CANCELLED', 'The run was cancelled.');
  const change = { ...stopped('cancelled', runtime.now()), error };
  const isUndoing = (await flows.steps(runId)).some(({ kind }) => kind === 'undo');
  const isCancelled = await flows.change(runId, change, { onlyIdle: isUndoing });
  const run = await flows.get(runId);
  if (isUndoing && !isCancelled && run && !FINISHED.has(run.status)) return 'undoing';
  drop(runId, error);
  await endOpenSteps(runId, deps);
  if (!isCancelled) return 'over';
  if (run) await ended(run);
  return 'cancelled';
};

/** Ends the runs that a run has started and still waits for, and takes its questions back. */
export const endOpenSteps = async (runId: string, deps: EndRunDeps): Promise<void> => {
  for (const { childId, approvalId, state } of await deps.flows.steps(runId)) {
    if (state !== 'open') continue;
    if (childId !== undefined) await endRun(childId, deps);
    if (approvalId !== undefined) await deps.withdraw(approvalId);
  }
};

/** Takes back what the calls of a failed run did, newest first; each undo is a step of its own. */
import type { CallAs } from '../contract/call-options.ts';
import type { FlowRun, Flows, JournalStep } from '../contract/flow-store.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Runtime } from '../contract/runtime.ts';

export interface UndoStepsDeps {
  readonly runtime: Pick<Runtime, 'now'>;
  undo(executionId: string, as: CallAs): Promise<ToolResult>;
}

const finishedCalls = (steps: readonly JournalStep[]): readonly JournalStep[] =>
  steps
    .filter(({ kind, state, executionId }) => kind === 'call' && state === 'done' && executionId)
    .toSorted((one, other) => (other.position ?? 0) - (one.position ?? 0));

/** Goes on with the next call when one cannot be undone; a process that takes over skips what is done. */
export const undoSteps = async (run: FlowRun, flows: Flows, deps: UndoStepsDeps): Promise<void> => {
  const steps = await flows.steps(run.id);
  const undone = new Set(steps.filter(({ kind }) => kind === 'undo').map(({ name }) => name));
  for (const { key, executionId = '', digest } of finishedCalls(steps)) {
    if (undone.has(executionId)) continue;
    const startedAt = deps.runtime.now();
    const result = await deps.undo(executionId, run.caller);
    const end = result.success
      ? ({ state: 'done' } as const)
      : ({ state: 'failed', error: result.error } as const);
    const step = {
      key: `undo:${key}`,
      kind: 'undo',
      name: executionId,
      digest,
      startedAt,
    } as const;
    await flows.record(run, [{ ...step, ...end }]);
  }
};

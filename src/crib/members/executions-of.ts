/** `crib.executions`: running and ended calls by their id. */
import type {
  CribExecutions,
  ExecutionStatus,
  RunningCall,
  UndoReport,
} from '../../contract/crib-members.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { MemberDeps } from './member-deps.ts';

const statusOf = async (
  executionId: string,
  deps: MemberDeps,
): Promise<ExecutionStatus | undefined> => {
  const starting = deps.starting.status(executionId);
  if (starting) return starting;
  const { engine, store } = await deps.open();
  const { executionStatus } = await import('../../pipeline/record/execution-status.ts');
  return executionStatus(executionId, engine.shared.running, store);
};

const runningOf = async (deps: MemberDeps): Promise<readonly RunningCall[]> => {
  const { engine, store } = await deps.open();
  const { runningCalls } = await import('../../pipeline/record/execution-status.ts');
  return runningCalls(engine.shared.running, store);
};

export const executionsOf = (deps: MemberDeps): CribExecutions => ({
  status: (executionId) => statusOf(executionId, deps),
  running: () => runningOf(deps),
  cancel: (executionId) =>
    deps.starting.cancel(executionId) ||
    (deps.engine()?.shared.running.cancel(executionId) ?? false),
  undo: async (executionId, as) => {
    const { engine } = await deps.open();
    return (await engine.undo(executionId, as)) as ToolResult<UndoReport>;
  },
  isUndoable: async (executionId) => {
    const { engine } = await deps.open();
    const status = await statusOf(executionId, deps);
    return status !== undefined && engine.undoing.isUndoable(status);
  },
  cleanup: async (executionId) => {
    const { engine, store } = await deps.open();
    await store.snapshots.drop(executionId);
    await store.results.drop(executionId);
    await engine.shared.undoLog.forget(executionId);
  },
});

/** Says whether a run of a flow may have changed something: such a run must not be repeated. */
import type { Flows, JournalStep } from '../contract/flow-store.ts';
import type { Tool } from '../contract/tool.ts';
import { onlyReads } from './only-reads.ts';
import { hasChangedNothing } from './unchanged-calls.ts';

export interface ChangingStepsDeps {
  readonly tools: { get(name: string): { readonly tool: Tool } | undefined };
  readonly flows: Pick<Flows, 'steps'>;
}

/**
 * Tells whether a call on record has certainly changed nothing. That its tool is idempotent does not
 * count: the calls of another run carry other keys.
 */
const isUnchanged = (
  { state, error, executionId }: JournalStep,
  tool: Tool | undefined,
): boolean => {
  if (onlyReads(tool)) return true;
  // Nothing was executed: a call that has succeeded before answered it, and has a step of its own.
  if (state === 'done') return executionId === undefined;
  return state === 'failed' && error !== undefined && hasChangedNothing(tool, error);
};

/**
 * Tells whether a run, or one that it has started, may have changed something. Undone calls do not count;
 * `undoneAbove` names those that a run around it has undone.
 */
export const mayHaveChanged = async (
  runId: string,
  deps: ChangingStepsDeps,
  undoneAbove: ReadonlySet<string> = new Set(),
): Promise<boolean> => {
  const steps = await deps.flows.steps(runId);
  const undone = new Set(undoneAbove);
  for (const { kind, name, state } of steps) {
    if (kind === 'undo' && state === 'done') undone.add(name);
  }
  for (const step of steps) {
    const { kind, name, executionId = '', childId } = step;
    const isChanged =
      kind === 'child'
        ? childId !== undefined && (await mayHaveChanged(childId, deps, undone))
        : kind === 'call' &&
          !undone.has(executionId) &&
          !isUnchanged(step, deps.tools.get(name)?.tool);
    if (isChanged) return true;
  }
  return false;
};

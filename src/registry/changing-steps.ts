/** Says whether a run of a flow may have changed something: then the same steps must not be made again. */
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
const isUnchanged = ({ state, error }: JournalStep, tool: Tool | undefined): boolean =>
  onlyReads(tool) || (state === 'failed' && error !== undefined && hasChangedNothing(tool, error));

/** Tells whether a run, or one that it has started, may have changed something. Undone calls do not count. */
export const mayHaveChanged = async (runId: string, deps: ChangingStepsDeps): Promise<boolean> => {
  const steps = await deps.flows.steps(runId);
  const undone = new Set(
    steps.flatMap(({ kind, name, state }) => (kind === 'undo' && state === 'done' ? [name] : [])),
  );
  for (const step of steps) {
    const { kind, name, executionId = '', childId } = step;
    if (kind === 'child' && childId !== undefined && (await mayHaveChanged(childId, deps))) {
      return true;
    }
    if (kind !== 'call' || undone.has(executionId)) continue;
    const tool = deps.tools.get(name)?.tool;
    if (!isUnchanged(step, tool)) return true;
  }
  return false;
};

/** Says whether a run of a flow may have changed something: then the same steps must not be made again. */
import type { ErrorCode } from '../contract/errors.ts';
import type { Flows, JournalStep } from '../contract/flow-store.ts';
import type { Tool } from '../contract/tool.ts';
import { onlyReads } from './only-reads.ts';

export interface ChangingStepsDeps {
  readonly tools: { get(name: string): { readonly tool: Tool } | undefined };
  readonly flows: Pick<Flows, 'steps'>;
}

/** Tells whether a tool may be called twice without a second effect. */
export const isRepeatable = (tool: Tool | undefined): boolean =>
  onlyReads(tool) || tool?.idempotent === true;

/** Codes of gates before the tool itself. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['VALIDATION_ERROR', 'TOOL_NOT_FOUND', 'TOOL_DISABLED', 'TOOL_QUARANTINED'] as const),
  ...(['PERMISSION_DENIED', 'SECURITY_VIOLATION', 'AUTH_MISSING', 'USER_CANCELLED'] as const),
  ...(['APPROVAL_EXPIRED', 'PRECONDITION_FAILED', 'DEPENDENCY_MISSING', 'LOOP_DETECTED'] as const),
]);

/**
 * A call that was refused, or that failed and may be tried again, has changed nothing; of any other, and
 * of a tool that calls others, nobody can be sure.
 */
const hasFailedEarly = ({ state, error }: JournalStep, tool: Tool | undefined): boolean => {
  if (state !== 'failed' || !error) return false;
  return error.retryable || (!tool?.callsTools && REFUSALS.has(error.code));
};

/** Looks into the runs that it has started, too. Calls that were undone do not count. */
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
    if (!isRepeatable(tool) && !hasFailedEarly(step, tool)) return true;
  }
  return false;
};

/** Takes a person's word on a call of a blocked run of which nobody knows whether it took effect. */
import type { AuditLog } from '../../contract/audit.ts';
import type { Caller } from '../../contract/caller.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { StepSettlement } from '../../contract/flow.ts';
import type { Flows, JournalStep } from '../../contract/flow-store.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Replays } from '../../contract/store.ts';
import { plainMetadata } from '../../kit/model/plain-metadata.ts';
import { DURABLE_MS } from '../../pipeline/durable-work.ts';
import { auditEvent } from '../../pipeline/record/audit-event.ts';
import { plainValue } from '../turn.ts';

export interface SettleDeps {
  readonly flows: Pick<Flows, 'get' | 'steps'>;
  readonly replays: Pick<Replays, 'settle'>;
  readonly audit: Pick<AuditLog, 'append'>;
  readonly runtime: Pick<Runtime, 'now'>;
}

interface Said {
  readonly runId: string;
  readonly settlement: StepSettlement;
  /** Who says so. */
  readonly by: Caller;
}

const noDoubt = ({ runId, settlement: { step } }: Said): ToolFailure =>
  new ToolFailure('CONFLICT', `No call of step ${step} of the run ${runId} is in doubt.`, {
    suggestions: ['toolcrib flow steps shows which one is; one that was settled needs no answer.'],
  });

/** Finds the step that blocks the run. The call in doubt is on record with it. */
const doubtfulStep = async (said: Said, { flows }: SettleDeps): Promise<JournalStep> => {
  const { runId, settlement } = said;
  const run = await flows.get(runId);
  const steps = run?.status === 'blocked' ? await flows.steps(runId) : [];
  const step = steps.find(({ key }) => key === settlement.step);
  if (step?.state !== 'open' || step.kind !== 'call' || !step.executionId) throw noDoubt(said);
  return step;
};

/** Makes the result that the call is said to have had: a person's word is data like any other. */
const saidResult = (
  { name, executionId = '' }: JournalStep,
  { runId, settlement: { data = null } }: Said,
  now: number,
): ToolResult => ({
  success: true,
  status: 'success',
  data: plainValue(data),
  metadata: plainMetadata({
    executionId,
    toolName: name,
    timestamp: now,
    traceId: runId,
    labels: { trust: 'untrusted', sensitivity: 'private' },
  }),
});

/**
 * Puts on record who said what, then stores the answer of the call or frees its key. Rejects with CONFLICT
 * where the run is not blocked by this step, or its process is still there.
 */
export const settleStep = async (said: Said, deps: SettleDeps): Promise<void> => {
  const { runId, settlement, by } = said;
  const now = deps.runtime.now();
  const step = await doubtfulStep(said, deps);
  const { name: tool, executionId: id = '' } = step;
  const isDone = settlement.as === 'done';
  const answer = { result: saidResult(step, said, now), expiresAt: now + DURABLE_MS };
  const { userId, agentId, sessionId } = by;
  const who = { by: userId, agentId, sessionId };
  const detail = { runId, step: step.key, as: settlement.as };
  const event = { event: 'step.settled', id, at: now, tool, status: 'success', ...who } as const;
  await deps.audit.append(auditEvent({ ...event, detail }));
  if (!(await deps.replays.settle(id, isDone ? answer : undefined))) throw noDoubt(said);
};

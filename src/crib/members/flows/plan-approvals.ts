/** Asks a person once for a whole run of a declared flow, and starts the run with the answer. */
import type { Approver } from '../../../contract/approver.ts';
import type { CallAs } from '../../../contract/call-options.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { StartFlowAs } from '../../../contract/flow.ts';
import type { PlanApproval } from '../../../contract/flow-plan.ts';
import type { RunPlan } from '../../../contract/flow-store.ts';
import type { Store } from '../../../contract/store.ts';
import type { DataFlows } from '../../../flow/declared/data-flows.ts';
import { stepFailure } from '../../../flow/turn.ts';
import { digestOf } from '../../../kit/data/canonical-json.ts';
import { PLAN_TOOL } from '../../../pipeline/approval/plan-tool.ts';
import type { Engine } from '../../../pipeline/engine.ts';
import { callerOf } from '../../../pipeline/new-call.ts';

export interface PlanApprovalDeps {
  readonly data: Pick<DataFlows, 'question'>;
  readonly engine: Pick<Engine, 'approvePlan'>;
  readonly store: Pick<Store, 'approvals' | 'flows'>;
}

interface PlanRequest {
  readonly flow: string;
  readonly input: unknown;
  readonly as: CallAs;
}

/** Leaves the question in the inbox, because a plan is reviewed before its run starts. */
const LATER: Approver = { ask: async () => ({ answer: 'later', by: '' }) };

const questionOf = ({ flow, input, as }: PlanRequest, { data }: PlanApprovalDeps) => {
  const version = as.version === undefined ? {} : { version: as.version };
  return data.question(flow, input, { ...callerOf(as), ...version });
};

const nothingToApprove = (): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', 'No call of this plan can be approved before it is made.', {
    suggestions: ['Start the run: what asks a person then is shown by the plan.'],
  });

/** Requests approval of a plan in the inbox. */
export const requestPlanApproval = async (
  request: PlanRequest,
  deps: PlanApprovalDeps,
): Promise<PlanApproval> => {
  const question = await questionOf(request, deps);
  if (question.calls.length === 0) throw nothingToApprove();
  const as = { ...callerOf(request.as), approver: LATER };
  const { approval, error } = await deps.engine.approvePlan(question, as);
  if (!approval) throw error ? stepFailure(error) : new ToolFailure('INTERNAL');
  const { flow, version, digest, asks, calls } = question;
  return { ...approval, flow, version, digest, asks, calls: calls.length };
};

const changed = (): ToolFailure =>
  new ToolFailure(
    'CONFLICT',
    'The approval is for another plan: the flow, its input, its caller, its tools or what they lead to has changed.',
    { suggestions: ['Plan the run again, and ask for the approval of that plan.'] },
  );

const unusable = (message: string): ToolFailure =>
  new ToolFailure('APPROVAL_EXPIRED', message, {
    suggestions: ['Ask for an approval of the plan again.'],
  });

interface PlannedStart extends PlanRequest {
  readonly as: StartFlowAs;
  readonly approvalId: string;
}

/** Finds the run that an earlier start with the same id and approval has made. */
const earlierStart = async (
  { as: { runId }, approvalId }: PlannedStart,
  { store }: PlanApprovalDeps,
): Promise<{ readonly plan: RunPlan; readonly version: string } | undefined> => {
  const run = runId === undefined ? undefined : await store.flows.get(runId);
  return run?.plan?.approvalId === approvalId
    ? { plan: run.plan, version: run.version }
    : undefined;
};

/**
 * Uses an approval for one run. Rejects with CONFLICT when the plan has changed, and with
 * APPROVAL_EXPIRED when the approval was used, was not given, has expired, or belongs to another user.
 */
export const redeemPlanApproval = async (
  start: PlannedStart,
  deps: PlanApprovalDeps,
): Promise<{ readonly plan: RunPlan; readonly version: string }> => {
  const earlier = await earlierStart(start, deps);
  if (earlier) return earlier;
  const { approvalId } = start;
  const caller = callerOf(start.as);
  const record = await deps.store.approvals.get(approvalId);
  if (record?.tool !== PLAN_TOOL || record.userId !== caller.userId) {
    throw unusable('There is no such approval of a plan.');
  }
  const question = await questionOf(start, deps);
  if (digestOf(question) !== record.inputDigest) throw changed();
  if (record.edited) throw unusable('The plan was edited when it was approved: it is another one.');
  if (record.state === 'waiting') throw unusable('Nobody has approved the plan yet.');
  if (record.state === 'used') throw unusable('The approval was used for a run already.');
  const { success, error } = await deps.engine.approvePlan(question, { ...caller, approvalId });
  if (!success) throw error ? stepFailure(error) : unusable('Nobody has approved the plan yet.');
  return { plan: { approvalId, digest: question.digest }, version: question.version };
};

/**
 * Asks a person where the grant says so; nobody is asked about a call that the budget cannot cover or
 * whose program may not run. After the wait the rules are judged again: they may have changed meanwhile. An
 * input that the approver edited passes the earlier gates like one that was sent.
 */
import type { EditedInput } from '../../contract/approver.ts';
import type {
  Admission,
  ApprovedPath,
  Call,
  Estimate,
  Evidence,
  Next,
  ReadyTool,
} from '../../contract/call.ts';
import type { Policy } from '../../contract/policy.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Stage } from '../../contract/stage.ts';
import type { Tool } from '../../contract/tool.ts';
import type { ResolvedTargets } from '../../governance/approvals/call-targets.ts';
import type { SessionLabels } from '../../governance/labels/session-labels.ts';
import { ownCopy } from '../../governance/own-copy.ts';
import type { Redactor } from '../../governance/redaction/redaction.ts';
import type { ApprovalService } from '../approval/approval-service.ts';
import type { Approved } from '../approval/call-bindings.ts';
import { coveredTargets } from '../approval/plan-cover.ts';
import { budgetRefusal } from '../budget/budget-refusal.ts';
import type { Budgeting } from '../budget/budgeting.ts';
import { callAndParents } from '../call-and-parents.ts';
import { failed } from '../outcome.ts';
import { prove } from '../pipeline.ts';
import { recordInput } from '../record/audit-entry.ts';
import { flowOf, judge, questionOf } from './authorize.ts';

/** Takes an edited input through the gates again, from its validation to its preconditions. */
export type Recheck = (call: Call<'ready'>, next: Next<Ready>) => Promise<ToolResult>;

export interface ApproveDeps {
  readonly approvalService: ApprovalService;
  readonly policy: Policy;
  readonly labels: SessionLabels;
  readonly budgeting: Budgeting;
  readonly redactor: Redactor;
  readonly runtime: Pick<Runtime, 'elapsed' | 'now'>;
  readonly recheck: Recheck;
  /** Computes the digest of the tool's definition. */
  definitionOf(ready: ReadyTool): string;
  /** Resolves what the input leads to. */
  resolveTargets(tool: Tool, input: unknown): Promise<ResolvedTargets>;
  /** Returns the refusal of a call whose program may not run, whatever a person would say. */
  refusedProgram(call: Call<'ready' | 'input'>): Promise<ToolResult | undefined>;
}

type Ready = Call<'ready' | 'input' | 'grant' | 'preconditions'>;
type Onward = Next<Call<'ready' | 'input' | 'grant' | 'preconditions' | 'approval'>>;

const deniedByPolicyNow = async (
  call: Ready,
  deps: ApproveDeps,
): Promise<ToolResult | undefined> => {
  const question = questionOf(call, await flowOf(call, deps));
  const verdict = judge(deps.policy, { ...question, input: ownCopy(call.input) });
  if (verdict.effect !== 'deny') return undefined;
  return failed(call, 'PERMISSION_DENIED', { message: `${verdict.reason} (rule ${verdict.rule})` });
};

const overBudget = async (
  call: Ready,
  estimate: Estimate,
  budgeting: Budgeting,
): Promise<ToolResult | undefined> => {
  const outcome = await budgeting.covers(call, estimate);
  return outcome.ok ? undefined : budgetRefusal(call, outcome);
};

const continueApproved = async (
  call: Ready,
  approved: Approved & { readonly next: Onward },
  deps: ApproveDeps,
): Promise<ToolResult> => {
  const { by, next } = approved;
  const denied = await deniedByPolicyNow(call, deps);
  if (denied) return denied;
  const confirmed = await deps.approvalService.confirm(call, approved);
  if ('result' in confirmed) return confirmed.result;
  const { resolved, askedAt } = confirmed;
  return next(prove(call, 'approval', { by, ...resolved, askedAt }));
};

/** Replaces the input, keeps the one that was sent on record, and starts over from validation. */
const continueWithEditedInput = (
  call: Ready,
  approved: Approved & { readonly next: Onward; readonly edited: EditedInput },
  deps: ApproveDeps,
): Promise<ToolResult> => {
  const askedInput = recordInput(call, deps.redactor);
  call.notes.decision = { ...call.notes.decision, askedInput };
  call.notes.recordedInput = undefined;
  call.notes.summary = undefined;
  (call as { rawInput: unknown }).rawInput = approved.edited.input;
  return deps.recheck(call, (checked) => continueApproved(checked, approved, deps));
};

const proceed = (
  call: Ready,
  approved: Approved & { readonly next: Onward },
  deps: ApproveDeps,
): Promise<ToolResult> => {
  const { by: approvedBy, approvalId, edited } = approved;
  call.notes.decision = { ...call.notes.decision, approvedBy, approvalId };
  return edited
    ? continueWithEditedInput(call, { ...approved, edited }, deps)
    : continueApproved(call, approved, deps);
};

/** Asks, and notes how long the answer took, also for the calls that made this one. */
const askPerson = async (
  call: Ready,
  estimate: Estimate,
  { approvalService, runtime }: ApproveDeps,
) => {
  const from = runtime.elapsed();
  const answer = await approvalService.ask(call, estimate);
  const waitedMs = runtime.elapsed() - from;
  for (const each of callAndParents(call)) {
    each.notes.waitedMs += waitedMs;
  }
  return answer;
};

/** Returns the approval of a call that was approved with the plan of its flow; `undefined` for any other. */
const byPlan = async (
  call: Ready,
  deps: ApproveDeps,
): Promise<Evidence['approval'] | undefined> => {
  const { planConsent: plan } = call.options;
  if (!plan) return undefined;
  const { ready, input } = call;
  const resolved = await coveredTargets(call, plan, {
    definition: deps.definitionOf(ready),
    policyVersion: deps.policy.version,
    now: deps.runtime.now(),
    resolveTargets: () => deps.resolveTargets(ready.tool, input),
  });
  if (!resolved) return undefined;
  const { approvalId: planApprovalId, by: approvedBy } = plan;
  call.notes.decision = { ...call.notes.decision, approvedBy, planApprovalId };
  // Their content is left out: earlier steps of the run may have changed it.
  return { by: approvedBy, targets: resolved.targets, paths: withoutStates(resolved.paths) };
};

const settle = async (judged: Ready, next: Onward, deps: ApproveDeps): Promise<ToolResult> => {
  // A copy that nothing else refers to: what is shown is what is bound and what runs.
  const call = prove(judged, 'input', ownCopy(judged.input));
  const estimate = deps.budgeting.estimate(call);
  const refused =
    (await deps.refusedProgram(call)) ?? (await overBudget(call, estimate, deps.budgeting));
  if (refused) return refused;
  const { approvalId } = call.options;
  const planned = approvalId === undefined ? await byPlan(call, deps) : undefined;
  if (planned) return next(prove(call, 'approval', planned));
  const answer =
    approvalId === undefined
      ? await askPerson(call, estimate, deps)
      : await deps.approvalService.redeem(call, approvalId);
  return 'result' in answer ? answer.result : proceed(call, { ...answer, next }, deps);
};

const withoutStates = (paths: readonly ApprovedPath[]): readonly ApprovedPath[] =>
  paths.map(({ asked, real }) => ({ asked, real }));

/**
 * Binds a call that a standing grant let pass to where its paths led at that time; it may write other files,
 * too. Contents are left out: no person looked at them, and parallel calls may save the file.
 */
const withoutPerson = ({ paths }: Admission): Evidence['approval'] =>
  paths ? { by: 'standing grant', targets: [], paths: withoutStates(paths) } : 'not-needed';

export const approve = (
  deps: ApproveDeps,
): Stage<'ready' | 'input' | 'grant' | 'preconditions', 'approval'> =>
  function approve(call, next) {
    if (!call.grant.ask || call.options.dryRun) {
      return next(prove(call, 'approval', withoutPerson(call.grant)));
    }
    return settle(call, next, deps);
  };

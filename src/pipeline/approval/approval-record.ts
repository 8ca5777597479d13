/** Makes the record of a question, and what a person is shown before deciding. */
import type { ApprovalRecord, ApprovalRequest } from '../../contract/approver.ts';
import type { Estimate } from '../../contract/call.ts';
import { callSummary } from '../../contract/call-summary.ts';
import { MICROS_PER_USD } from '../../contract/tool-cost.ts';
import { type Binding, callKeyOf, shownTargets } from '../../governance/approvals/binding.ts';
import { ownCopy } from '../../governance/own-copy.ts';
import type { Redactor } from '../../governance/redaction/redaction.ts';
import { durableStepOf } from '../durable-work.ts';
import { recordInput } from '../record/audit-entry.ts';
import type { JudgedCall } from './call-bindings.ts';

export interface Question extends Pick<ApprovalRecord, 'id' | 'createdAt' | 'expiresAt'> {
  readonly binding: Binding;
  readonly estimate: Estimate;
  readonly reason: string;
}

/** Makes the request for a person. The input is exact: redaction would hide what is decided. */
const requestOf = (
  { caller, input, ready, grant }: JudgedCall,
  { id, binding, estimate, reason, expiresAt }: Question,
): ApprovalRequest => ({
  id,
  caller,
  tool: ready.tool.name,
  version: ready.tool.version,
  description: ready.tool.description,
  tier: grant.tier,
  action: grant.capability?.action ?? ready.tool.name,
  input: ownCopy(input),
  estimatedCost: estimate.costMicros / MICROS_PER_USD,
  estimatedTime: estimate.timeMs,
  effects: (ready.tool.effects ?? []).map(({ description }) => description),
  targets: shownTargets(binding.targets),
  reason,
  rule: grant.rule,
  definition: binding.definition,
  rememberable: !grant.everyTime,
  expiresAt,
});

/** Makes the record of a question that waits for an answer. */
export const approvalRecord = (
  call: JudgedCall,
  question: Question,
  redactor: Redactor,
): ApprovalRecord => {
  const { id, binding, createdAt, expiresAt } = question;
  const request = requestOf(call, question);
  const { tool, action } = request;
  const targets = request.targets.map((target) => redactor.text(target));
  const within = call.parent?.toolName;
  const step = durableStepOf(call);
  const asker = { ...(within !== undefined && { within }), ...(step !== undefined && { step }) };
  return {
    ...binding,
    ...asker,
    callKey: callKeyOf(binding, asker),
    summary: callSummary({ tool, action, targets, input: recordInput(call, redactor) }),
    id,
    createdAt,
    expiresAt,
    state: 'waiting',
    request,
  };
};

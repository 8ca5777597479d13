/** What a person is shown before deciding. The input is exact: redaction would hide what is decided. */
import type { ApprovalRequest } from '../../contract/approver.ts';
import type { Call, Estimate } from '../../contract/call.ts';
import { type Binding, shownTargets } from '../../governance/approvals/binding.ts';
import { MICROS_PER_USD } from '../../governance/ledger/estimate-cost.ts';
import { ownCopy } from '../../governance/own-copy.ts';

export interface Asked extends Pick<Binding, 'targets' | 'definition'> {
  readonly id: string;
  readonly estimate: Estimate;
  readonly reason: string;
  readonly expiresAt: number;
}

export const approvalRequest = (
  { caller, input, ready, grant }: Call<'ready' | 'input' | 'grant'>,
  { estimate, ...asked }: Asked,
): ApprovalRequest => ({
  id: asked.id,
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
  targets: shownTargets(asked.targets),
  reason: asked.reason,
  rule: grant.rule,
  definition: asked.definition,
  rememberable: !grant.everyTime,
  expiresAt: asked.expiresAt,
});

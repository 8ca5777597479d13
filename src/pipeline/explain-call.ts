/** Explains what becomes of a call: by the rules, the permissions it needs and the grants that answer. */
import type { Call, ReadyTool } from '../contract/call.ts';
import type { Explanation, FlowState, Policy, Verdict } from '../contract/policy.ts';
import { missingPermissions } from '../governance/policy/rights.ts';
import type { GrantSearch, StandingGrants } from './approval/standing-grants.ts';
import { isOffList, judge, NOT_LISTED, questionOf } from './stages/authorize.ts';

export interface ExplainDeps {
  readonly policy: Policy;
  readonly standingGrants: Pick<StandingGrants, 'forCall'>;
  definitionOf(ready: ReadyTool): string;
}

const lackOf = (permission: string): Verdict => ({
  effect: 'deny',
  rule: 'permission-missing',
  reason: `The caller does not hold the permission ${permission}.`,
});

/** Lets a grant answer where a person would be asked; never where a rule denies. */
const answered = (verdict: Verdict, tool: string, grantFor: GrantSearch): Verdict => {
  if (verdict.effect !== 'ask' || verdict.everyTime) return verdict;
  const grant = grantFor(`tool:${tool}`, true);
  if (!grant) return verdict;
  const reason = `The standing grant ${grant.id} answers for a person: ${verdict.reason}`;
  return { effect: 'allow', rule: verdict.rule, reason };
};

export const explainCall = async (
  call: Call<'ready' | 'input'>,
  flow: FlowState,
  { policy, standingGrants, definitionOf }: ExplainDeps,
): Promise<Explanation> => {
  const question = questionOf(call, flow);
  const { verdict, considered } = policy.explain?.(question) ?? {
    verdict: judge(policy, question),
    considered: [],
  };
  if (isOffList(call)) return { verdict: NOT_LISTED, considered };
  if (verdict.effect === 'deny') return { verdict, considered };
  const { tool, caller } = question;
  const grantFor = await standingGrants.forCall(question, definitionOf(call.ready));
  const rights = policy.rightsOf?.(caller) ?? caller;
  const lacking = missingPermissions(tool, rights).find((permission) => !grantFor(permission));
  if (lacking !== undefined) return { verdict: lackOf(lacking), considered };
  return { verdict: answered(verdict, tool.name, grantFor), considered };
};

/** Explains what becomes of a call: by the rules, the permissions it needs and the grants that answer. */
import type { Call, ReadyTool } from '../contract/call.ts';
import type { Caller } from '../contract/caller.ts';
import type { Explanation, FlowState, Policy, Verdict } from '../contract/policy.ts';
import type { Tool } from '../contract/tool.ts';
import { isListed, missingPermissions } from '../governance/policy/rights.ts';
import type { GrantSearch, StandingGrants } from './approval/standing-grants.ts';
import { isOffList, judge, NOT_LISTED, questionOf } from './stages/authorize.ts';

export interface ExplainDeps {
  readonly policy: Policy;
  readonly standingGrants: Pick<StandingGrants, 'forCall'>;
  definitionOf(ready: ReadyTool): string;
}

interface RightsDeps extends Pick<ExplainDeps, 'policy'> {
  readonly standingGrants: Pick<StandingGrants, 'hasFor'>;
  readonly now: number;
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

/**
 * Says what a caller lacks for any call of a tool, whatever its input: a place on its list, or a permission
 * for which there is no grant. Whether a grant covers a call depends on its input.
 */
export const explainRights = async (
  tool: Tool,
  caller: Caller,
  { policy, standingGrants, now }: RightsDeps,
): Promise<Verdict | undefined> => {
  if (!isListed(caller, tool.name)) return NOT_LISTED;
  for (const permission of missingPermissions(tool, policy.rightsOf?.(caller) ?? caller)) {
    if (!(await standingGrants.hasFor(permission, now))) return lackOf(permission);
  }
  return undefined;
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

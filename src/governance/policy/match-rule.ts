/**
 * Matches rules with calls. Judging and explaining use the same functions, so that they cannot
 * disagree. The answers are constants: nothing is allocated for a call.
 */
import type { Caller } from '../../contract/caller.ts';
import type { PolicyQuestion } from '../../contract/policy.ts';
import { TIERS } from '../../contract/tool.ts';
import { matchesWildcard } from '../../kit/text/wildcard.ts';
import type { CallFacts } from './condition/call-facts.ts';
import type { Rule, RuleMatch } from './rule.ts';

export interface Fit {
  readonly matched: boolean;
  /** True when it counts although its condition could not be evaluated. */
  readonly doubtful: boolean;
  readonly why: string;
}

const no = (why: string): Fit => ({ matched: false, doubtful: false, why });

const FITS: Fit = { matched: true, doubtful: false, why: 'everything it asks for fits' };
const DOUBTFUL: Fit = {
  matched: true,
  doubtful: true,
  why: 'its condition could not be evaluated, which counts against the call',
};
const UNPROVEN = no('its condition could not be evaluated, which allows nothing');
const NOT_CONDITION = no('its condition does not hold');
const NOT_TOOL = no('it is for other tools');
const NOT_TIER = no('it is for other tiers');
const NOT_ACTION = no('it is for other actions');
const NOT_SOURCE = no('it is for tools from other sources');
const NOT_CALLER = no('it is for other callers');
export const VOID = no('a project can only narrow: its rules that allow do not count');

/** Matches a name with a pattern, in which `*` matches any characters. */
export const matchesName = (pattern: string, name: string): boolean =>
  matchesWildcard(pattern.split('*'), name);

/** Matches tool and tier, which the index is built by. */
export const fitsTool = (rule: Rule, name: string, tier: string): Fit => {
  const { tools, tiers } = rule;
  if (tools && !tools.some((pattern) => matchesName(pattern, name))) return NOT_TOOL;
  const allowedTiers: readonly string[] = tiers ?? TIERS;
  return allowedTiers.includes(tier) ? FITS : NOT_TIER;
};

/** Matches the action. An unknown action may be any that the tool has: enough to refuse. */
const fitsAction = ({ actions, effect }: Rule, { tool, capability }: PolicyQuestion): boolean => {
  if (!actions) return true;
  if (capability) return actions.includes(capability.action);
  return effect !== 'allow' && tool.capabilities.some(({ action }) => actions.includes(action));
};

/**
 * Matches a name of a caller. A name that a caller chose itself is qualified by the identity that
 * was proven, `identity/name`: without it nothing is allowed, but a rule against the plain name
 * holds.
 */
const isNamed = (names: readonly string[], name: string, isAgainst: boolean): boolean =>
  names.includes(name) || (isAgainst && names.includes(name.slice(name.indexOf('/') + 1)));

const fitsCaller = (
  callers: NonNullable<RuleMatch['callers']>,
  caller: Caller,
  effect: Rule['effect'],
): boolean => {
  const { users, roles, agents, sessions } = callers;
  const isAgainst = caller.authenticated !== undefined && effect !== 'allow';
  if (users && !users.includes(caller.userId)) return false;
  if (agents && !isNamed(agents, caller.agentId, isAgainst)) return false;
  if (sessions && !isNamed(sessions, caller.sessionId, isAgainst)) return false;
  return !roles || caller.roles.some((role) => roles.includes(role));
};

/** Matches all but tool and tier, which must fit already. */
export const fitsCall = (rule: Rule, question: PolicyQuestion, facts?: CallFacts): Fit => {
  const { sources, callers, condition } = rule;
  if (sources && !sources.includes(question.tool.source)) return NOT_SOURCE;
  if (callers && !fitsCaller(callers, question.caller, rule.effect)) return NOT_CALLER;
  if (!fitsAction(rule, question)) return NOT_ACTION;
  if (!condition) return FITS;
  try {
    return condition.holds(question, facts) ? FITS : NOT_CONDITION;
  } catch {
    return rule.effect === 'allow' ? UNPROVEN : DOUBTFUL;
  }
};

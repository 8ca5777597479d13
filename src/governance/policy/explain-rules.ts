/** How every rule looks at a call, in the order in which rules are considered. */
import type { ConsideredRule, PolicyQuestion, Rights } from '../../contract/policy.ts';
import { CallFacts } from './condition/call-facts.ts';
import { type Fit, fitsCall, fitsTool, VOID } from './match-rule.ts';
import type { Rule } from './rule.ts';

const fitOf = (rule: Rule, question: PolicyQuestion, facts: CallFacts): Fit => {
  if (rule.role === 'void') return VOID;
  const fit = fitsTool(rule, question.tool.name, question.tier);
  return fit.matched ? fitsCall(rule, question, facts) : fit;
};

export const explainRules = (
  rules: readonly Rule[],
  question: PolicyQuestion,
  rights: Rights,
): readonly ConsideredRule[] => {
  const facts = new CallFacts(question, rights);
  return rules.map((rule): ConsideredRule => {
    const { name, effect, origin, shadow } = rule;
    const { matched, why } = fitOf(rule, question, facts);
    return { rule: name, effect, origin, matched, why, shadow };
  });
};

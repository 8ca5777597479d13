/**
 * Judges calls by compiled rules. Of the choices (the user's rules, then the built-in ones) a deny
 * wins, otherwise the first that fits decides, and silence is a deny. Guards (a project's rules,
 * data flow, isolation) are judged afterwards, and the strictest of all answers counts: no rule
 * that allows can hide a guard. Permissions that a tool names are not judged here: a standing grant
 * may give one, and the stage that knows the grants checks them.
 */
import type {
  ConsideredRule,
  Policy,
  PolicyQuestion,
  Rights,
  ShadowFinding,
  Verdict,
} from '../../contract/policy.ts';
import { CallFacts } from './condition/call-facts.ts';
import { type Fit, fitsCall, fitsTool, VOID } from './match-rule.ts';
import { type Roles, rightsOf } from './rights.ts';
import { BUILT_IN, DEFAULT_DENY, type Outcome, type Rule } from './rule.ts';
import { type LevelRules, type Plan, RuleIndex } from './rule-index.ts';

/** Matches one rule with a call, for an explanation. */
const fitOf = (rule: Rule, question: PolicyQuestion, facts: CallFacts): Fit => {
  if (rule.role === 'void') return VOID;
  const fit = fitsTool(rule, question.tool.name, question.tier);
  return fit.matched ? fitsCall(rule, question, facts) : fit;
};

const explainRules = (
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

export interface CompiledPolicy extends Required<Policy> {
  /** What was ignored, with its origin. */
  readonly warnings: readonly string[];
}

export interface CompiledRules {
  readonly version: string;
  /** Choices and guards, in the order in which they are considered. */
  readonly rules: readonly Rule[];
  readonly levels: LevelRules;
  readonly roles: Roles;
  readonly warnings: readonly string[];
}

const outcomeOf = (rule: Rule, fit: Fit): Outcome => (fit.doubtful ? rule.unsure : rule.sure);

const firstOf = (
  rules: readonly Rule[],
  question: PolicyQuestion,
  facts?: CallFacts,
): Outcome | undefined => {
  for (const rule of rules) {
    const fit = fitsCall(rule, question, facts);
    if (fit.matched) return outcomeOf(rule, fit);
  }
  return undefined;
};

/** Decides a call by its plan: choices first, then the guards that are stricter. */
const settle = (plan: Plan, question: PolicyQuestion, facts?: CallFacts): Outcome => {
  let settled =
    firstOf(plan.denies, question, facts) ?? firstOf(plan.choices, question, facts) ?? DEFAULT_DENY;
  for (const rule of plan.guards) {
    if (rule.sure.severity <= settled.severity) continue;
    const fit = fitsCall(rule, question, facts);
    if (fit.matched) settled = outcomeOf(rule, fit);
  }
  return settled;
};

/** Tells whether a shadow rule would be stricter; an `ask` after the deciding rule would not. */
const wouldWorsen = ({ effect, role, sure }: Rule, settled: Outcome): boolean => {
  if (effect === 'deny') return settled.severity < 3;
  return settled.severity === 0 && (role === 'guard' || sure.order < settled.order);
};

const findingsOf = (plan: Plan, settled: Outcome, look: (rule: Rule) => Fit): ShadowFinding[] =>
  plan.shadows
    .filter((rule) => wouldWorsen(rule, settled))
    .map((rule) => ({ rule, fit: look(rule) }))
    .filter(({ fit }) => fit.matched)
    .map(({ rule, fit }) => outcomeOf(rule, fit).verdict)
    .map(({ rule, effect, reason }) => ({ rule, effect, reason }));

/**
 * Tells whether a rule reads the labels of the session. Built-in rules read them only for sinks, where
 * they are always loaded.
 */
const looksAtFlow = ({ origin, condition }: Rule): boolean =>
  origin !== BUILT_IN && condition !== undefined && /\bflow\b/.test(condition.text);

/** Compares by identity: another object is judged again. */
const isSame = (one: PolicyQuestion, other: PolicyQuestion): boolean =>
  one.tool === other.tool &&
  one.tier === other.tier &&
  one.capability === other.capability &&
  one.caller === other.caller &&
  one.flow === other.flow;

class PolicyEngine implements CompiledPolicy {
  readonly version: string;
  readonly warnings: readonly string[];
  readonly readsFlow: boolean;
  /** The last verdict, because agents call the same tool many times in a row. */
  #last: { readonly question: PolicyQuestion; readonly verdict: Verdict } | undefined = undefined;
  readonly #compiled: CompiledRules;
  readonly #index: RuleIndex;

  constructor(compiled: CompiledRules) {
    this.version = compiled.version;
    this.warnings = compiled.warnings;
    this.readsFlow = compiled.rules.some(looksAtFlow);
    this.#compiled = compiled;
    this.#index = new RuleIndex(compiled.rules, compiled.levels);
  }

  rightsOf: CompiledPolicy['rightsOf'] = (caller) => rightsOf(this.#compiled.roles, caller);

  judge: CompiledPolicy['judge'] = (question) => {
    const last = this.#last;
    if (last && isSame(last.question, question)) return last.verdict;
    return this.#judge(question);
  };

  #judge(question: PolicyQuestion): Verdict {
    const { tool, tier, caller } = question;
    const rights = rightsOf(this.#compiled.roles, caller);
    const plan = this.#index.planFor(tool.name, tier, rights.isolation);
    const facts = plan.usesFacts ? new CallFacts(question, rights) : undefined;
    const settled = settle(plan, question, facts);
    const verdict = plan.asksEveryTime ? settled.isolated : settled.verdict;
    if (plan.shadows.length === 0) {
      // No rule read the input or the time: the same question has the same answer.
      if (!plan.usesFacts) this.#last = { question, verdict };
      return verdict;
    }
    const shadow = findingsOf(plan, settled, (rule) => fitsCall(rule, question, facts));
    return shadow.length > 0 ? { ...verdict, shadow } : verdict;
  }

  explain: CompiledPolicy['explain'] = (question) => {
    const { rules, levels, roles } = this.#compiled;
    const rights = rightsOf(roles, question.caller);
    const applying = [...rules, ...levels[rights.isolation]];
    return {
      verdict: this.judge(question),
      considered: explainRules(applying, question, rights),
    };
  };
}

/** Makes a policy from compiled rules. */
export const policyEngine = (compiled: CompiledRules): CompiledPolicy => new PolicyEngine(compiled);

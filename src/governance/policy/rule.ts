/** A compiled rule: what it matches, and the verdicts it can give, made once and shared. */
import type { RuleEffect, Verdict } from '../../contract/policy.ts';
import type { Condition } from './condition/call-facts.ts';
import type { PolicyRule } from './document/policy-document.ts';

/** The origin of the rules that ship. */
export const BUILT_IN = 'built in';

/** The decision of a rule. Shared between calls, hence frozen. */
export interface Outcome {
  /** The strictest of several wins: allow, ask, ask every time, deny. */
  readonly severity: 0 | 1 | 2 | 3;
  /** Its position among the choices, of which the first that fits decides. */
  readonly order: number;
  readonly verdict: Verdict;
  /** The verdict when isolation excludes standing grants. */
  readonly isolated: Verdict;
}

/**
 * `choice`: deny wins, otherwise the first that fits decides. `guard`: the strictest of the choice
 * and all guards wins. `void`: listed by `explain`, never counted.
 */
export type RuleRole = 'choice' | 'guard' | 'void';

/** What a rule matches; `tools` may hold `*`. */
export type RuleMatch = Pick<PolicyRule, 'tools' | 'tiers' | 'actions' | 'sources' | 'callers'>;

export interface Rule extends RuleMatch {
  readonly name: string;
  readonly effect: RuleEffect;
  readonly role: RuleRole;
  readonly shadow: boolean;
  readonly origin: string;
  readonly condition: Condition | undefined;
  readonly sure: Outcome;
  /** The outcome when the condition could not be evaluated: doubt counts against the call. */
  readonly unsure: Outcome;
}

/** The text of a rule. */
export interface RuleText extends Readonly<Omit<PolicyRule, 'when' | 'tiers'>> {
  readonly tiers?: readonly string[] | undefined;
}

export interface RuleLocation {
  readonly role: RuleRole;
  readonly shadow: boolean;
  readonly origin: string;
  readonly order: number;
  readonly condition: Condition | undefined;
}

const SAYS: Readonly<Record<RuleEffect, string>> = {
  allow: 'allows this call',
  ask: 'wants a person to agree to this call',
  deny: 'forbids this call',
};

const severityOf = ({ effect, everyTime }: RuleText): Outcome['severity'] => {
  if (effect === 'allow') return 0;
  if (effect === 'deny') return 3;
  return everyTime ? 2 : 1;
};

const outcomeOf = (text: RuleText, order: number, doubt: string): Outcome => {
  const { name: rule, effect } = text;
  const reason = `${text.reason ?? `The rule ${rule} ${SAYS[effect]}.`}${doubt}`;
  const plain = Object.freeze({ effect, rule, reason });
  const everyTime = Object.freeze({ ...plain, everyTime: true });
  const severity = severityOf(text);
  const verdict = severity === 2 ? everyTime : plain;
  const isolated = effect === 'ask' ? everyTime : plain;
  return Object.freeze({ severity, order, verdict, isolated });
};

export const makeRule = (text: RuleText, place: RuleLocation): Rule => {
  const { order, ...rest } = place;
  const { name, effect, tools, tiers, actions, sources, callers } = text;
  return {
    ...rest,
    name,
    effect,
    tools,
    tiers: tiers as RuleMatch['tiers'],
    actions,
    sources,
    callers,
    sure: outcomeOf(text, order, ''),
    unsure: outcomeOf(text, order, ' (Its condition could not be evaluated.)'),
  };
};

/** The outcome when no rule fits. */
export const DEFAULT_DENY: Outcome = outcomeOf(
  { name: 'default-deny', effect: 'deny', reason: 'No rule fits this call.' },
  Number.POSITIVE_INFINITY,
  '',
);

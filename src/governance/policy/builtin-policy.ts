/** Compiles the rules that ship, and the policy that consists of them alone. */
import type { Isolation } from '../../contract/caller.ts';
import { digestOf } from '../../kit/data/canonical-json.ts';
import {
  type BuiltinRule,
  type FlowMode,
  flowRules,
  ISOLATION_LEVELS,
  TIER_RULES,
} from './builtin-rules.ts';
import { nativeCondition } from './condition/native-conditions.ts';
import { type CompiledPolicy, policyEngine } from './policy-engine.ts';
import { BUILT_IN, makeRule, type Rule, type RuleRole } from './rule.ts';
import type { LevelRules } from './rule-index.ts';

const builtinRule = (rule: BuiltinRule, role: RuleRole, order: number): Rule => {
  const condition = rule.when === undefined ? undefined : nativeCondition(rule.when);
  return makeRule(rule, { role, order, condition, shadow: false, origin: BUILT_IN });
};

/** Makes the tier rules, ordered after `before` other rules. */
export const tierRules = (before: number): readonly Rule[] =>
  TIER_RULES.map((rule, index) => builtinRule(rule, 'choice', before + index));

export const flowGuards = (mode: FlowMode): readonly Rule[] =>
  flowRules(mode).map((rule) => builtinRule(rule, 'guard', 0));

const levelRules = (isolation: Isolation): readonly Rule[] =>
  ISOLATION_LEVELS[isolation].rules.map((rule) => builtinRule(rule, 'guard', 0));

export const isolationGuards = (): LevelRules => ({
  none: levelRules('none'),
  basic: levelRules('basic'),
  strict: levelRules('strict'),
  paranoid: levelRules('paranoid'),
});

/** Returns a version that differs when the documents or the built-in rules differ. */
export const policyVersion = (documents: unknown): string =>
  digestOf({ documents, tiers: TIER_RULES, flow: flowRules('ask'), levels: ISOLATION_LEVELS });

/** Names that no other rule may have. */
export const BUILTIN_NAMES: readonly string[] = [
  ...TIER_RULES,
  ...flowRules('ask'),
  ...ISOLATION_LEVELS.paranoid.rules,
]
  .map(({ name }) => name)
  .concat('permission-missing', 'default-deny', 'policy-error');

/** Makes the policy without any file: tiers, permissions, data flow and isolation. */
export const builtinPolicy = (flow: FlowMode = 'ask'): CompiledPolicy =>
  policyEngine({
    version: policyVersion({ flow }),
    rules: [...tierRules(0), ...flowGuards(flow)],
    levels: isolationGuards(),
    roles: new Map(),
    warnings: [],
  });

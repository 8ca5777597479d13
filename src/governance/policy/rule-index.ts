/**
 * Finds the rules that can concern a call, by tool, tier and isolation, and keeps them, so that
 * judging reads only these few.
 */
import type { Isolation } from '../../contract/caller.ts';
import { BoundedMap } from '../../kit/data/bounded-map.ts';
import { ISOLATION_LEVELS } from './builtin-rules.ts';
import { fitsTool, matchesName } from './match-rule.ts';
import type { Rule } from './rule.ts';

export interface Plan {
  readonly denies: readonly Rule[];
  /** Those that allow or ask, in order. */
  readonly choices: readonly Rule[];
  readonly guards: readonly Rule[];
  readonly shadows: readonly Rule[];
  /** True when some rule has a condition that reads facts. */
  readonly usesFacts: boolean;
  readonly asksEveryTime: boolean;
}

/** The rules of a level apply to its callers only. */
export type LevelRules = Readonly<Record<Isolation, readonly Rule[]>>;

type PlansByTier = Map<string, Map<Isolation, Plan>>;

interface PlanKey {
  readonly name: string;
  readonly tier: string;
  readonly isolation: Isolation;
}

/** Tools come and go in a long run; above this number the index starts again. */
const MAX_NAMES = 20_000;

export class RuleIndex {
  readonly #rules: readonly Rule[];
  readonly #levels: LevelRules;
  /** Plans of all tools that no rule names. */
  readonly #general: PlansByTier = new Map();
  readonly #plansByName: BoundedMap<string, PlansByTier>;

  constructor(rules: readonly Rule[], levels: LevelRules, maxNames = MAX_NAMES) {
    this.#rules = rules.filter(({ role }) => role !== 'void');
    this.#levels = levels;
    this.#plansByName = new BoundedMap(maxNames);
  }

  planFor(name: string, tier: string, isolation: Isolation): Plan {
    const byTier = this.#plansByName.get(name) ?? this.#plansOf(name);
    return byTier.get(tier)?.get(isolation) ?? this.#planFor({ name, tier, isolation }, byTier);
  }

  #plansOf(name: string): PlansByTier {
    const isNamed = this.#rules.some(({ tools }) =>
      tools?.some((pattern) => matchesName(pattern, name)),
    );
    const byTier: PlansByTier = isNamed ? new Map() : this.#general;
    this.#plansByName.set(name, byTier);
    return byTier;
  }

  #planFor(key: PlanKey, byTier: PlansByTier): Plan {
    const plan = this.#build(key);
    const byIsolation = byTier.get(key.tier) ?? new Map<Isolation, Plan>();
    byIsolation.set(key.isolation, plan);
    byTier.set(key.tier, byIsolation);
    return plan;
  }

  #build({ name, tier, isolation }: PlanKey): Plan {
    const fitting = [...this.#rules, ...this.#levels[isolation]].filter(
      (rule) => fitsTool(rule, name, tier).matched,
    );
    const counting = fitting.filter(({ shadow }) => !shadow);
    const choices = counting.filter(({ role }) => role === 'choice');
    return {
      denies: choices.filter(({ effect }) => effect === 'deny'),
      choices: choices.filter(({ effect }) => effect !== 'deny'),
      guards: counting.filter(({ role }) => role === 'guard'),
      shadows: fitting.filter(({ shadow, effect }) => shadow && effect !== 'allow'),
      usesFacts: fitting.some(({ condition }) => condition?.usesFacts),
      asksEveryTime: ISOLATION_LEVELS[isolation].asksEveryTime,
    };
  }
}

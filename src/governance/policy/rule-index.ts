/**
 * Which rules can concern a call, by tool, tier and isolation, found once for each and kept. Judging
 * looks at these few and not at all.
 */
import type { Isolation } from '../../contract/caller.ts';
import { BoundedMap } from '../../kit/data/bounded-map.ts';
import { ISOLATION_LEVELS } from './isolation-levels.ts';
import { fitsTool, matchesName } from './match-rule.ts';
import type { Rule } from './rule.ts';

export interface Plan {
  readonly denies: readonly Rule[];
  /** Those that allow or ask, in order. */
  readonly choices: readonly Rule[];
  readonly guards: readonly Rule[];
  readonly shadows: readonly Rule[];
  /** Some rule has a condition that reads facts. */
  readonly usesFacts: boolean;
  readonly asksEveryTime: boolean;
}

/** The rules of a level apply to its callers only. */
export type LevelRules = Readonly<Record<Isolation, readonly Rule[]>>;

type ToolFamilies = Map<string, Map<Isolation, Plan>>;

interface Spot {
  readonly name: string;
  readonly tier: string;
  readonly isolation: Isolation;
}

/** Tools come and go in a long run; beyond this the index starts again. */
const MAX_NAMES = 20_000;

export class RuleIndex {
  readonly #rules: readonly Rule[];
  readonly #levels: LevelRules;
  /** For every tool that no rule names: one set of plans serves them all. */
  readonly #general: ToolFamilies = new Map();
  readonly #shelves: BoundedMap<string, ToolFamilies>;

  constructor(rules: readonly Rule[], levels: LevelRules, mostNames = MAX_NAMES) {
    this.#rules = rules.filter(({ role }) => role !== 'void');
    this.#levels = levels;
    this.#shelves = new BoundedMap(mostNames);
  }

  planFor(name: string, tier: string, isolation: Isolation): Plan {
    const shelf = this.#shelves.get(name) ?? this.#shelfFor(name);
    return shelf.get(tier)?.get(isolation) ?? this.#planFor({ name, tier, isolation }, shelf);
  }

  #shelfFor(name: string): ToolFamilies {
    const isNamed = this.#rules.some(({ tools }) =>
      tools?.some((pattern) => matchesName(pattern, name)),
    );
    const shelf: ToolFamilies = isNamed ? new Map() : this.#general;
    this.#shelves.set(name, shelf);
    return shelf;
  }

  #planFor(spot: Spot, shelf: ToolFamilies): Plan {
    const plan = this.#build(spot);
    const plans = shelf.get(spot.tier) ?? new Map<Isolation, Plan>();
    plans.set(spot.isolation, plan);
    shelf.set(spot.tier, plans);
    return plan;
  }

  #build({ name, tier, isolation }: Spot): Plan {
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

/** Searching rules; each keeps its place in the order, which is what counts. */
import type { Rule } from './policy-records.ts';

export interface PlacedRule {
  readonly rule: Rule;
  /** From 1. */
  readonly place: number;
}

const textOf = (rule: Rule): string =>
  [
    rule.id,
    rule.effect,
    rule.source,
    rule.condition ?? '',
    rule.reason ?? '',
    ...(rule.tools ?? []),
    ...(rule.tiers ?? []),
    rule.shadow ? 'shadow' : '',
  ]
    .join('\n')
    .toLowerCase();

/** Finds the rules that hold all the words. */
export const findRules = (rules: readonly Rule[], words: string): readonly PlacedRule[] => {
  const terms = words.toLowerCase().split(/\s+/).filter(Boolean);
  return rules
    .map((rule, index) => ({ rule, place: index + 1 }))
    .filter(({ rule }) => {
      const text = textOf(rule);
      return terms.every((word) => text.includes(word));
    });
};

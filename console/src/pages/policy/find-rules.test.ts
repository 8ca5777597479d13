import { describe, expect, it } from 'vitest';
import { findRules } from './find-rules.ts';
import type { Rule } from './policy-records.ts';

const RULES: readonly Rule[] = [
  {
    id: 'no-notes',
    effect: 'deny',
    source: 'policy.yml:3',
    tools: ['publish_note'],
    shadow: false,
  },
  { id: 'trial', effect: 'deny', source: 'policy.yml:8', condition: 'input.path', shadow: true },
  { id: 'tier-1-read', effect: 'allow', source: 'built in', tiers: ['read_only'], shadow: false },
];

describe('searching the rules', () => {
  const find = (words: string) =>
    findRules(RULES, words).map(({ rule, place }) => `${place} ${rule.id}`);

  it('keeps the order and the places, also of those found', () => {
    expect(find('')).toEqual(['1 no-notes', '2 trial', '3 tier-1-read']);
    expect(find('READ_ONLY')).toEqual(['3 tier-1-read']);
  });

  it('wants all the words, in any part of the rule', () => {
    expect(find('deny policy.yml')).toEqual(['1 no-notes', '2 trial']);
    expect(find('deny shadow')).toEqual(['2 trial']);
    expect(find('deny nothing')).toEqual([]);
  });
});

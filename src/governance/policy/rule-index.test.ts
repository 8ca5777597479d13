import { expect, it } from 'vitest';
import { isolationGuards } from './builtin-policy.ts';
import { makeRule } from './rule.ts';
import { RuleIndex } from './rule-index.ts';

const place = { role: 'choice', shadow: false, origin: 'x', condition: undefined } as const;
const rules = [
  makeRule({ name: 'git', effect: 'deny', tools: ['git*'] }, { ...place, order: 0 }),
  makeRule({ name: 'all', effect: 'allow' }, { ...place, order: 1 }),
];

it('the rule index keeps one plan for all tools that no rule names', () => {
  const index = new RuleIndex(rules, isolationGuards());
  expect(index.planFor('a', 'write', 'none')).toBe(index.planFor('b', 'write', 'none'));
  expect(index.planFor('git', 'write', 'none').denies).toHaveLength(1);
  expect(index.planFor('a', 'write', 'none')).not.toBe(index.planFor('a', 'write', 'strict'));
});

it('the rule index starts again after too many names, and gives the same answers', () => {
  const index = new RuleIndex(rules, isolationGuards(), 2);
  const before = index.planFor('git_a', 'write', 'none');
  index.planFor('git_b', 'write', 'none');
  index.planFor('git_c', 'write', 'none');
  expect(index.planFor('git_a', 'write', 'none')).not.toBe(before);
  expect(index.planFor('git_a', 'write', 'none')).toEqual(before);
});

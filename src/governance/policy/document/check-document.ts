/** Finds everything that is wrong with a policy document before any of it is in force. */
import { BUILTIN_NAMES } from '../builtin-policy.ts';
import { type CheckedCondition, isBadCondition } from '../condition/compile-condition.ts';
import {
  itemsOf,
  type Problem,
  repeatedNames,
  schemaProblems,
  textOf,
} from './document-problems.ts';
import { POLICY_KEYS, policySchema } from './policy-document.ts';

type Compile = (text: string) => CheckedCondition;

const asksEveryTime = (rule: unknown): boolean =>
  typeof rule === 'object' && rule !== null && 'everyTime' in rule && rule.everyTime === true;

const ruleProblems = (rule: unknown, index: number, compile: Compile): readonly Problem[] => {
  const problems: Problem[] = [];
  const add = (key: string, message: string): number =>
    problems.push({ path: ['rules', index, key], message });
  if (BUILTIN_NAMES.includes(textOf(rule, 'name') ?? ''))
    add('name', 'is the name of a built-in rule');
  if (asksEveryTime(rule) && textOf(rule, 'effect') !== 'ask') {
    add('everyTime', 'is only for rules that ask');
  }
  const when = textOf(rule, 'when');
  const checked = when === undefined ? undefined : compile(when);
  if (checked && isBadCondition(checked)) {
    const { reason, offset } = checked;
    problems.push({ path: ['rules', index, 'when'], message: reason, offset });
  }
  return problems;
};

export const checkDocument = (document: unknown, compile: Compile): readonly Problem[] => {
  const rules = itemsOf(document, 'rules');
  return [
    ...schemaProblems(policySchema, document, POLICY_KEYS),
    ...repeatedNames(rules, 'rules'),
    ...rules.flatMap((rule, index) => ruleProblems(rule, index, compile)),
  ];
};

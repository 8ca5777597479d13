/** Puts the cases of a file to a policy and says which came out as expected. */
import { ToolFailure } from '../../../contract/errors.ts';
import type { Policy, PolicyQuestion, RuleEffect, Verdict } from '../../../contract/policy.ts';
import type { PolicyCall, PolicyCase } from './policy-cases.ts';

export interface PolicyTestResult {
  readonly name: string;
  readonly passed: boolean;
  readonly expected: RuleEffect;
  /** Absent when the case could not be put. */
  readonly verdict?: Verdict;
  /** What to tell the reader. */
  readonly message: string;
}

export interface PolicyTestReport {
  readonly passed: number;
  readonly failed: number;
  readonly results: readonly PolicyTestResult[];
}

const isExpected = ({ expect, rule }: PolicyCase, verdict: Verdict): boolean =>
  verdict.effect === expect && (rule === undefined || verdict.rule === rule);

const messageOf = ({ expect, rule }: PolicyCase, verdict: Verdict, passed: boolean): string => {
  const got = `${verdict.effect} by ${verdict.rule}`;
  if (passed) return got;
  return `expected ${expect}${rule === undefined ? '' : ` by ${rule}`}, got ${got}: ${verdict.reason}`;
};

/** A case that cannot be put has failed. `questionOf` finds the tool and throws when there is none. */
export const runPolicyTests = (
  policy: Policy,
  cases: readonly PolicyCase[],
  questionOf: (call: PolicyCall) => PolicyQuestion,
): PolicyTestReport => {
  const results = cases.map((one): PolicyTestResult => {
    const { name, expect: expected } = one;
    try {
      const verdict = policy.judge(questionOf(one.call));
      const passed = isExpected(one, verdict);
      return { name, passed, expected, verdict, message: messageOf(one, verdict, passed) };
    } catch (error) {
      const known = error instanceof ToolFailure ? error.message : 'the case could not be judged';
      return { name, passed: false, expected, message: known };
    }
  });
  const passed = results.filter((result) => result.passed).length;
  return { passed, failed: results.length - passed, results };
};

/**
 * What the keeper of the rules does with them beside the crib: runs a file of test cases, and checks
 * a condition before it is put in force.
 */
import type { Config } from '../config/schema.ts';
import type { Catalog } from '../contract/catalog.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { PolicyTestReport } from '../governance/policy/document/policy-cases.ts';
import { type OpenPolicyOptions, openPolicy, policySources } from './open-policy.ts';
import { type RuleToolsDeps, unknownRuleTools } from './unknown-rule-tools.ts';

export interface PolicyTestDeps {
  /** The rules that the cases are put to. */
  readonly choices: OpenPolicyOptions;
  readonly settings: Config['policy'];
  readonly tools: Pick<Catalog, 'get'>;
  readonly runtime: Pick<Runtime, 'now' | 'log'>;
}

/** Throws CONFIG_INVALID, with every problem and its place, when the cases or the rules are unusable. */
export const testPolicy = async (
  cases: { readonly text: string; readonly file: string },
  { choices, settings, tools, runtime }: PolicyTestDeps,
): Promise<PolicyTestReport> => {
  const [{ parsePolicyCases, questionOf }, { runPolicyTests }] = await Promise.all([
    import('../governance/policy/document/policy-cases.ts'),
    import('../governance/policy/document/policy-cases.ts'),
  ]);
  const parsed = parsePolicyCases(cases.text, cases.file);
  const policy = await openPolicy(choices, settings, runtime);
  return runPolicyTests(policy, parsed, (call) => {
    const entry = tools.get(call.tool);
    if (!entry) throw new ToolFailure('TOOL_NOT_FOUND', `There is no tool ${call.tool}.`);
    return questionOf(call, entry.tool, runtime.now());
  });
};

/** Says which rules name tools that are not there. Throws CONFIG_INVALID when they are unusable. */
export const ruleWarnings = async (
  choices: OpenPolicyOptions,
  deps: RuleToolsDeps,
): Promise<readonly string[]> => unknownRuleTools(await policySources(choices), deps);

/** What is wrong with a CEL condition; `undefined` when it can be used. */
export const conditionProblem = async (condition: string): Promise<string | undefined> => {
  const { conditionCompiler, isBadCondition } = await import(
    '../governance/policy/condition/compile-condition.ts'
  );
  const checked = conditionCompiler()(condition);
  return isBadCondition(checked)
    ? `At character ${checked.offset + 1}: ${checked.reason}`
    : undefined;
};

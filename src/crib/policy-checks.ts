/** Checks policy rules without running a call: test cases, names of tools, CEL conditions. */
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

/**
 * Runs policy test cases. Throws CONFIG_INVALID with every problem and its position when cases or rules are
 * invalid.
 */
export const testPolicy = async (
  cases: { readonly text: string; readonly file: string },
  { choices, settings, tools, runtime }: PolicyTestDeps,
): Promise<PolicyTestReport> => {
  const { parsePolicyCases, questionOf, runPolicyTests } = await import(
    '../governance/policy/document/policy-cases.ts'
  );
  const parsed = parsePolicyCases(cases.text, cases.file);
  const policy = await openPolicy(choices, settings, runtime);
  return runPolicyTests(policy, parsed, (call) => {
    const entry = tools.get(call.tool);
    if (!entry) throw new ToolFailure('TOOL_NOT_FOUND', `There is no tool ${call.tool}.`);
    return questionOf(call, entry.tool, runtime.now());
  });
};

/** Lists rules that name unknown tools. Throws CONFIG_INVALID when the rules are invalid. */
export const ruleWarnings = async (
  choices: OpenPolicyOptions,
  deps: RuleToolsDeps,
): Promise<readonly string[]> => unknownRuleTools(await policySources(choices), deps);

/** Returns what is wrong with a CEL condition, or `undefined`. */
export const conditionProblem = async (condition: string): Promise<string | undefined> => {
  const { conditionCompiler, isBadCondition } = await import(
    '../governance/policy/condition/compile-condition.ts'
  );
  const checked = conditionCompiler()(condition);
  return isBadCondition(checked)
    ? `At character ${checked.offset + 1}: ${checked.reason}`
    : undefined;
};

/**
 * The policy in force: the rules of program, user and project over those that ship. An invalid rule stops
 * the start, with its file, its line and the reason.
 */
import type { PolicyFile } from '../config/load/policy-files.ts';
import type { Config } from '../config/schema.ts';
import type { Policy } from '../contract/policy.ts';
import type { Logger } from '../contract/runtime.ts';
import { builtinPolicy } from '../governance/policy/builtin-policy.ts';
import type {
  PolicyDocument,
  PolicySource,
} from '../governance/policy/document/policy-document.ts';
import { type RuleToolsDeps, unknownRuleTools } from './unknown-rule-tools.ts';

export interface OpenPolicyOptions {
  /** Rules as data, as in a policy file, or an object that judges calls itself. */
  readonly policy?: Policy | PolicyDocument;
  readonly policyFiles?: readonly PolicyFile[];
}

export interface OpenPolicyDeps {
  readonly log: Logger;
  /** The registered tools: a rule whose tool name is a near miss of one of them is warned about. */
  readonly tools?: RuleToolsDeps['tools'];
}

const isPolicy = (policy: Policy | PolicyDocument): policy is Policy => 'judge' in policy;

/** Reads the rules of program, user and project. Throws CONFIG_INVALID. */
export const policySources = async ({
  policy,
  policyFiles = [],
}: OpenPolicyOptions): Promise<PolicySource[]> => {
  const { parsePolicy } = await import('../governance/policy/document/parse-policy.ts');
  const fromFiles = policyFiles.map(({ path, text, kind }) => parsePolicy(text, path, kind));
  if (!policy || isPolicy(policy)) return fromFiles;
  return [{ origin: 'the program', kind: 'program', document: policy }, ...fromFiles];
};

/** Opens the policy. Loads the rule engine only where rules are written. Throws CONFIG_INVALID. */
export const openPolicy = async (
  options: OpenPolicyOptions,
  { flow, shadow }: Config['policy'],
  { log, tools }: OpenPolicyDeps,
): Promise<Policy> => {
  const { policy, policyFiles = [] } = options;
  if (policy && isPolicy(policy)) return policy;
  if (!policy && policyFiles.length === 0) return builtinPolicy(flow);
  const { compilePolicy } = await import('../governance/policy/compile-policy.ts');
  const sources = (await policySources(options)).map((source) =>
    shadow ? { ...source, document: { ...source.document, shadow } } : source,
  );
  const compiled = compilePolicy(sources, { flow });
  const misnamed = tools ? unknownRuleTools(sources, { tools, mayGrow: true, nearOnly: true }) : [];
  for (const warning of [...compiled.warnings, ...misnamed]) log.warn(warning);
  return compiled;
};

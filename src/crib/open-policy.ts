/**
 * The policy in force: what the program, the user and the project wrote, over the rules that ship.
 * A rule that cannot be understood stops the start, with its file, its line and the reason.
 */
import type { Config } from '../config/schema.ts';
import type { Policy } from '../contract/policy.ts';
import type { Logger } from '../contract/runtime.ts';
import { builtinPolicy } from '../governance/policy/builtin-policy.ts';
import type {
  PolicyDocument,
  PolicySource,
} from '../governance/policy/document/policy-document.ts';
import { type RuleToolsDeps, unknownRuleTools } from './unknown-rule-tools.ts';

/** The text of a policy file. What a project's says can narrow, never widen. */
export interface PolicyFile {
  readonly path: string;
  readonly text: string;
  readonly kind: 'user' | 'project';
}

export interface OpenPolicyOptions {
  /** Rules as data, as in a policy file, or a policy of one's own in their place. */
  readonly policy?: Policy | PolicyDocument;
  readonly policyFiles?: readonly PolicyFile[];
}

export interface OpenPolicyDeps {
  readonly log: Logger;
  /** The tools there are: rules for one whose name is nearly that of another are warned about. */
  readonly tools?: RuleToolsDeps['tools'];
}

const isPolicy = (given: Policy | PolicyDocument): given is Policy => 'judge' in given;

/** Reads the documents of all who wrote rules. Throws CONFIG_INVALID. */
export const policySources = async ({
  policy,
  policyFiles = [],
}: OpenPolicyOptions): Promise<PolicySource[]> => {
  const { parsePolicy } = await import('../governance/policy/document/parse-policy.ts');
  const written = policyFiles.map(({ path, text, kind }) => parsePolicy(text, path, kind));
  if (!policy || isPolicy(policy)) return written;
  return [{ origin: 'the program', kind: 'program', document: policy }, ...written];
};

/** Throws CONFIG_INVALID. Without any rules of one's own, no rule engine is loaded. */
export const openPolicy = async (
  choices: OpenPolicyOptions,
  { flow, shadow }: Config['policy'],
  { log, tools }: OpenPolicyDeps,
): Promise<Policy> => {
  const { policy, policyFiles = [] } = choices;
  if (policy && isPolicy(policy)) return policy;
  if (!policy && policyFiles.length === 0) return builtinPolicy(flow);
  const { compilePolicy } = await import('../governance/policy/compile-policy.ts');
  const sources = (await policySources(choices)).map((source) =>
    shadow ? { ...source, document: { ...source.document, shadow } } : source,
  );
  const compiled = compilePolicy(sources, { flow });
  const mistaken = tools ? unknownRuleTools(sources, { tools, mayGrow: true, nearOnly: true }) : [];
  for (const warning of [...compiled.warnings, ...mistaken]) log.warn(warning);
  return compiled;
};

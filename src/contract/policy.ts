/** The port to the rules: who may do what, and what needs a person's word. */
import type { Caller } from './caller.ts';
import type { Capability, Tier, Tool } from './tool.ts';

export interface PolicyQuestion {
  readonly tool: Tool;
  readonly tier: Tier;
  /** The capability in use; `undefined` when the tool declares none that fits. */
  readonly capability: Capability | undefined;
  readonly input: unknown;
  readonly caller: Caller;
}

export interface Verdict {
  readonly effect: 'allow' | 'ask' | 'deny';
  /** The name of the rule that decided. */
  readonly rule: string;
  readonly reason: string;
}

export interface Policy {
  /** Changes whenever a verdict could change; approvals are bound to it. */
  readonly version: string;
  /** A throw counts as deny. */
  judge(question: PolicyQuestion): Verdict;
}

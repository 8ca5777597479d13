/** The port to the rules: who may do what, and what needs a person's word. */
import type { Caller, Isolation } from './caller.ts';
import type { Sensitivity } from './result.ts';
import type { Capability, Tier, Tool } from './tool.ts';

/** What has entered a session so far, by the labels of the results it was given. */
export interface FlowState {
  /** Content that somebody outside may have written is among it. */
  readonly untrusted: boolean;
  /** The highest sensitivity among it. */
  readonly sensitivity: Sensitivity;
}

export const NOTHING_SEEN: FlowState = Object.freeze({ untrusted: false, sensitivity: 'public' });

export interface PolicyQuestion {
  readonly tool: Tool;
  readonly tier: Tier;
  /** The capability in use; `undefined` when the tool declares none that fits. */
  readonly capability: Capability | undefined;
  readonly input: unknown;
  readonly caller: Caller;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly flow: FlowState;
}

export type RuleEffect = 'allow' | 'ask' | 'deny';

/** What a rule in shadow mode would have done, had it counted. */
export interface ShadowFinding {
  readonly rule: string;
  readonly effect: RuleEffect;
  readonly reason: string;
}

export interface Verdict {
  readonly effect: RuleEffect;
  /** The name of the rule that decided. */
  readonly rule: string;
  readonly reason: string;
  /** An `ask` that no standing grant answers: a person is asked each time. */
  readonly everyTime?: boolean;
  readonly shadow?: readonly ShadowFinding[];
}

/** One rule as `explain` saw it, in the order in which rules are considered. */
export interface ConsideredRule {
  readonly rule: string;
  readonly effect: RuleEffect;
  /** Where it is written, e.g. `policy.yml:12`; `built in` for our own. */
  readonly origin: string;
  readonly matched: boolean;
  /** Which of its parts did or did not fit. */
  readonly why: string;
  readonly shadow: boolean;
}

export interface Explanation {
  readonly verdict: Verdict;
  readonly considered: readonly ConsideredRule[];
}

/** What a caller holds by itself and by its roles. */
export interface Rights {
  readonly permissions: readonly string[];
  readonly isolation: Isolation;
}

export interface Policy {
  /** Changes whenever a verdict could change; approvals are bound to it. */
  readonly version: string;
  /** True when a rule reads the labels of the session, even for calls that cannot send data out. */
  readonly readsFlow?: boolean;
  /** Judges one call. A throw counts as deny. */
  judge(question: PolicyQuestion): Verdict;
  /** Judges one call like `judge`, and says how every rule was considered. */
  explain?(question: PolicyQuestion): Explanation;
  /** Returns the caller's rights together with those of its roles; its own rights count when absent. */
  rightsOf?(caller: Caller): Rights;
}

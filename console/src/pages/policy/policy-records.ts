/** Rules and verdicts as the HTTP API sends them. */
export type RuleEffect = 'allow' | 'ask' | 'deny';

export interface Rule {
  readonly id: string;
  readonly effect: RuleEffect;
  readonly source: string;
  readonly tools?: readonly string[];
  readonly tiers?: readonly string[];
  readonly condition?: string;
  readonly reason?: string;
  readonly shadow: boolean;
}

export interface PolicyView {
  readonly version: string;
  readonly rules: readonly Rule[];
}

export interface ShadowFinding {
  readonly rule: string;
  readonly effect: RuleEffect;
  readonly reason: string;
}

export interface ConsideredRule {
  readonly rule: string;
  readonly effect: RuleEffect;
  readonly origin: string;
  readonly matched: boolean;
  readonly why: string;
  readonly shadow: boolean;
}

export interface Explanation {
  readonly verdict: {
    readonly effect: RuleEffect;
    readonly rule: string;
    readonly reason: string;
    readonly everyTime?: boolean;
    readonly shadow?: readonly ShadowFinding[];
  };
  readonly considered: readonly ConsideredRule[];
}

export interface ShadowNote {
  readonly at: number;
  readonly executionId: string;
  readonly tool: string;
  readonly findings: readonly ShadowFinding[];
}

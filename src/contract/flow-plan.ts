/** Plans of flows as data: what a run would do, and the one approval that a person can give for it. */
import type { FlowFault, FlowStepType } from './flow-data.ts';
import type { Tier } from './tool.ts';

/** What a run of the flow with this input would do. Nothing has been run. */
export interface FlowPlan {
  readonly flow: string;
  readonly version: string;
  /**
   * Identifies what was planned: a digest of the flow and the flows it starts, the input, the caller, and the
   * definitions and code of the tools.
   */
  readonly digest: string;
  readonly steps: readonly FlowPlanStep[];
  /** The ids of the top group, level by level: those of one level can run at once. */
  readonly levels: readonly (readonly string[])[];
  /** The steps that take longest one after the other, and their time. */
  readonly criticalPath: readonly string[];
  readonly estimatedMs: number;
  /** The most that it can cost, where that is known; `isOpen` when a price or a number of items is not. */
  readonly cost: { readonly maxUsd: number; readonly isOpen: boolean };
  /** The steps that a person will be asked about, as far as that is known before. */
  readonly approvals: readonly { readonly step: string; readonly reason: string }[];
  readonly denied: readonly { readonly step: string; readonly reason: string }[];
  readonly missingCredentials: readonly { readonly step: string; readonly key: string }[];
  readonly faults: readonly FlowFault[];
}

export interface FlowPlanStep {
  readonly id: string;
  readonly type: FlowStepType;
  readonly tool?: string;
  readonly version?: string;
  readonly tier?: Tier;
  /** What it changes outside, by the tool's own word; empty for steps that only read. */
  readonly effects: readonly string[];
  /** Absent when it depends on what earlier steps return. */
  readonly input?: unknown;
  readonly verdict: 'allow' | 'ask' | 'deny' | 'unknown';
  readonly reason?: string;
  readonly estimatedMs: number;
  /** Where the time is from: the tool's own figure, its calls so far, or the timeout. */
  readonly timeFrom: 'declared' | 'recorded' | 'timeout' | 'none';
  readonly maxUsd: number;
  readonly level: number;
}

/** A call that one approval of a plan covers. */
export interface PlannedCall {
  /** The step, with the number of the item for each `forEach` around it: `mail`, `mail.i0`. */
  readonly place: string;
  readonly tool: string;
  readonly version: string;
  /** Digest of the definition and code of the tool. */
  readonly definition: string;
  /** What the call is made with, as the tool will get it. Absent when it depends on earlier results. */
  readonly input?: unknown;
  /** What that input leads to, resolved: `file:/real/path`, `host:api.example.com`. */
  readonly targets?: readonly string[];
}

/** The question about a whole plan. The approval is bound to all of it. */
export interface PlanQuestion {
  readonly flow: string;
  readonly version: string;
  readonly digest: string;
  /** The input of the run. */
  readonly input: unknown;
  readonly maxUsd: number;
  /** The calls that are made without asking again. */
  readonly calls: readonly PlannedCall[];
  /** The steps about which a person is asked all the same, and why. */
  readonly asks: readonly { readonly step: string; readonly reason: string }[];
}

/** A question about a whole plan that waits for a person. */
export interface PlanApproval extends Pick<PlanQuestion, 'flow' | 'version' | 'digest' | 'asks'> {
  readonly approvalId: string;
  readonly expiresAt: number;
  /** How many calls it covers. */
  readonly calls: number;
}

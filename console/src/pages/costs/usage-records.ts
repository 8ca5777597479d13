/** Spending and the course of calls as the HTTP API sends them. */
export interface UsageLine {
  /** `user`, `tool`, `agent`, `session`, `flow` or `free`. */
  readonly kind: string;
  readonly name: string;
  /** A day, a month, or `all`. */
  readonly period: string;
  readonly usd: number;
  readonly heldUsd: number;
  readonly calls: number;
  readonly tokens: number;
  readonly limit: { readonly usd?: number; readonly calls?: number; readonly tokens?: number };
}

export interface UsageBucket {
  readonly at: number;
  readonly calls: number;
  readonly failures: number;
  readonly costUsd: number;
  readonly tokens: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

export interface ToolUsage {
  readonly tool: string;
  readonly calls: number;
  /** Calls that ran and failed; refused ones are not counted. */
  readonly failures: number;
  /** Of the calls that ran, 0 to 1. */
  readonly errorRate: number;
  readonly costUsd: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

export interface UsageSeries {
  readonly buckets: readonly UsageBucket[];
  readonly byTool: readonly ToolUsage[];
}

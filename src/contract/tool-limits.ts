/** What a tool says of how often and how many of its calls run, and of what happens when they fail. */

export interface RateLimit {
  readonly maxPerHour?: number;
  readonly maxPerDay?: number;
  /** Tools with the same word here are counted together. */
  readonly group?: string;
}

export interface CacheRule {
  readonly ttlMs: number;
  /** Handles for invalidation beyond the tool's own name. */
  readonly tags?: readonly string[];
}

export type Recovery =
  | { readonly strategy: 'retry' | 'skip' | 'abort' | 'manual' }
  | { readonly strategy: 'fallback'; readonly tool: string };

export interface Concurrency {
  /** How many calls of this tool may run at once in this process. */
  readonly limit: number;
  /** How many more may wait; beyond that the call is refused. */
  readonly queue?: number;
}

export interface Breaker {
  /** Failures in a row that open the circuit. */
  readonly failures: number;
  /** How long it stays open before one call may probe. */
  readonly restMs: number;
  /** Also opens it when this share (0 to 1) of the window's calls failed, of at least `minCalls`, by default 10. */
  readonly errorRate?: {
    readonly max: number;
    readonly windowMs: number;
    readonly minCalls?: number;
  };
}

/** What one call uses of the machine while it runs. Flows run at once only what the machine has room for. */
export interface ResourceRequirements {
  /** `50MB`, `1GiB`. */
  readonly memory?: string;
  readonly disk?: string;
  /** `50%` is half of one core. */
  readonly cpu?: string;
}

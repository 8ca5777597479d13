/** Combines a tool's own limits with those of the configuration, which win. */
import { isReservedName } from '../contract/define-tool.ts';
import { RetryPolicies, type RetryPolicy } from '../contract/retry.ts';
import type { Tool } from '../contract/tool.ts';
import type {
  Breaker,
  CacheRule,
  Concurrency,
  RateLimit,
  Recovery,
} from '../contract/tool-limits.ts';
import { perTool } from './per-tool.ts';

export interface ToolSettings {
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number | undefined;
  readonly retry: RetryPolicy;
  readonly rateLimit: RateLimit | undefined;
  readonly cache: CacheRule | undefined;
  readonly breaker: Breaker | undefined;
  readonly concurrency: Concurrency | undefined;
  readonly recovery: Recovery | undefined;
}

/** What the configuration says about one tool, or about all of them. */
export interface SettingsSource {
  readonly defaultTimeoutMs: number;
  readonly maxTimeoutMs: number;
  readonly defaultRetry: RetryPolicy;
  readonly defaultBreaker: Breaker | undefined;
  readonly cacheEnabled: boolean;
  forTool(name: string): {
    readonly timeoutMs?: number | undefined;
    readonly retry?: RetryPolicy | undefined;
    readonly rateLimit?: RateLimit | undefined;
    readonly cache?: CacheRule | false | undefined;
  };
  /**
   * Tells whether a team enforces a tool. Settings then neither shorten its time nor change how
   * often it may be called, what is cached of it and when it is tried again: that would switch it
   * off, too.
   */
  isEnforced?(name: string): boolean;
}

/** The shortest time limit of an enforced tool that sets none itself: the default that ships. */
const MIN_ENFORCED_MS = 30_000;

const recoveryOf = (tool: Tool): Recovery | undefined => {
  if (tool.recovery) return tool.recovery;
  return tool.fallback === undefined ? undefined : { strategy: 'fallback', tool: tool.fallback };
};

/** Chooses the retry policy: the standard one for a tool that asks for retries without saying how. */
const retryOf = (tool: Tool, source: SettingsSource): RetryPolicy => {
  if (tool.retry) return tool.retry;
  return tool.recovery?.strategy === 'retry' ? RetryPolicies.STANDARD : source.defaultRetry;
};

const settle = (tool: Tool, source: SettingsSource): ToolSettings => {
  const own = source.forTool(tool.name);
  const timeoutMs = own.timeoutMs ?? tool.timeoutMs ?? source.defaultTimeoutMs;
  const cache = own.cache === false ? undefined : (own.cache ?? tool.cache);
  return {
    timeoutMs: Math.min(timeoutMs, source.maxTimeoutMs),
    idleTimeoutMs: tool.idleTimeoutMs,
    retry: own.retry ?? retryOf(tool, source),
    rateLimit: own.rateLimit ?? tool.rateLimit,
    cache: source.cacheEnabled ? cache : undefined,
    // What an internal tool fails with is that of a server, or of what it takes back: no call of another.
    breaker: isReservedName(tool.name) ? undefined : (tool.breaker ?? source.defaultBreaker),
    concurrency: tool.concurrency,
    recovery: recoveryOf(tool),
  };
};

/** Drops the settings of single tools and the maximum time; allows at least the default time that ships. */
const withoutLimits = (source: SettingsSource): SettingsSource => ({
  ...source,
  defaultTimeoutMs: Math.max(source.defaultTimeoutMs, MIN_ENFORCED_MS),
  maxTimeoutMs: Number.POSITIVE_INFINITY,
  forTool: () => ({}),
});

/** Looks settings up by tool object: a new version of a tool has settings of its own. */
export const createToolSettings = (source: SettingsSource): ((tool: Tool) => ToolSettings) => {
  const configured = perTool((tool) => settle(tool, source));
  const { isEnforced } = source;
  if (!isEnforced) return configured;
  const enforced = perTool((tool) => settle(tool, withoutLimits(source)));
  // Asked at each call: a bundle of the team can come while a program runs.
  return (tool) => (isEnforced(tool.name) ? enforced(tool) : configured(tool));
};

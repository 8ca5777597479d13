/** Translates the configuration into the settings of the engine. */
import { toolSettingsOf } from '../config/configured-tools.ts';
import type { Config } from '../config/schema.ts';
import { retryPolicyOf } from '../config/sections/calls/execution.ts';
import type { Breaker } from '../contract/tool-limits.ts';
import type { LoopLimits } from '../governance/ledger/loop-breaker.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../kit/data/durations.ts';
import type { EngineSettings } from '../pipeline/shared-services.ts';
import type { SettingsSource } from '../pipeline/tool-settings.ts';

const SECOND_MS = 1000;

const breakerOf = ({ enabled, ...breaker }: Config['execution']['breaker']): Breaker | undefined =>
  enabled ? breaker : undefined;

const toolSettings = (
  { execution, tools }: Config,
  isEnforced: SettingsSource['isEnforced'],
): SettingsSource => {
  const { breaker, cache } = execution;
  return {
    defaultTimeoutMs: execution.defaultToolTimeout,
    maxTimeoutMs: tools.maxExecutionTime,
    defaultRetry: retryPolicyOf(execution.retry),
    defaultBreaker: breakerOf(breaker),
    cacheEnabled: cache.enabled,
    ...(isEnforced && { isEnforced }),
    forTool: (name) => {
      const own = toolSettingsOf(tools, name);
      if (!own) return {};
      const { timeoutMs, rateLimit, retry } = own;
      return { timeoutMs, rateLimit, cache: own.cache, retry: retry && retryPolicyOf(retry) };
    },
  };
};

const loopLimits = (loop: {
  readonly identicalCalls: number;
  readonly windowSeconds: number;
}): LoopLimits => ({
  identicalCalls: loop.identicalCalls,
  windowMs: loop.windowSeconds * SECOND_MS,
});

/** Makes the settings of the engine. `isEnforced` tells which tools a team enforces. */
export const engineSettings = (
  config: Config,
  isEnforced?: SettingsSource['isEnforced'],
): EngineSettings => {
  const { execution, validation, filtering, approvals } = config;
  return {
    tools: toolSettings(config, isEnforced),
    shape: { maxBytes: validation.maxInputBytes, maxDepth: validation.maxDepth },
    limits: filtering,
    budget: config.budget,
    loop: execution.loop === false ? undefined : loopLimits(execution.loop),
    allowedCommands: config.commands.allow,
    tasks: config.commands.tasks,
    extraRoots: config.workspace.extraRoots,
    checkOutput: validation.checkOutput,
    sanitize: validation.sanitize,
    maxCallDepth: execution.maxCallDepth,
    maxConcurrentTools: execution.maxConcurrentTools,
    queueLimit: execution.queueLimit,
    cacheEntries: execution.cache.maxEntries,
    approvalMs: approvals.expiresMinutes * MINUTE_MS,
    replayMs: execution.idempotencyHours * HOUR_MS,
    undoMs: execution.undoDays * DAY_MS,
  };
};

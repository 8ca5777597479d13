/** Estimates what a call will cost, before it runs. Money is counted in whole micro-dollars. */
import type { Estimate } from '../../contract/call.ts';
import type { Capability, Tool } from '../../contract/tool.ts';
import { type CostModel, MICROS_PER_USD } from '../../contract/tool-cost.ts';

/** Rounds up: an estimate that is a fraction too low would let a budget be overspent. */
export const toMicros = (usd: number): number =>
  Number.isFinite(usd) && usd > 0 ? Math.ceil(usd * MICROS_PER_USD - 1e-6) : 0;

/** Converts an amount to be held; one that is too large to count becomes the largest count. */
export const boundedMicros = (usd: number): number =>
  usd === Number.POSITIVE_INFINITY
    ? Number.MAX_SAFE_INTEGER
    : Math.min(toMicros(usd), Number.MAX_SAFE_INTEGER);

const CHARS_PER_TOKEN = 4;

type PerUnit = NonNullable<CostModel['perUnit']>;

const unitsOf = (perUnit: PerUnit, input: unknown, timeoutMs: number): number => {
  if (perUnit.unit === 'second') return timeoutMs / 1000;
  const field = perUnit.inputField;
  const value =
    field !== undefined &&
    typeof input === 'object' &&
    input !== null &&
    Object.hasOwn(input, field)
      ? (input as Record<string, unknown>)[field]
      : undefined;
  if (perUnit.unit === 'record') {
    // A negative count must not lower the fixed part of the price.
    if (typeof value === 'number') return Number.isNaN(value) ? 1 : Math.max(0, value);
    return Array.isArray(value) ? value.length : 1;
  }
  const length = typeof value === 'string' ? value.length : 0;
  return perUnit.unit === 'token' ? Math.ceil(length / CHARS_PER_TOKEN) : length;
};

/** The estimate of a call that has no price and says nothing of its time. */
export const FREE: Estimate = Object.freeze({
  costMicros: 0,
  tokens: 0,
  timeMs: undefined,
  confidence: 'exact',
});

/** Estimates by the tool's prices, or by the capability's own figure where the tool has none. */
export const estimateCost = (
  tool: Tool,
  call: { readonly input: unknown; readonly capability: Capability | undefined },
  timeoutMs: number,
): Estimate => {
  const { cost } = tool;
  const { capability } = call;
  const timeMs = capability?.estimatedTime;
  if (!cost || cost.model === 'free') {
    const usd = cost ? 0 : (capability?.estimatedCost ?? 0);
    if (usd === 0 && timeMs === undefined) return FREE;
    const confidence = usd === 0 ? 'exact' : 'estimate';
    return { costMicros: boundedMicros(usd), tokens: 0, timeMs, confidence };
  }
  const perUnit = cost.perUnit;
  const units = perUnit ? unitsOf(perUnit, call.input, timeoutMs) : 0;
  const fixed = cost.fixed ?? (perUnit ? 0 : (capability?.estimatedCost ?? 0));
  const isPriced = cost.fixed !== undefined || perUnit !== undefined || fixed > 0;
  return {
    costMicros: boundedMicros(fixed + units * (perUnit?.price ?? 0)),
    tokens: perUnit?.unit === 'token' ? Math.ceil(units) : 0,
    timeMs,
    confidence: perUnit ? 'estimate' : isPriced ? 'exact' : 'unknown',
  };
};

/** What a tool says of itself that a plan tells: what a call of it costs and changes. */
import type { Tool } from '../../../contract/tool.ts';
import { MICROS_PER_USD } from '../../../contract/tool-cost.ts';
import { estimateCost } from '../../../governance/ledger/estimate-cost.ts';
import { mostCost } from '../../../governance/ledger/most-cost.ts';
import { onlyReads } from '../../../registry/only-reads.ts';

const DEFAULT_TIMEOUT_MS = 30_000;

interface Priced {
  readonly usd: number;
  readonly isOpen: boolean;
}

/** Estimates the most that a call can cost, and tells whether that is open. */
export const priceOf = (tool: Tool, input: unknown, isKnown: boolean): Priced => {
  const capability = undefined;
  const timeoutMs = tool.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const estimate = estimateCost(tool, { input, capability }, timeoutMs);
  try {
    const facts = { modelPrice: undefined, unknownMicros: 0, hasCharged: false };
    const most = mostCost(tool, { input, estimate, ...facts });
    const dependsOnInput = tool.estimate !== undefined || tool.cost?.perUnit !== undefined;
    const isOpen = most.openMicros || (dependsOnInput && !isKnown);
    return { usd: most.micros / MICROS_PER_USD, isOpen };
  } catch {
    return { usd: estimate.costMicros / MICROS_PER_USD, isOpen: true };
  }
};

/** Lists what a step changes outside, by the tool's own word. */
export const effectsOf = (tool: Tool): readonly string[] => {
  if (onlyReads(tool)) return [];
  const described = (tool.effects ?? []).map((effect) =>
    'description' in effect && typeof effect.description === 'string'
      ? effect.description
      : 'effect',
  );
  return [tool.tier, ...described];
};

/**
 * The most that the calls of a composed tool can cost together. The budget has to cover it before the
 * first part runs; nothing is held for the whole, because each part holds its own.
 */
import type { Tool } from '../../contract/tool.ts';
import { MICROS_PER_USD, type MostCost } from '../../contract/tool-cost.ts';
import { estimateCost } from '../../governance/ledger/estimate-cost.ts';

/** A part, and its input where that is known before the whole runs. */
export interface PricedPart {
  readonly tool: Tool;
  readonly input?: unknown;
}

const NOTHING: MostCost = { cost: 0, tokens: 0 };
const ASSUMED_MS = 30_000;

const hasPrice = ({ cost, estimate, capabilities }: Tool): boolean =>
  estimate !== undefined ||
  (cost !== undefined && cost.model !== 'free') ||
  capabilities.some(({ estimatedCost = 0 }) => estimatedCost > 0);

/** Asks the part itself. Its input is not validated yet, so a part that throws gets its price instead. */
const ownEstimate = ({ tool, input }: PricedPart): MostCost | undefined => {
  if (tool.estimate === undefined || input === undefined) return undefined;
  try {
    return tool.estimate(input);
  } catch {
    return undefined;
  }
};

const mostOf = (part: PricedPart): MostCost => {
  const { tool, input } = part;
  const own = ownEstimate(part);
  if (own) return own;
  const dearest = tool.capabilities.toSorted(
    (a, b) => (b.estimatedCost ?? 0) - (a.estimatedCost ?? 0),
  )[0];
  const timeoutMs = tool.timeoutMs ?? ASSUMED_MS;
  const { costMicros, tokens } = estimateCost(tool, { input, capability: dearest }, timeoutMs);
  return { cost: costMicros / MICROS_PER_USD, tokens };
};

const add = (sum: MostCost, { cost = 0, tokens = 0, model }: MostCost): MostCost => ({
  cost: (sum.cost ?? 0) + cost,
  tokens: (sum.tokens ?? 0) + tokens,
  ...((sum.model || model) && {
    model: {
      inputTokens: (sum.model?.inputTokens ?? 0) + (model?.inputTokens ?? 0),
      outputTokens: (sum.model?.outputTokens ?? 0) + (model?.outputTokens ?? 0),
    },
  }),
});

export const sumOfCosts = (parts: readonly PricedPart[]): MostCost =>
  parts.map(mostOf).reduce(add, NOTHING);

/** Takes the most of each amount, where only one of several ways will be taken. */
export const dearestOf = (ways: readonly MostCost[]): MostCost => {
  const most = (read: (way: MostCost) => number | undefined): number =>
    Math.max(0, ...ways.map((way) => read(way) ?? 0));
  const inputTokens = most(({ model }) => model?.inputTokens);
  const outputTokens = most(({ model }) => model?.outputTokens);
  return {
    cost: most(({ cost }) => cost),
    tokens: most(({ tokens }) => tokens),
    ...(inputTokens + outputTokens > 0 && { model: { inputTokens, outputTokens } }),
  };
};

/** Returns the estimate of a composed tool; none where no part has a price. */
export const combinedEstimate = (
  parts: readonly Tool[],
  most: (input: unknown) => MostCost,
): Pick<Tool, 'estimate'> => (parts.some(hasPrice) ? { estimate: most } : {});

/** Computes the most that a call can cost, which the budget holds before it runs. */
import type { Estimate } from '../../contract/call.ts';
import type { Usage } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Model, ModelPrice } from '../../contract/model.ts';
import type { Spending } from '../../contract/store.ts';
import type { Tool } from '../../contract/tool.ts';
import type { MostCost } from '../../contract/tool-cost.ts';
import { boundedMicros } from './estimate-cost.ts';

const MILLION = 1_000_000;
const MAX = Number.MAX_SAFE_INTEGER;

export interface Most {
  readonly micros: number;
  readonly tokens: number;
  /** Unknown: what is left is held, up to `budget.unknownUsd` or `budget.unknownTokens`. */
  readonly openMicros: boolean;
  readonly openTokens: boolean;
  /** The total at which a charge ends the call. More than `micros` only where the price is open. */
  readonly maxMicros: number;
  readonly maxTokens: number;
}

export interface MostFacts {
  readonly input: unknown;
  readonly estimate: Estimate;
  readonly modelPrice: Model['price'];
  /** What a call of a tool without a price may charge. */
  readonly unknownMicros: number;
  /** The tool charged in an earlier call, though it declares no price. */
  readonly hasCharged: boolean;
}

/** Gives the tool's own price of a token in US dollars; undefined when it names none. */
const tokenPrice = ({ cost }: Tool): number | undefined =>
  cost && cost.model !== 'free' && cost.perUnit?.unit === 'token' ? cost.perUnit.price : undefined;

/** Gives the dollars for a question and its answer; undefined when the price is unknown. */
export const modelUsd = (
  tool: Tool,
  price: ModelPrice | 'unpriced' | undefined,
  used: { readonly inputTokens: number; readonly outputTokens: number },
): number | undefined => {
  if (price === undefined) return undefined;
  const { inputTokens, outputTokens } = used;
  if (price === 'unpriced') return (inputTokens + outputTokens) * (tokenPrice(tool) ?? 0);
  return (inputTokens * price.inputPerMillion + outputTokens * price.outputPerMillion) / MILLION;
};

/** Reads what a tool reports as used. Tokens without a cost are priced by its price of a token. */
export const spendingOf = ({ cost, tokens }: Usage, tool: Tool): Spending => {
  const used = reported(tokens);
  const usd = cost === undefined ? used * (tokenPrice(tool) ?? 0) : reported(cost);
  return { micros: boundedMicros(usd), tokens: Math.min(Math.round(used), MAX) };
};

/** Throws for what is no amount: a charge below nothing would give money back. */
const reported = (value: unknown): number => {
  if (value === undefined) return 0;
  if (typeof value === 'number' && value >= 0) return value;
  throw new ToolFailure('EXECUTION_FAILED', 'The tool charged something that is no amount.', {
    suggestions: ['Correct `charge` of the tool: it takes amounts of 0 or more.'],
  });
};

const unusable = (): ToolFailure =>
  new ToolFailure('EXECUTION_FAILED', 'The tool could not tell the most that the call can cost.', {
    suggestions: ['Correct `estimate` of the tool: it returns amounts of 0 or more.'],
  });

const amount = (value: unknown): number => {
  if (value === undefined) return 0;
  if (typeof value !== 'number' || Number.isNaN(value) || value < 0) throw unusable();
  return value;
};

/** Throws when `estimate` throws or returns something that is no amount: doubt means no. */
const claimOf = (tool: Tool, input: unknown): MostCost | undefined => {
  if (!tool.estimate) return undefined;
  let claim: unknown;
  try {
    claim = tool.estimate(input);
  } catch {
    throw unusable();
  }
  if (typeof claim !== 'object' || claim === null) throw unusable();
  return claim;
};

const byClaim = (tool: Tool, claim: MostCost, facts: MostFacts): Most => {
  const { estimate, modelPrice } = facts;
  const inputTokens = amount(claim.model?.inputTokens);
  const outputTokens = amount(claim.model?.outputTokens);
  const usd = claim.model ? modelUsd(tool, modelPrice, { inputTokens, outputTokens }) : 0;
  const claimed = boundedMicros(amount(claim.cost) + (usd ?? 0));
  const micros = Math.max(claimed, estimate.costMicros);
  const sum = Math.ceil(amount(claim.tokens) + inputTokens + outputTokens);
  const tokens = Math.min(Math.max(sum, estimate.tokens), MAX);
  const saysTokens = claim.tokens !== undefined || claim.model !== undefined;
  return {
    micros,
    tokens,
    openMicros: usd === undefined,
    openTokens: false,
    maxMicros: usd === undefined ? MAX : micros,
    maxTokens: saysTokens ? tokens : MAX,
  };
};

const hasPrice = ({ cost }: Tool, { costMicros }: Estimate): boolean =>
  costMicros > 0 ||
  (cost !== undefined && (cost.fixed !== undefined || cost.perUnit !== undefined));

/** Answers what may be spent on a call, and how much of that has to be held before it. */
export const mostCost = (tool: Tool, facts: MostFacts): Most => {
  const claim = claimOf(tool, facts.input);
  if (claim) return byClaim(tool, claim, facts);
  const { estimate, unknownMicros, hasCharged } = facts;
  const { costMicros: micros, tokens } = estimate;
  const price = tokenPrice(tool);
  // How long the answer gets is not in the input.
  if (price !== undefined) {
    const openMicros = price > 0;
    return { micros, tokens, openMicros, openTokens: true, maxMicros: MAX, maxTokens: MAX };
  }
  if (tool.cost?.model !== 'free' && hasPrice(tool, estimate)) {
    const maxMicros = micros;
    return { micros, tokens, openMicros: false, openTokens: false, maxMicros, maxTokens: MAX };
  }
  const open = hasCharged || tool.cost?.model === 'usage_based';
  const maxMicros = unknownMicros;
  return { micros, tokens, openMicros: open, openTokens: open, maxMicros, maxTokens: MAX };
};

/** What a call of a tool costs, and the most that it can cost. */

/** Amounts are counted in whole millionths of a dollar. */
export const MICROS_PER_USD = 1_000_000;

export interface CostModel {
  readonly model: 'free' | 'usage_based' | 'subscription' | 'one_time';
  /** US dollars for every call. */
  readonly fixed?: number;
  readonly perUnit?: {
    readonly unit: 'token' | 'character' | 'record' | 'second';
    /** US dollars for one unit. */
    readonly price: number;
    /** The input field whose size or value gives the number of units. */
    readonly inputField?: string;
  };
  readonly billingUrl?: string;
  readonly freeTierLimit?: number;
}

/** The most that a call can cost. The budget holds it before the call; a charge above it ends the call. */
export interface MostCost {
  /** US dollars, without what the model costs. */
  readonly cost?: number;
  /** Without those of the model. */
  readonly tokens?: number;
  /** Tokens of all questions to the model together; priced by what the model costs. */
  readonly model?: { readonly inputTokens: number; readonly outputTokens: number };
}

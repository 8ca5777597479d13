/** Estimates, scopes and refusals of the budget, for the stages that deal with money. */
import type { Call, Estimate } from '../contract/call.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Runtime } from '../contract/runtime.ts';
import type {
  BudgetScope,
  BudgetUnit,
  Ledger,
  ReserveOutcome,
  Spending,
} from '../contract/store.ts';
import type { Tool } from '../contract/tool.ts';
import {
  type BudgetedCall,
  type BudgetLimits,
  budgetScopesUnder,
  countsFreeCalls,
  freeTierScope,
} from '../governance/ledger/budget.ts';
import { estimateCost, MICROS_PER_USD } from '../governance/ledger/estimate-cost.ts';
import { failed } from './outcome.ts';
import { perTool } from './per-tool.ts';
import type { ToolSettings } from './tool-settings.ts';

export interface BudgetingDeps {
  readonly ledger: Ledger;
  readonly limits: BudgetLimits;
  readonly runtime: Runtime;
  settingsOf(tool: Tool): ToolSettings;
}

type Judged = Call<'ready' | 'input' | 'grant'>;
type Refused = Extract<ReserveOutcome, { ok: false }>;

export interface Held {
  readonly outcome: ReserveOutcome;
  readonly micros: number;
  readonly scopes: readonly BudgetScope[];
}

const COVERED: ReserveOutcome = { ok: true };

/** The hold of a free call lies beside that of its money. */
const FREE_HOLD = ':free';
export const freeHoldOf = (executionId: string): string => executionId + FREE_HOLD;
export const callOfFreeHold = (hold: string): string =>
  hold.endsWith(FREE_HOLD) ? hold.slice(0, -FREE_HOLD.length) : hold;

const LEFT: Readonly<Record<BudgetUnit, (available: number) => string>> = {
  micros: (available) => `${(available / MICROS_PER_USD).toFixed(4)} USD`,
  calls: (available) => `${available} calls`,
  tokens: (available) => `${available} tokens`,
};

export class Budgeting {
  readonly ledger: Ledger;
  /** A call without a price that counts in no limit needs no hold: that is most of them. */
  readonly #isCounted: (tool: Tool) => boolean;
  readonly #scopesOf: (call: BudgetedCall) => readonly BudgetScope[];
  readonly #deps: BudgetingDeps;

  constructor(deps: BudgetingDeps) {
    this.ledger = deps.ledger;
    this.#deps = deps;
    this.#scopesOf = budgetScopesUnder(deps.limits);
    this.#isCounted = perTool(({ name }) => countsFreeCalls(deps.limits, name));
  }

  estimate(call: Judged): Estimate {
    const { tool } = call.ready;
    const asked = { input: call.input, capability: call.grant.capability };
    return estimateCost(tool, asked, this.#deps.settingsOf(tool).timeoutMs);
  }

  needsHold(call: Judged, estimate: Estimate): boolean {
    return estimate.costMicros > 0 || estimate.tokens > 0 || this.#isCounted(call.ready.tool);
  }

  scopes(call: Judged): readonly BudgetScope[] {
    const { caller, ready } = call;
    const now = this.#deps.runtime.now();
    const tool = ready.tool.name;
    return this.#scopesOf({ caller, tool, flowId: flowOf(call), now });
  }

  /** Looks, holds nothing. What neither costs nor counts is always covered. */
  async covers(call: Judged, estimate: Estimate): Promise<ReserveOutcome> {
    if (!this.needsHold(call, estimate)) return COVERED;
    const free = this.#freeScope(call, estimate);
    const isFree = free && (await this.ledger.covers({ scopes: [free], amountMicros: 0 })).ok;
    const amountMicros = isFree ? 0 : estimate.costMicros;
    return this.ledger.covers({ scopes: this.scopes(call), amountMicros, tokens: estimate.tokens });
  }

  /** Holds the estimate, or nothing but the count for one of the tool's free calls. */
  async hold(call: Judged, estimate: Estimate): Promise<Held> {
    const { executionId } = call;
    const free = this.#freeScope(call, estimate);
    const isFree = free !== undefined && (await this.#takeFree(executionId, free));
    const micros = isFree ? 0 : estimate.costMicros;
    const { tokens } = estimate;
    const scopes = this.scopes(call);
    const wanted = { executionId, scopes, amountMicros: micros, tokens };
    const outcome = await this.ledger.reserve(wanted);
    if (!outcome.ok && isFree) await this.ledger.release(freeHoldOf(executionId));
    return { outcome, micros, scopes };
  }

  /** Books what was used; a call that never ran gives everything back. */
  settle(call: Judged, actualMicros: number): Promise<void> {
    const { executionId, notes } = call;
    const isUsed = notes.attempts > 0 || actualMicros > 0;
    const end = (hold: string, spending: Spending): Promise<void> =>
      isUsed ? this.ledger.settle(hold, spending) : this.ledger.release(hold);
    const ended = end(executionId, { micros: actualMicros, tokens: notes.tokens });
    if (!hasFreeTier(call)) return ended;
    return ended.then(() => end(freeHoldOf(executionId), { micros: 0, tokens: 0 }));
  }

  /** Books what a tool that was thought to be free reported. Nothing was held for it. */
  async bookUnheld(call: Judged): Promise<void> {
    const { executionId, notes } = call;
    const scopes = this.scopes(call).map(({ key }) => ({
      key,
      limitMicros: Number.MAX_SAFE_INTEGER,
    }));
    await this.ledger.reserve({ executionId, scopes, amountMicros: 0 });
    await this.ledger.settle(executionId, { micros: notes.costMicros, tokens: notes.tokens });
  }

  refusal(call: Judged, { scope, unit, available }: Refused): ToolResult {
    const [kind = '', period = ''] = scope.split(':', 2);
    const whose =
      period === 'all' ? `The budget of this ${kind}` : `The budget of this ${kind} for ${period}`;
    return failed(call, 'BUDGET_EXCEEDED', {
      message: `${whose} has ${LEFT[unit](available)} left, which does not cover the call.`,
      suggestions: [
        'See what was spent with `toolcrib usage`.',
        'Raise the limit under `budget` in your own configuration, or wait for the next day.',
      ],
    });
  }

  #freeScope({ ready }: Judged, { costMicros }: Estimate): BudgetScope | undefined {
    const freeCalls = ready.tool.cost?.freeTierLimit;
    if (freeCalls === undefined || costMicros === 0) return undefined;
    return freeTierScope(ready.tool.name, freeCalls, this.#deps.runtime.now());
  }

  async #takeFree(executionId: string, scope: BudgetScope): Promise<boolean> {
    const hold = { executionId: freeHoldOf(executionId), scopes: [scope], amountMicros: 0 };
    return (await this.ledger.reserve(hold)).ok;
  }
}

const hasFreeTier = ({ ready }: Judged): boolean => ready.tool.cost?.freeTierLimit !== undefined;

/** Inner calls belong to the flow of the call that made them. */
const flowOf = (call: {
  readonly options: Judged['options'];
  readonly parent: Judged['parent'];
}): string | undefined => call.options.flowId ?? (call.parent && flowOf(call.parent));

/** Estimates, scopes and refusals of the budget, for the two stages that deal with money. */
import type { Call, Estimate } from '../contract/call.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { BudgetScope, Ledger, ReserveOutcome } from '../contract/store.ts';
import type { Tool } from '../contract/tool.ts';
import { type BudgetLimits, budgetScopes } from '../governance/budget.ts';
import { estimateCost, MICROS_PER_USD } from '../governance/estimate-cost.ts';
import { failed } from './outcome.ts';
import type { ToolSettings } from './tool-settings.ts';

export interface BudgetingDeps {
  readonly ledger: Ledger;
  readonly limits: BudgetLimits;
  readonly runtime: Runtime;
  settingsOf(tool: Tool): ToolSettings;
}

type Judged = Call<'ready' | 'input' | 'grant'>;
type Refused = Extract<ReserveOutcome, { ok: false }>;

const COVERED: ReserveOutcome = { ok: true };

export class Budgeting {
  readonly ledger: Ledger;
  readonly #deps: BudgetingDeps;

  constructor(deps: BudgetingDeps) {
    this.ledger = deps.ledger;
    this.#deps = deps;
  }

  estimate(call: Judged): Estimate {
    const { tool } = call.ready;
    const asked = { input: call.input, capability: call.grant.capability };
    return estimateCost(tool, asked, this.#deps.settingsOf(tool).timeoutMs);
  }

  scopes(call: Judged): readonly BudgetScope[] {
    const { caller, ready } = call;
    const now = this.#deps.runtime.now();
    return budgetScopes(this.#deps.limits, { caller, tool: ready.tool.name, now });
  }

  /** Looks, holds nothing. What costs nothing is always covered. */
  covers(call: Judged, estimate: Estimate): Promise<ReserveOutcome> | ReserveOutcome {
    if (estimate.costMicros === 0) return COVERED;
    return this.ledger.covers(this.scopes(call), estimate.costMicros);
  }

  /** Books what a tool that was thought to be free reported. Nothing was held for it. */
  async bookUnheld(call: Judged): Promise<void> {
    const { executionId, notes } = call;
    await this.ledger.reserve({ executionId, scopes: this.scopes(call), amountMicros: 0 });
    await this.ledger.settle(executionId, notes.costMicros);
  }

  refusal(call: Judged, { scope, availableMicros }: Refused): ToolResult {
    const left = (Math.max(0, availableMicros) / MICROS_PER_USD).toFixed(4);
    const kind = scope.slice(0, scope.indexOf(':'));
    return failed(call, 'BUDGET_EXCEEDED', {
      message: `The daily budget of this ${kind} has ${left} USD left, which does not cover the call.`,
      suggestions: ['Raise budget.dailyUsd in the configuration, or wait for tomorrow.'],
    });
  }
}

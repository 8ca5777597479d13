/** Estimates, scopes and refusals of the budget, for the stages that deal with money. */
import type { Call, Estimate } from '../../contract/call.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Model } from '../../contract/model.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type {
  BudgetScope,
  BudgetUnit,
  Ledger,
  Reservation,
  ReserveOutcome,
  Spending,
} from '../../contract/store.ts';
import type { Tool } from '../../contract/tool.ts';
import {
  type BudgetedCall,
  type BudgetLimits,
  budgetScopesUnder,
  countsFreeCalls,
  freeTierScope,
} from '../../governance/ledger/budget.ts';
import {
  boundedMicros,
  estimateCost,
  MICROS_PER_USD,
} from '../../governance/ledger/estimate-cost.ts';
import { type Most, mostCost } from '../../governance/ledger/most-cost.ts';
import { failed } from '../outcome.ts';
import { perTool } from '../per-tool.ts';
import { evidence } from '../pipeline.ts';
import type { LateWrites } from '../record/late-writes.ts';
import type { ToolSettings } from '../tool-settings.ts';
import { FreeCalls } from './free-calls.ts';
import { givePurse, type HoldMore, Purse, purseOf } from './purse.ts';

export interface BudgetingDeps {
  readonly ledger: Ledger;
  readonly late: Pick<LateWrites, 'attempt'>;
  readonly limits: BudgetLimits;
  readonly runtime: Runtime;
  readonly model: Pick<Model, 'price'>;
  settingsOf(tool: Tool): ToolSettings;
}

type Judged = Call<'ready' | 'input' | 'grant'>;
type Refused = Extract<ReserveOutcome, { ok: false }>;

export interface Held {
  readonly purse: Purse;
  /** The call is one of the tool's free ones: its price does not count. */
  readonly isFree: boolean;
  readonly scopes: readonly BudgetScope[];
}

export interface NotHeld {
  readonly refused: Refused;
}

const COVERED: ReserveOutcome = { ok: true };
const NOTHING: Spending = Object.freeze({ micros: 0, tokens: 0 });
const DEFAULT_UNKNOWN_USD = 1;
const DEFAULT_UNKNOWN_TOKENS = 100_000;
/** How often a smaller hold is tried when others draw on the same budget. */
const MAX_HOLD_TRIES = 5;

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

const limitsTokens = (scopes: readonly BudgetScope[]): boolean =>
  scopes.some(({ limitTokens }) => limitTokens !== undefined);

export class Budgeting {
  readonly ledger: Ledger;
  readonly freeCalls: FreeCalls;
  /** A call without a price that counts in no limit needs no hold: that is most of them. */
  readonly #isCounted: (tool: Tool) => boolean;
  readonly #scopesOf: (call: BudgetedCall) => readonly BudgetScope[];
  readonly #deps: BudgetingDeps;
  readonly #unknown: Spending;
  /** Tools that charged although they declare no price: their next call is held beforehand. */
  readonly #charging = new Set<string>();

  constructor(deps: BudgetingDeps) {
    const { limits } = deps;
    this.ledger = deps.ledger;
    this.freeCalls = new FreeCalls(deps);
    this.#deps = deps;
    this.#scopesOf = budgetScopesUnder(limits);
    this.#isCounted = perTool(({ name }) => countsFreeCalls(limits, name));
    this.#unknown = {
      micros: boundedMicros(limits.unknownUsd ?? DEFAULT_UNKNOWN_USD),
      tokens: limits.unknownTokens ?? DEFAULT_UNKNOWN_TOKENS,
    };
  }

  /** Answers what the call will probably cost, and the most it can cost where that is more. */
  estimate(call: Judged): Estimate {
    const probable = this.#probable(call);
    if (!this.#mayExceed(call.ready.tool)) return probable;
    const { micros } = this.#mostOf(call, probable);
    return micros > probable.costMicros ? { ...probable, mostMicros: micros } : probable;
  }

  needsHold(call: Judged, estimate: Estimate): boolean {
    const { tool } = call.ready;
    if (estimate.costMicros > 0 || estimate.tokens > 0 || this.#isCounted(tool)) return true;
    return this.#mayExceed(tool);
  }

  scopes(call: Judged, now = this.#deps.runtime.now()): readonly BudgetScope[] {
    const { caller, ready } = call;
    const tool = ready.tool.name;
    const scopes = this.#scopesOf({ caller, tool, flowId: flowOf(call), now });
    const dailyUsd = dailyUsdOf(call);
    return dailyUsd === undefined ? scopes : narrowed(scopes, dailyUsd);
  }

  /** Looks, holds nothing. What neither costs nor counts is always covered. */
  async covers(call: Judged, estimate: Estimate): Promise<ReserveOutcome> {
    if (!this.needsHold(call, estimate)) return COVERED;
    const most = this.#mostOf(call, estimate);
    const free = this.#freeScope(call, most);
    const isFree = free && (await this.ledger.covers({ scopes: [free], amountMicros: 0 })).ok;
    const amountMicros = isFree ? 0 : leastMicros(most);
    return this.ledger.covers({ scopes: this.scopes(call), amountMicros, tokens: most.tokens });
  }

  /** Holds the most the call can cost, or nothing but the count for one of the tool's free calls. */
  async hold(call: Judged, estimate: Estimate): Promise<Held | NotHeld> {
    const { executionId } = call;
    const most = this.#mostOf(call, estimate);
    const free = this.#freeScope(call, most);
    const isFree = free !== undefined && (await this.#takeFree(executionId, free));
    const scopes = this.scopes(call);
    const { outcome, held } = await this.#reserveMost(call, isFree ? freeOf(most) : most, scopes);
    if (!outcome.ok) {
      if (isFree) await this.ledger.release(freeHoldOf(executionId));
      return { refused: outcome };
    }
    const max = { micros: most.maxMicros, tokens: most.maxTokens };
    const purse = givePurse(call, this.#newPurse(call, scopes, { held, max, wish: NOTHING }));
    return { purse, isFree, scopes };
  }

  /** Answers where a running call keeps what it spends; nothing is held for most of them. */
  purse(call: Call<'ready'>): Purse {
    const known = purseOf(call);
    if (known) return known;
    if (!isAdmitted(call)) {
      throw new ToolFailure('EXECUTION_FAILED', 'Only a running tool can spend money.');
    }
    const { maxMicros, maxTokens } = this.#mostOf(call, call.budget.estimate);
    const scopes = this.scopes(call);
    const max = { micros: maxMicros, tokens: maxTokens };
    const options = { held: NOTHING, max, wish: this.#unknown };
    return givePurse(call, this.#newPurse(call, scopes, options));
  }

  /** Books what was used; a call that never ran gives everything back. */
  settle(call: Judged, actual: Spending): Promise<void> {
    const { executionId, notes } = call;
    const isUsed = notes.attempts > 0 || actual.micros > 0;
    const end = (hold: string, spending: Spending): Promise<void> =>
      this.#deps.late.attempt(() =>
        isUsed ? this.ledger.settle(hold, spending) : this.ledger.release(hold),
      );
    const ended = end(executionId, actual);
    if (!hasFreeTier(call)) return ended;
    return ended.then(() => end(freeHoldOf(executionId), NOTHING));
  }

  /** Books what a tool without a price charged; it was held when it was charged. */
  async bookUnheld(call: Judged, purse: Purse): Promise<void> {
    await purse.settled;
    purse.close();
    const { spent, held } = purse;
    call.notes.costMicros = spent.micros;
    call.notes.tokens = spent.tokens;
    if (held.micros > 0 || held.tokens > 0) {
      await this.#deps.late.attempt(() => this.ledger.settle(call.executionId, spent));
    } else this.countFree(call);
  }

  /** Counts a call for which nothing was held in the periods it started in, so that usage shows it. */
  countFree(call: Judged): void {
    if (call.notes.attempts === 0) return;
    this.freeCalls.count(this.scopes(call, call.startedAt), call.notes.tokens);
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

  #probable(call: Judged): Estimate {
    const { tool } = call.ready;
    const asked = { input: call.input, capability: call.grant.capability };
    return estimateCost(tool, asked, this.#deps.settingsOf(tool).timeoutMs);
  }

  /** Whether the call can cost more than its price says: most tools have no price and never charge. */
  #mayExceed(tool: Tool): boolean {
    if (tool.estimate !== undefined || tool.cost?.model === 'usage_based') return true;
    return this.#charging.size > 0 && this.#charging.has(tool.name);
  }

  #mostOf(call: Judged, estimate: Estimate): Most {
    const { tool } = call.ready;
    return mostCost(tool, {
      input: call.input,
      estimate,
      modelPrice: this.#deps.model.price,
      unknownMicros: this.#unknown.micros,
      hasCharged: this.#charging.has(tool.name),
    });
  }

  /** Where nobody can tell the most, what is left is held, up to the configured amount. */
  async #reserveMost(
    { executionId }: Judged,
    most: Most,
    scopes: readonly BudgetScope[],
  ): Promise<{ readonly outcome: ReserveOutcome; readonly held: Spending }> {
    const holdsTokens = most.openTokens && limitsTokens(scopes);
    let micros = most.openMicros ? Math.max(most.micros, this.#unknown.micros, 1) : most.micros;
    let tokens = holdsTokens ? Math.max(most.tokens, this.#unknown.tokens) : most.tokens;
    for (let tries = 1; ; tries++) {
      const wanted: Reservation = { executionId, scopes, amountMicros: micros, tokens };
      const outcome = await this.ledger.reserve(wanted);
      if (outcome.ok || tries === MAX_HOLD_TRIES) return { outcome, held: { micros, tokens } };
      const { unit, available } = outcome;
      if (unit === 'micros' && most.openMicros && available >= leastMicros(most)) {
        micros = available;
      } else if (unit === 'tokens' && holdsTokens && available >= Math.max(most.tokens, 1)) {
        tokens = available;
      } else return { outcome, held: NOTHING };
    }
  }

  #newPurse(
    call: Call<'ready'>,
    scopes: readonly BudgetScope[],
    amounts: { readonly held: Spending; readonly max: Spending; readonly wish: Spending },
  ): Purse {
    const holdMore = this.#holdMore(call, scopes, amounts.wish !== NOTHING);
    return new Purse(call, { ...amounts, limitsTokens: limitsTokens(scopes), holdMore });
  }

  /** Holds what a call spends beyond its hold, in one step with the question whether it is left. */
  #holdMore(call: Call<'ready'>, scopes: readonly BudgetScope[], isFirst: boolean): HoldMore {
    const { executionId } = call;
    let isHeld = !isFirst;
    const hold = ({ micros, tokens }: Spending): Promise<ReserveOutcome> => {
      if (isHeld) return this.ledger.extend(executionId, { micros, tokens });
      return this.ledger.reserve({ executionId, scopes, amountMicros: micros, tokens });
    };
    return async (need, wish) => {
      if (isFirst) this.#charging.add(call.ready.tool.name);
      let amount = wish;
      for (let tries = 1; tries <= MAX_HOLD_TRIES; tries++) {
        const outcome = await hold(amount);
        if (outcome.ok) {
          isHeld = true;
          return amount;
        }
        const { unit, available } = outcome;
        if (unit === 'calls' || available < need[unit]) return undefined;
        amount = { ...amount, [unit]: available };
      }
      return undefined;
    };
  }

  #freeScope({ ready }: Judged, most: Most): BudgetScope | undefined {
    const freeCalls = ready.tool.cost?.freeTierLimit;
    if (freeCalls === undefined || (most.micros === 0 && !most.openMicros)) return undefined;
    return freeTierScope(ready.tool.name, freeCalls, this.#deps.runtime.now());
  }

  async #takeFree(executionId: string, scope: BudgetScope): Promise<boolean> {
    const hold = { executionId: freeHoldOf(executionId), scopes: [scope], amountMicros: 0 };
    return (await this.ledger.reserve(hold)).ok;
  }
}

/** An open price needs something left; an exact one all of it. */
const leastMicros = (most: Most): number =>
  most.openMicros ? Math.max(most.micros, 1) : most.micros;

const freeOf = (most: Most): Most => ({ ...most, micros: 0, openMicros: false });

const isAdmitted = (call: Call<'ready'>): call is Judged & Call<'budget'> =>
  evidence(call, 'budget') !== undefined;

const hasFreeTier = ({ ready }: Judged): boolean => ready.tool.cost?.freeTierLimit !== undefined;

/** The least that the call, or one that made it, may spend; undefined when none says so. */
const dailyUsdOf = (call: {
  readonly options: Judged['options'];
  readonly parent: Judged['parent'];
}): number | undefined => {
  const own = call.options.dailyUsd;
  const outer = call.parent && dailyUsdOf(call.parent);
  return own === undefined || outer === undefined ? (own ?? outer) : Math.min(own, outer);
};

/** The first scope is the user's. An option can lower its limit, never raise it. */
const narrowed = (scopes: readonly BudgetScope[], usd: number): readonly BudgetScope[] =>
  scopes.map((scope, index) =>
    index === 0
      ? { ...scope, limitMicros: Math.min(scope.limitMicros, boundedMicros(usd)) }
      : scope,
  );

/** Inner calls belong to the flow of the call that made them. */
const flowOf = (call: {
  readonly options: Judged['options'];
  readonly parent: Judged['parent'];
}): string | undefined => call.options.flowId ?? (call.parent && flowOf(call.parent));

/** Estimates, holds and books what calls cost, for the stages that deal with money. */
import type { Call, Estimate } from '../../contract/call.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Model } from '../../contract/model.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { BudgetScope, Ledger, ReserveOutcome, Spending } from '../../contract/store.ts';
import type { Tool } from '../../contract/tool.ts';
import {
  type BudgetLimits,
  countsFreeCalls,
  freeTierScope,
} from '../../governance/ledger/budget.ts';
import { boundedMicros, estimateCost } from '../../governance/ledger/estimate-cost.ts';
import { type Most, mostCost } from '../../governance/ledger/most-cost.ts';
import { thrownText } from '../../kit/data/reason-of.ts';
import { perTool } from '../per-tool.ts';
import { evidenceOf } from '../pipeline.ts';
import type { LateWrites } from '../record/late-writes.ts';
import type { ToolSettings } from '../tool-settings.ts';
import { type CallScopes, callScopesUnder } from './call-scopes.ts';
import { FreeCalls } from './free-calls.ts';
import {
  freeHoldOf,
  holdMoreFor,
  leastMicros,
  limitsTokens,
  NOTHING,
  type RefusedHold,
  reserveMost,
} from './holds.ts';
import { givePurse, type HoldMore, Purse, purseOf } from './purse.ts';

export interface BudgetingDeps {
  readonly ledger: Ledger;
  readonly late: Pick<LateWrites, 'addCleanUp' | 'attempt'>;
  readonly limits: BudgetLimits;
  readonly runtime: Runtime;
  readonly model: Pick<Model, 'price'>;
  settingsOf(tool: Tool): ToolSettings;
}

type Judged = Call<'ready' | 'input' | 'grant'>;

export interface Held {
  readonly purse: Purse;
  /** The call is one of the tool's free ones: its price does not count. */
  readonly isFree: boolean;
  readonly scopes: readonly BudgetScope[];
}

export interface NotHeld {
  readonly refused: RefusedHold;
}

const COVERED: ReserveOutcome = { ok: true };
const DEFAULT_UNKNOWN_USD = 1;
const DEFAULT_UNKNOWN_TOKENS = 100_000;
export class Budgeting {
  readonly ledger: Ledger;
  readonly freeCalls: FreeCalls;
  /**
   * Tells whether a limit counts the calls of a tool. Most tools are counted by no limit, have no price
   * and need no hold.
   */
  readonly #isCounted: (tool: Tool) => boolean;
  readonly #isPriceless: (tool: Tool) => boolean;
  readonly #scopesOf: CallScopes;
  readonly #deps: BudgetingDeps;
  readonly #unknown: Spending;
  /** Tools that charged although they declare no price: their next call is held beforehand. */
  readonly #charging = new Set<string>();

  constructor(deps: BudgetingDeps) {
    const { limits } = deps;
    this.ledger = deps.ledger;
    this.freeCalls = new FreeCalls(deps);
    this.#deps = deps;
    this.#scopesOf = callScopesUnder(limits);
    this.#isCounted = perTool(({ name }) => countsFreeCalls(limits, name));
    this.#isPriceless = perTool((tool) => hasNoPrice(tool) && !this.#isCounted(tool));
    this.#unknown = {
      micros: boundedMicros(limits.unknownUsd ?? DEFAULT_UNKNOWN_USD),
      tokens: limits.unknownTokens ?? DEFAULT_UNKNOWN_TOKENS,
    };
  }

  /** Tells whether calls of a tool need no estimate and no hold: most tools are free. Saves 0.1 µs a call. */
  isFree(tool: Tool): boolean {
    return this.#isPriceless(tool) && !this.#hasCharged(tool);
  }

  /** Estimates what the call will probably cost, and the most it can cost where that is more. */
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

  /** Checks whether the budget covers the call, and holds nothing. */
  async covers(call: Judged, estimate: Estimate): Promise<ReserveOutcome> {
    if (!this.needsHold(call, estimate)) return COVERED;
    const most = this.#mostOf(call, estimate);
    const free = this.#freeScope(call, most);
    const isFree = free && (await this.ledger.covers({ scopes: [free], amountMicros: 0 })).ok;
    const amountMicros = isFree ? 0 : leastMicros(most);
    const scopes = this.#scopesNow(call);
    return this.ledger.covers({ scopes, amountMicros, tokens: most.tokens });
  }

  /** Holds the most the call can cost, or nothing but the count for one of the tool's free calls. */
  async hold(call: Judged, estimate: Estimate): Promise<Held | NotHeld> {
    const { executionId } = call;
    const most = this.#mostOf(call, estimate);
    const free = this.#freeScope(call, most);
    const scopes = this.#scopesNow(call);
    try {
      const isFree = free !== undefined && (await this.#takeFree(executionId, free));
      const amounts = { most: isFree ? freeOf(most) : most, unknown: this.#unknown };
      const { outcome, held } = await reserveMost(this.ledger, { executionId, scopes }, amounts);
      if (!outcome.ok) {
        if (isFree) await this.ledger.release(freeHoldOf(executionId));
        return { refused: outcome };
      }
      const max = { micros: most.maxMicros, tokens: most.maxTokens };
      const purse = givePurse(call, this.#newPurse(call, scopes, { held, max, wish: NOTHING }));
      return { purse, isFree, scopes };
    } catch (error) {
      // It may be held all the same: the answer can be lost after the store has committed.
      this.#releaseLater(executionId);
      if (free) this.#releaseLater(freeHoldOf(executionId));
      throw error;
    }
  }

  /** Returns the purse of a running call, a new and empty one for a call that held nothing. */
  purse(call: Call<'ready'>): Purse {
    const purse = purseOf(call);
    if (purse) return purse;
    if (!isAdmitted(call) || call.notes.ended) {
      throw new ToolFailure('EXECUTION_FAILED', 'Only a running tool can spend money.');
    }
    const { maxMicros, maxTokens } = this.#mostOf(call, call.budget.estimate);
    const scopes = this.#scopesNow(call);
    const max = { micros: maxMicros, tokens: maxTokens };
    const options = { held: NOTHING, max, wish: this.#unknown };
    return givePurse(call, this.#newPurse(call, scopes, options));
  }

  /**
   * Books what was used; a call that never ran gives everything back. Later where the store fails, since the
   * call has ended as it has: until then the whole amount is held.
   */
  settle(call: Judged, actual: Spending): Promise<void> {
    const { executionId, notes } = call;
    const { late, runtime } = this.#deps;
    const isUsed = notes.attempts > 0 || actual.micros > 0;
    const logLate = (error: unknown): void =>
      runtime.log.error('a cost could not be booked', { executionId, error: thrownText(error) });
    const end = (hold: string, spending: Spending): Promise<void> =>
      late
        .attempt(() => (isUsed ? this.ledger.settle(hold, spending) : this.ledger.release(hold)))
        .catch(logLate);
    const ended = end(executionId, actual);
    if (!hasFreeTier(call)) return ended;
    return ended.then(() => end(freeHoldOf(executionId), NOTHING));
  }

  /** Books what a tool without a price charged; it was held when it was charged. */
  async bookUnheld(call: Judged, purse: Purse): Promise<void> {
    // Closed first: what is charged during the wait would hold money that nobody gives back.
    purse.close();
    await purse.settled;
    const { spent, held } = purse;
    call.notes.costMicros = spent.micros;
    call.notes.tokens = spent.tokens;
    if (held.micros > 0 || held.tokens > 0) {
      await this.#deps.late.attempt(() => this.ledger.settle(call.executionId, spent));
      return;
    }
    if (purse.isHoldUnknown) this.#releaseLater(call.executionId);
    this.countFree(call);
  }

  /** Counts a call without a hold, in the periods in which it started, so that usage shows it. */
  countFree(call: Judged): void {
    if (call.notes.attempts === 0) return;
    this.freeCalls.count(this.#scopesOf(call, call.startedAt), call.notes.tokens);
  }

  #releaseLater(hold: string): void {
    this.#deps.late.addCleanUp(() => this.ledger.release(hold));
  }

  #probable(call: Judged): Estimate {
    const { tool } = call.ready;
    const { input, grant } = call;
    const { capability } = grant;
    return estimateCost(tool, { input, capability }, this.#deps.settingsOf(tool).timeoutMs);
  }

  /**
   * Tells whether the call can cost more than its price says: most tools have no price and never
   * charge.
   */
  #mayExceed(tool: Tool): boolean {
    if (tool.estimate !== undefined || tool.cost?.model === 'usage_based') return true;
    return this.#hasCharged(tool);
  }

  #hasCharged({ name }: Tool): boolean {
    return this.#charging.size > 0 && this.#charging.has(name);
  }

  #mostOf(call: Judged, estimate: Estimate): Most {
    const { tool } = call.ready;
    return mostCost(tool, {
      input: call.input,
      estimate,
      modelPrice: this.#deps.model.price,
      unknownMicros: this.#unknown.micros,
      hasCharged: this.#hasCharged(tool),
    });
  }

  #newPurse(
    call: Call<'ready'>,
    scopes: readonly BudgetScope[],
    amounts: { readonly held: Spending; readonly max: Spending; readonly wish: Spending },
  ): Purse {
    const { executionId, ready } = call;
    const { held, max, wish } = amounts;
    const hasHold = wish === NOTHING;
    let hold: HoldMore | undefined;
    const holdMore: HoldMore = (need, preferred) => {
      if (!hasHold) this.#charging.add(ready.tool.name);
      hold ??= holdMoreFor(this.ledger, { executionId, scopes }, hasHold);
      return hold(need, preferred);
    };
    // Field by field: copying `amounts` with `...` costs 3 µs here.
    return new Purse(call, { held, max, wish, limitsTokens: limitsTokens(scopes), holdMore });
  }

  #scopesNow(call: Judged): readonly BudgetScope[] {
    return this.#scopesOf(call, this.#deps.runtime.now());
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

/** Tells whether nothing in a tool's definition gives its calls a price or a time. */
const hasNoPrice = ({ cost, estimate, composition, capabilities }: Tool): boolean => {
  const isPriced = cost !== undefined && cost.model !== 'free';
  const saysMore = capabilities.some(
    ({ estimatedCost, estimatedTime }) =>
      estimatedCost !== undefined || estimatedTime !== undefined,
  );
  return !(isPriced || estimate || composition || saysMore);
};

const freeOf = (most: Most): Most => ({ ...most, micros: 0, openMicros: false });

const isAdmitted = (call: Call<'ready'>): call is Judged & Call<'budget'> =>
  evidenceOf(call).budget !== undefined;

const hasFreeTier = ({ ready }: Judged): boolean => ready.tool.cost?.freeTierLimit !== undefined;

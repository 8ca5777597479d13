/**
 * Tracks what one call may spend and has spent. Money is held in the ledger before it counts as spent; a
 * call that charges more than it may is stopped, and never booked above what was held.
 */
import type { Call, CallRequest } from '../../contract/call.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Spending } from '../../contract/store.ts';

const MAX = Number.MAX_SAFE_INTEGER;

/**
 * Holds more in the ledger for one call: at least `need`, and `wish` if the budget allows it. Returns what it
 * holds.
 */
export type HoldMore = (need: Spending, wish: Spending) => Promise<Spending | undefined>;

export interface PurseOptions {
  readonly held: Spending;
  /** The total at which a charge ends the call. */
  readonly max: Spending;
  /** Whether some limit counts tokens; otherwise they are only reported. */
  readonly limitsTokens: boolean;
  /** How much to hold at the first charge of a call for which nothing was held before. */
  readonly wish: Spending;
  readonly holdMore: HoldMore;
}

export const overspent = (): ToolFailure =>
  new ToolFailure('BUDGET_EXCEEDED', 'The call cost more than was held for it, and was stopped.', {
    suggestions: [
      'See what was spent with `toolcrib usage`.',
      'Have the tool tell the most that a call can cost, with `estimate`.',
    ],
  });

const notCovered = (): ToolFailure =>
  new ToolFailure('BUDGET_EXCEEDED', 'The budget does not cover a question to the model.', {
    suggestions: [
      'See what was spent with `toolcrib usage`.',
      'Raise the limit under `budget` in your own configuration, or wait for the next period.',
    ],
  });

const sum = (a: number, b: number): number => Math.min(a + b, MAX);

export class Purse {
  readonly #call: Call<'ready'>;
  readonly #options: PurseOptions;
  #held: Spending;
  #max: Spending;
  /** What the tool reported; what it reports of the model is in `#byModel`, too. */
  #reported: Spending = { micros: 0, tokens: 0 };
  #byModel: Spending = { micros: 0, tokens: 0 };
  /** The most that questions under way can cost. */
  #underWay: Spending = { micros: 0, tokens: 0 };
  #growing: Promise<void> | undefined = undefined;
  #isClosed = false;
  /** The attempt that reported last; 0 when none did. */
  reportedIn = 0;
  /** The ledger failed when more was to be held: what it holds may be more than `held`. */
  isHoldUnknown = false;

  constructor(call: Call<'ready'>, options: PurseOptions) {
    this.#call = call;
    this.#options = options;
    this.#held = options.held;
    this.#max = options.max;
  }

  /** Resolves when the ledger has answered every request for more. */
  get settled(): Promise<void> | undefined {
    return this.#growing;
  }

  get held(): Spending {
    return this.#held;
  }

  /** What was spent, questions under way at their most; never above what is held. */
  get spent(): Spending {
    const { micros, tokens } = this.#used();
    const most = this.#options.limitsTokens ? this.#held.tokens : MAX;
    return { micros: Math.min(micros, this.#held.micros), tokens: Math.min(tokens, most) };
  }

  /** Counts what the tool reports. Throws, and stops the call, when it is more than it may spend. */
  charge(more: Spending): void {
    if (this.#isClosed || this.#call.control.reason === 'BUDGET_EXCEEDED') throw overspent();
    this.reportedIn = this.#call.notes.attempts;
    const { micros, tokens } = this.#reported;
    this.#reported = { micros: sum(micros, more.micros), tokens: sum(tokens, more.tokens) };
    this.#note();
    if (this.#exceeds(this.#max)) throw this.#stop();
    if (this.#exceeds(this.#held)) this.#grow();
  }

  /** Holds the most that a question to the model can cost. Throws when the budget does not cover it. */
  async ask(most: Spending): Promise<void> {
    if (this.#isClosed || this.#call.control.aborted) throw overspent();
    const { micros, tokens } = this.#underWay;
    this.#underWay = { micros: sum(micros, most.micros), tokens: sum(tokens, most.tokens) };
    if (this.#exceeds(this.#held)) {
      this.#grow();
      await this.#growing;
    }
    if (!this.#isClosed && !this.#exceeds(this.#held)) return;
    this.#endQuestion(most);
    throw this.#isClosed ? overspent() : notCovered();
  }

  /** Holds what is left, up to the configured amount, for a question of unknown price. */
  async askOpen(tokens: number): Promise<Spending> {
    await this.ask({ micros: 1, tokens });
    const rest = Math.max(0, this.#held.micros - this.#used().micros);
    this.#underWay = { ...this.#underWay, micros: sum(this.#underWay.micros, rest) };
    return { micros: 1 + rest, tokens };
  }

  /** Ends a question: counts what it cost, or nothing when it was not answered. */
  async answered(most: Spending, actual: Spending): Promise<void> {
    // After the end the most is booked already.
    if (this.#isClosed) return;
    this.#endQuestion(most);
    const { micros, tokens } = this.#byModel;
    this.#byModel = { micros: sum(micros, actual.micros), tokens: sum(tokens, actual.tokens) };
    this.reportedIn = this.#call.notes.attempts;
    this.#note();
    if (!this.#exceeds(this.#held)) return;
    this.#grow();
    await this.#growing;
    if (this.#exceeds(this.#held)) throw this.#stop();
  }

  /** Ends counting: the call is about to be settled. */
  close(): void {
    this.#isClosed = true;
  }

  #endQuestion(most: Spending): void {
    const { micros, tokens } = this.#underWay;
    this.#underWay = { micros: micros - most.micros, tokens: tokens - most.tokens };
  }

  #used(): Spending {
    const { micros, tokens } = this.#underWay;
    return {
      micros: sum(Math.max(this.#reported.micros, this.#byModel.micros), micros),
      tokens: sum(Math.max(this.#reported.tokens, this.#byModel.tokens), tokens),
    };
  }

  #exceeds(limit: Spending): boolean {
    const used = this.#used();
    if (used.micros > limit.micros) return true;
    return this.#options.limitsTokens && used.tokens > limit.tokens;
  }

  #hasOverspent(): boolean {
    const { notes } = this.#call;
    if (notes.costMicros > this.#held.micros) return true;
    return this.#options.limitsTokens && notes.tokens > this.#held.tokens;
  }

  #note(): void {
    const { notes } = this.#call;
    notes.costMicros = Math.max(this.#reported.micros, this.#byModel.micros);
    notes.tokens = Math.max(this.#reported.tokens, this.#byModel.tokens);
  }

  #stop(): ToolFailure {
    this.#call.control.abort('BUDGET_EXCEEDED');
    return overspent();
  }

  /** Queues requests for more, so that no two ask for the same money. */
  #grow(): void {
    const before = this.#growing ?? Promise.resolve();
    this.#growing = before.then(() => this.#holdMissing());
  }

  async #holdMissing(): Promise<void> {
    const used = this.#used();
    const { limitsTokens, wish, holdMore } = this.#options;
    const micros = Math.max(0, used.micros - this.#held.micros);
    const tokens = limitsTokens ? Math.max(0, used.tokens - this.#held.tokens) : 0;
    if (micros === 0 && tokens === 0) return;
    const need = { micros, tokens };
    const more = await holdMore(need, {
      micros: micros === 0 ? 0 : Math.max(micros, wish.micros - this.#held.micros),
      tokens: tokens === 0 ? 0 : Math.max(tokens, wish.tokens - this.#held.tokens),
    }).catch(() => {
      this.isHoldUnknown = true;
      return undefined;
    });
    if (more) this.#add(more);
    // `ask` refuses a question itself; a charge has happened already, so the call is stopped.
    else if (this.#hasOverspent()) this.#stop();
  }

  #add(more: Spending): void {
    const { micros, tokens } = this.#held;
    this.#held = { micros: sum(micros, more.micros), tokens: sum(tokens, more.tokens) };
    this.#max = {
      micros: Math.max(this.#max.micros, this.#held.micros),
      tokens: Math.max(this.#max.tokens, this.#held.tokens),
    };
  }
}

/** A call with the field for its purse, which is far cheaper than a map of purses. */
interface CallWithPurse {
  purse: Purse | undefined;
}

export const purseOf = (call: CallRequest): Purse | undefined =>
  (call as unknown as CallWithPurse).purse;

export const givePurse = (call: CallRequest, purse: Purse): Purse => {
  (call as unknown as CallWithPurse).purse = purse;
  return purse;
};

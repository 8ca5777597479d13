/**
 * Decides which calls of a run the approval of its plan covers: those that the plan lists, at their
 * place, with that tool, that input and those targets, under the same rules, for a day. A call that a
 * rule asks about each time is never covered.
 */
import type { ApprovalRecord } from '../../contract/approver.ts';
import type { PlanConsent } from '../../contract/call-options.ts';
import type { Caller } from '../../contract/caller.ts';
import type { PlannedCall, PlanQuestion } from '../../contract/flow-plan.ts';
import type { RunPlan } from '../../contract/flow-store.ts';
import type { Tier } from '../../contract/tool.ts';
import { showsWhatItBinds } from '../../governance/approvals/binding.ts';
import type { ResolvedTargets } from '../../governance/approvals/call-targets.ts';
import { isDelicate } from '../../governance/policy/capability.ts';
import { digestOf } from '../../kit/data/canonical-json.ts';
import { DAY_MS } from '../../kit/data/durations.ts';
import type { JudgedCall } from './call-bindings.ts';
import { PLAN_TOOL } from './plan-tool.ts';

/** Limits the cover to a day: a run that sleeps for weeks must not use an old approval. */
const MAX_COVER_MS = DAY_MS;

/** Tiers whose calls an approved plan covers although their input was not known when it was approved. */
const OPEN_TIERS: ReadonlySet<Tier> = new Set<Tier>(['read_only', 'write']);

/** What a call is compared by. */
export interface ConsentFacts {
  readonly definition: string;
  readonly policyVersion: string;
  readonly now: number;
  resolveTargets(): Promise<ResolvedTargets>;
}

/** One place of a plan that was approved. Its private field keeps others from making one. */
class PlannedPlace implements PlanConsent {
  readonly approvalId: string;
  readonly by: string;
  readonly #planned: PlannedCall;
  readonly #cover: Pick<PlanCover, 'policyVersion' | 'until'>;

  constructor(planned: PlannedCall, cover: PlanCover) {
    this.approvalId = cover.approvalId;
    this.by = cover.by;
    this.#planned = planned;
    this.#cover = cover;
  }

  static is(value: unknown): value is PlannedPlace {
    return typeof value === 'object' && value !== null && #planned in value;
  }

  /** Returns where the call leads when it is the one that was approved; `undefined` otherwise. */
  async fits(call: JudgedCall, facts: ConsentFacts): Promise<ResolvedTargets | undefined> {
    const { tool, version, definition, targets } = this.#planned;
    const { ready, grant, input } = call;
    // The plan covers no call that a planned call makes, and none that a rule asks about each time.
    if (call.parent || grant.everyTime) return undefined;
    if (facts.now >= this.#cover.until) return undefined;
    if (facts.policyVersion !== this.#cover.policyVersion) return undefined;
    if (ready.tool.name !== tool || ready.tool.version !== version) return undefined;
    if (facts.definition !== definition) return undefined;
    if (targets === undefined) return isOpenCall(call) ? facts.resolveTargets() : undefined;
    if (digestOf(input) !== digestOf(this.#planned.input)) return undefined;
    const resolved = await facts.resolveTargets();
    return digestOf(resolved.targets) === digestOf(targets) ? resolved : undefined;
  }
}

/** Says whether a call may be covered whose input was not known: it destroys nothing and reaches nobody. */
const isOpenCall = ({ ready, grant: { tier, capability } }: JudgedCall): boolean =>
  OPEN_TIERS.has(tier) && !isDelicate(ready.tool, capability);

export const isPlanConsent = (value: unknown): boolean => PlannedPlace.is(value);

/** Compares a call with what the plan of its run says about it. */
export const coveredTargets = async (
  call: JudgedCall,
  consent: PlanConsent,
  facts: ConsentFacts,
): Promise<ResolvedTargets | undefined> =>
  PlannedPlace.is(consent) ? consent.fits(call, facts) : undefined;

/** The run that an approval is for. */
export interface PlannedRun {
  readonly caller: Caller;
  readonly plan: RunPlan;
  readonly createdAt: number;
}

export class PlanCover {
  readonly approvalId: string;
  readonly by: string;
  readonly policyVersion: string;
  readonly until: number;
  readonly #calls: ReadonlyMap<string, PlannedCall>;

  private constructor(record: ApprovalRecord, { createdAt }: PlannedRun) {
    this.approvalId = record.id;
    this.by = record.decidedBy ?? '';
    this.policyVersion = record.policyVersion;
    // No run starts with an approval that has expired. Its seal covers that moment, that of a run not its start.
    this.until = Math.min(createdAt, record.expiresAt) + MAX_COVER_MS;
    const { calls } = record.request.input as PlanQuestion;
    this.#calls = new Map(calls.map((call) => [call.place, call]));
  }

  /**
   * Reads what a person approved. The seal of the record has to be checked before. Returns nothing for a
   * record that is not the approval of this run's plan.
   */
  static of(record: ApprovalRecord, run: PlannedRun): PlanCover | undefined {
    const { userId, agentId, sessionId } = run.caller;
    const isOfCaller =
      record.userId === userId && record.agentId === agentId && record.sessionId === sessionId;
    if (!isOfCaller || record.tool !== PLAN_TOOL || record.id !== run.plan.approvalId) {
      return undefined;
    }
    // An edited plan is a different one, and an approval that was not redeemed belongs to no run.
    if (record.state !== 'used' || record.edited || !showsWhatItBinds(record)) return undefined;
    const { digest } = record.request.input as PlanQuestion;
    return digest === run.plan.digest ? new PlanCover(record, run) : undefined;
  }

  /** Returns what was approved for one place, for the call that is made there. */
  at(place: string): PlanConsent | undefined {
    const planned = this.#calls.get(place);
    return planned && new PlannedPlace(planned, this);
  }
}

/**
 * Where approvals are opened and redeemed. A record is bound to caller, tool, version, exact input
 * and policy; it is good for one call, and only the store says whether it is still unused.
 */
import type { ApprovalRecord, ApprovalRequest, Approver, Decision } from '../contract/approver.ts';
import type { Call, Estimate } from '../contract/call.ts';
import type { Events } from '../contract/events.ts';
import type { Policy } from '../contract/policy.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Approvals } from '../contract/store.ts';
import { digestOf } from '../governance/digest.ts';
import { MICROS_PER_USD } from '../governance/estimate-cost.ts';
import { failed, waiting } from './outcome.ts';

export interface ApprovalDeskDeps {
  readonly approvals: Approvals;
  readonly approver: Approver | undefined;
  readonly policy: Policy;
  readonly runtime: Runtime;
  readonly events: Events;
  readonly expiresMs: number;
  newId(): string;
}

type Judged = Call<'ready' | 'input' | 'grant'>;

/** Who agreed, or the result that ends the call. */
export type DeskAnswer = { readonly by: string } | { readonly result: ToolResult };

const LATER: Decision = { answer: 'later', by: '' };

export class ApprovalDesk {
  readonly #deps: ApprovalDeskDeps;

  constructor(deps: ApprovalDeskDeps) {
    this.#deps = deps;
  }

  /** Puts the question on record, asks if there is somebody to ask, and answers with a decision. */
  async ask(call: Judged, estimate: Estimate, reason: string): Promise<DeskAnswer> {
    const record = await this.park(call, estimate, reason);
    const decision = await this.#question(record.request, call);
    if (call.control.aborted) return this.#withdraw(call, record.id);
    if (decision.answer === 'later') return { result: this.#pending(call, record) };
    const approve = decision.answer === 'approve';
    const at = this.#deps.runtime.now();
    await this.#deps.approvals.decide(record.id, { approve, by: decision.by, at });
    this.#deps.events.emit('approval.decided', { approvalId: record.id, approved: approve });
    if (!approve) return { result: failed(call, 'USER_CANCELLED') };
    return this.#use(call, record.id, decision.by);
  }

  /** Leaves a waiting record in the inbox. */
  async park(call: Judged, estimate: Estimate, reason: string): Promise<ApprovalRecord> {
    const record = this.#newRecord(call, estimate, reason);
    await this.#deps.approvals.create(record);
    const { id, tool } = record;
    this.#deps.events.emit('approval.requested', { approvalId: id, tool });
    return record;
  }

  pending(call: Judged, record: ApprovalRecord): ToolResult {
    return this.#pending(call, record);
  }

  /** Spends an approval given earlier. It must fit this very call and be unused. */
  async redeem(call: Judged, approvalId: string): Promise<DeskAnswer> {
    const record = await this.#deps.approvals.get(approvalId);
    if (!record || !this.#fits(record, call)) {
      return { result: failed(call, 'APPROVAL_EXPIRED') };
    }
    if (record.state === 'denied') return { result: failed(call, 'USER_CANCELLED') };
    if (record.expiresAt <= this.#deps.runtime.now()) {
      return { result: failed(call, 'APPROVAL_EXPIRED') };
    }
    if (record.state === 'waiting') return { result: this.#pending(call, record) };
    return this.#use(call, record.id, record.decidedBy ?? '');
  }

  /** The call is gone: nobody may approve it any more. */
  async #withdraw(call: Judged, id: string): Promise<DeskAnswer> {
    const at = this.#deps.runtime.now();
    await this.#deps.approvals.decide(id, { approve: false, by: 'cancelled', at });
    this.#deps.events.emit('approval.decided', { approvalId: id, approved: false });
    return { result: failed(call, call.control.reason ?? 'CANCELLED') };
  }

  async #use(call: Judged, id: string, by: string): Promise<DeskAnswer> {
    if (await this.#deps.approvals.use(id)) return { by };
    return { result: failed(call, 'APPROVAL_EXPIRED') };
  }

  #fits(record: ApprovalRecord, call: Judged): boolean {
    const { tool } = call.ready;
    const { userId, agentId, sessionId } = call.caller;
    return (
      record.tool === tool.name &&
      record.version === tool.version &&
      record.userId === userId &&
      record.agentId === agentId &&
      record.sessionId === sessionId &&
      record.policyVersion === this.#deps.policy.version &&
      record.inputDigest === digestOf(call.input)
    );
  }

  async #question(request: ApprovalRequest, call: Judged): Promise<Decision> {
    const { approver } = this.#deps;
    if (!approver) return LATER;
    try {
      return await approver.ask(request, call.control.signal);
    } catch {
      return { answer: 'deny', by: 'no answer' };
    }
  }

  #pending(call: Judged, { id, expiresAt }: ApprovalRecord): ToolResult {
    return waiting(call, { approvalId: id, expiresAt });
  }

  #newRecord(call: Judged, estimate: Estimate, reason: string): ApprovalRecord {
    const { caller, input } = call;
    const { tool } = call.ready;
    const id = this.#deps.newId();
    const createdAt = this.#deps.runtime.now();
    const expiresAt = createdAt + this.#deps.expiresMs;
    const request: ApprovalRequest = {
      id,
      caller,
      tool: tool.name,
      version: tool.version,
      description: tool.description,
      tier: call.grant.tier,
      action: call.grant.capability?.action ?? tool.name,
      input,
      estimatedCost: estimate.costMicros / MICROS_PER_USD,
      estimatedTime: estimate.timeMs,
      effects: (tool.effects ?? []).map(({ description }) => description),
      reason,
      expiresAt,
    };
    const { userId, agentId, sessionId } = caller;
    return {
      id,
      userId,
      agentId,
      sessionId,
      tool: tool.name,
      version: tool.version,
      inputDigest: digestOf(input),
      policyVersion: this.#deps.policy.version,
      createdAt,
      expiresAt,
      state: 'waiting',
      request,
    };
  }
}

/**
 * Lets calls wait for a person. A question is on record before anyone sees it; an answer is on record
 * before it counts; and it counts once, for the very call that was asked about.
 */
import {
  type ApprovalAnswer,
  type ApprovalRecord,
  type Approver,
  NOBODY_IN_TIME,
} from '../../contract/approver.ts';
import type { AuditEntry, AuditLog } from '../../contract/audit.ts';
import type { AbortReason, Estimate } from '../../contract/call.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Events } from '../../contract/events.ts';
import type { NewGrant } from '../../contract/grant.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Approvals } from '../../contract/store.ts';
import { fits, showsWhatItBinds } from '../../governance/approvals/binding.ts';
import { rememberedGrant } from '../../governance/approvals/remembered-grant.ts';
import { decisionOf, decisionText, type Seals } from '../../governance/approvals/seals.ts';
import type { Redactor } from '../../governance/redaction/redaction.ts';
import { failed, waiting } from '../outcome.ts';
import { auditEvent } from '../record/audit-event.ts';
import { approvalRecord } from './approval-record.ts';
import { ApproverQuestions } from './approver-questions.ts';
import {
  type Approved,
  type CallBindingDeps,
  CallBindings,
  type Confirmed,
  type JudgedCall,
} from './call-bindings.ts';
import { earlierApprovals } from './earlier-approvals.ts';
import type { PermissionService } from './permission-service.ts';
import { answerMoment, isOfStep, isUnnamedStep, mayAnswer, namedStepOf } from './step-answers.ts';

export interface ApprovalServiceDeps extends CallBindingDeps {
  readonly approvals: Approvals;
  readonly permissions: Pick<PermissionService, 'grant' | 'check'>;
  readonly audit: Pick<AuditLog, 'append'>;
  readonly seals: Seals;
  readonly approver: Approver | undefined;
  readonly redactor: Redactor;
  readonly runtime: Runtime;
  readonly events: Events;
  readonly expiresMs: number;
  newId(): string;
}

/** Who agreed, or the result that ends the call. */
export type ApprovalOutcome = Approved | { readonly result: ToolResult };

/** Limits the open questions of one user to what a person can look at. */
const MAX_WAITING = 200;

const expired = (call: JudgedCall): ApprovalOutcome => ({
  result: failed(call, 'APPROVAL_EXPIRED'),
});

/** Ends a call with the "no" of a person, which counts however late it is read. One that nobody said is no answer. */
const denied = (call: JudgedCall, { decidedBy }: ApprovalRecord): ApprovalOutcome =>
  decidedBy === NOBODY_IN_TIME ? expired(call) : { result: failed(call, 'USER_CANCELLED') };

const otherQuestion = (): ToolFailure =>
  new ToolFailure(
    'SECURITY_VIOLATION',
    'The question on record shows another call than it binds.',
    {
      suggestions: ['Somebody has changed the store. Make the call again.'],
    },
  );

/** Tells whether a call that has asked before asks the question that waits, and no other. */
const isSameQuestion = (call: JudgedCall, hasApprover: boolean): boolean =>
  namedStepOf(call) !== undefined || (!hasApprover && !isUnnamedStep(call));

const tooMany = (call: JudgedCall): ToolResult =>
  failed(call, 'RATE_LIMITED', {
    message: 'Too many calls of this user wait for approval already.',
    suggestions: ['Wait until a person has looked at those in the inbox.'],
  });

/** Makes the row of the trail that says who decided what about a call that waited. */
const decisionEvent = (
  { id, tool, agentId, sessionId, userId, inputDigest }: ApprovalRecord,
  decision: Parameters<Approvals['decide']>[1],
): AuditEntry => {
  const { approve, by, at, note, edited } = decision;
  const detail = {
    approved: approve,
    for: userId,
    inputDigest,
    ...(note !== undefined && { note }),
    ...(edited && { edited: true }),
  };
  const status = approve ? 'success' : 'denied';
  const event = 'approval.decided';
  return auditEvent({ event, id, at, by, status, tool, agentId, sessionId, detail });
};

export class ApprovalService {
  readonly #deps: ApprovalServiceDeps;
  readonly #bindings: CallBindings;
  readonly #questions: ApproverQuestions;

  constructor(deps: ApprovalServiceDeps) {
    this.#deps = deps;
    this.#bindings = new CallBindings(deps);
    this.#questions = new ApproverQuestions(deps);
  }

  /** Puts the question on record, asks the approver if there is one, and returns the outcome. */
  async ask(call: JudgedCall, estimate: Estimate): Promise<ApprovalOutcome> {
    const earlier = await this.#spendEarlier(call);
    if (earlier) return earlier;
    const parked = await this.park(call, estimate, call.grant.reason);
    if ('result' in parked) return parked;
    const decision = await this.#questions.ask(parked.request, call);
    if (call.control.reason) return this.#withdraw(call, parked.id, call.control.reason);
    if (decision.answer === 'later') {
      return this.#isOpen(parked) ? { result: this.pending(call, parked) } : expired(call);
    }
    const approve = decision.answer === 'approve';
    try {
      await this.decide(parked, { ...decision, approve });
    } catch (error) {
      // An approval that cannot be carried out as given counts as a denial.
      await this.decide(parked, { approve: false, by: decision.by });
      throw error;
    }
    return this.#spend(call, parked.id);
  }

  /**
   * Leaves a waiting record in the inbox. The same question again is the same record where no approver is asked,
   * and where the same step of a run asks: its process may have been killed at the question.
   */
  async park(
    call: JudgedCall,
    estimate: Estimate,
    reason: string,
  ): Promise<ApprovalRecord | { readonly result: ToolResult }> {
    const { newId, runtime, expiresMs, redactor } = this.#deps;
    const binding = await this.#bindings.of(call);
    const createdAt = runtime.now();
    const dates = { createdAt, expiresAt: createdAt + expiresMs };
    const question = { id: newId(), binding, estimate, reason, ...dates };
    const record = approvalRecord(call, question, redactor);
    const outcome = await this.#deps.approvals.park({
      record,
      maxWaiting: MAX_WAITING,
      reuse: isSameQuestion(call, this.#questions.hasApprover(call)),
      now: createdAt,
    });
    if (outcome.state === 'full') return { result: tooMany(call) };
    if (outcome.state === 'same') return outcome.record;
    const { id: approvalId, tool, summary = '' } = record;
    this.#deps.events.emit('approval.requested', { approvalId, tool, summary });
    return record;
  }

  pending(call: JudgedCall, { id, expiresAt }: ApprovalRecord): ToolResult {
    return waiting(call, { approvalId: id, expiresAt });
  }

  /** Spends an approval given earlier. It must fit this very call, be live and unused. */
  async redeem(call: JudgedCall, approvalId: string): Promise<ApprovalOutcome> {
    const record = await this.#deps.approvals.get(approvalId);
    if (!record || !mayAnswer(record, call)) return expired(call);
    if (!fits(record, await this.#bindings.of(call))) return expired(call);
    if (record.state === 'denied') return denied(call, record);
    if (record.state !== 'waiting') return this.#spend(call, record.id);
    return this.#isOpen(record) ? { result: this.pending(call, record) } : expired(call);
  }

  /** Spends an approval that came after the tool had ended; skips those that other calls spend first. */
  async #spendEarlier(call: JudgedCall): Promise<Approved | undefined> {
    const { approvals, runtime } = this.#deps;
    const bind = () => this.#bindings.of(call);
    for (const { id } of await earlierApprovals(call, { approvals, bind, now: runtime.now() })) {
      const outcome = await this.#spend(call, id);
      if ('by' in outcome) return outcome;
    }
    return undefined;
  }

  /** Compares the call that is about to run with the one that was approved. */
  confirm(call: JudgedCall, approved: Approved): Promise<Confirmed> {
    return this.#bindings.confirm(call, approved);
  }

  /** Takes a person's answer. False when the question is not waiting any more. */
  async decide(record: ApprovalRecord, answer: ApprovalAnswer): Promise<boolean> {
    const { approve, by, note } = answer;
    const { approvals, runtime, events, permissions, audit } = this.#deps;
    const at = runtime.now();
    if (!this.#isOpen(record)) return false;
    if (approve && !showsWhatItBinds(record)) throw otherQuestion();
    const grant = this.#grantOf(record, answer, at);
    if (grant) await permissions.check(grant);
    const edited = approve &&
      answer.input !== undefined && {
        edited: await this.#bindings.ofEdited(record, answer.input),
      };
    const decision = { approve, by, at, ...(note !== undefined && { note }), ...edited };
    const seal = await this.#deps.seals.seal(decisionText(record, decision));
    const sealed = seal === undefined ? decision : { ...decision, seal };
    if (!(await approvals.decide(record.id, sealed))) return false;
    events.emit('approval.decided', { approvalId: record.id, approved: approve });
    await audit.append(decisionEvent(record, decision));
    if (grant) await permissions.grant(grant);
    return true;
  }

  /** Returns what the answer allows beyond this call; nothing where that may not be remembered. */
  #grantOf(record: ApprovalRecord, answer: ApprovalAnswer, at: number): NewGrant | undefined {
    const { approve, remember, by } = answer;
    if (!approve || !remember || !record.request.rememberable) return undefined;
    return rememberedGrant(record, remember, { by, at });
  }

  /** Denies a question whose call is gone, so that nobody can approve it any more. */
  async #withdraw(call: JudgedCall, id: string, reason: AbortReason): Promise<ApprovalOutcome> {
    const at = this.#deps.runtime.now();
    await this.#deps.approvals.decide(id, { approve: false, by: 'cancelled', at });
    this.#deps.events.emit('approval.decided', { approvalId: id, approved: false });
    return { result: failed(call, reason) };
  }

  /**
   * Uses an approval up. What the store says counts: it takes one decision and one use. The step that has used
   * it may do so again: its process died before the call had an effect, or its key would answer.
   */
  async #spend(call: JudgedCall, id: string): Promise<ApprovalOutcome> {
    const { approvals, runtime } = this.#deps;
    const record = await approvals.get(id);
    if (record?.state === 'denied') return denied(call, record);
    if (!record || !(await this.#isOurs(record))) return expired(call);
    const isUsed = record.state === 'used' && isOfStep(record, call);
    const usedAt = answerMoment(record, call) ?? runtime.now();
    if (!isUsed && !(await approvals.use(id, usedAt))) return expired(call);
    const { reason } = call.control;
    if (reason) return { result: failed(call, reason) };
    const { decidedBy = '', decidedAt, edited } = record;
    const edit = edited && { edited, decidedAt };
    return { approvalId: id, by: decidedBy, binding: record, ...edit };
  }

  /** Checks the seal: an approval that somebody else put into the store does not count. */
  #isOurs(record: ApprovalRecord): Promise<boolean> {
    return this.#deps.seals.isOurs(decisionText(record, decisionOf(record)), record.seal);
  }

  #isOpen({ expiresAt }: ApprovalRecord): boolean {
    return expiresAt > this.#deps.runtime.now();
  }

  /** Stops waiting for approvers; open questions stay in the inbox. */
  close(): void {
    this.#questions.close();
  }
}

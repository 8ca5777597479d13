/**
 * Where calls wait for a person. A question is on record before anyone sees it; an answer is on
 * record before it counts; and it counts once, for the very call that was asked about.
 */
import type {
  ApprovalAnswer,
  ApprovalRecord,
  ApprovalRequest,
  Approver,
  Decision,
  EditedInput,
} from '../../contract/approver.ts';
import type { AuditLog } from '../../contract/audit.ts';
import type { AbortReason, Call, CallRequest, Estimate, ReadyTool } from '../../contract/call.ts';
import { callSummary } from '../../contract/call-summary.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Events } from '../../contract/events.ts';
import type { NewGrant } from '../../contract/grant.ts';
import type { Policy } from '../../contract/policy.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Approvals } from '../../contract/store.ts';
import type { Tool } from '../../contract/tool.ts';
import {
  type Binding,
  type BoundApproval,
  bindingOf,
  callKeyOf,
  type Difference,
  differenceOf,
  fits,
  showsWhatItBinds,
} from '../../governance/approvals/binding.ts';
import { type ResolvedTargets, statesOf } from '../../governance/approvals/call-targets.ts';
import { rememberedGrant } from '../../governance/approvals/remembered-grant.ts';
import { decisionOf, decisionText, type Seals } from '../../governance/approvals/seals.ts';
import { ownCopy } from '../../governance/own-copy.ts';
import type { Redactor } from '../../governance/redaction/redaction.ts';
import { failed, waiting } from '../outcome.ts';
import { recordInput } from '../record/audit-entry.ts';
import { approvalRequest } from './approval-request.ts';
import { decisionEvent } from './decision-event.ts';
import { givenBefore } from './given-before.ts';
import type { PermissionService } from './permission-service.ts';

export interface ApprovalDeskDeps {
  readonly approvals: Approvals;
  readonly permissions: Pick<PermissionService, 'grant' | 'check'>;
  readonly audit: Pick<AuditLog, 'append'>;
  readonly seals: Seals;
  readonly approver: Approver | undefined;
  readonly policy: Policy;
  readonly redactor: Redactor;
  readonly runtime: Runtime;
  readonly events: Events;
  readonly expiresMs: number;
  newId(): string;
  /** Digest of the tool's definition. */
  definitionOf(ready: ReadyTool): string;
  /** What the input leads to, resolved. */
  resolveTargets(tool: Tool, input: unknown): Promise<ResolvedTargets>;
  /** The tool as it is registered now. */
  readyTool(name: string, version: string): ReadyTool | Promise<ReadyTool> | undefined;
}

type Judged = Call<'ready' | 'input' | 'grant'>;

/** A person's yes, and what it is bound to. `edited` is there when it was given for another input. */
export interface Approved {
  readonly approvalId: string;
  readonly by: string;
  readonly binding: BoundApproval;
  readonly edited?: EditedInput;
  /** When the answer was given: what an edited input led to was looked at then. */
  readonly decidedAt?: number | undefined;
}

/** Who agreed, or the result that ends the call. */
export type DeskAnswer = Approved | { readonly result: ToolResult };

const LATER: Decision = { answer: 'later', by: '' };

/** More questions of one user than a person can look at are a flood, not work. */
const MAX_WAITING = 200;

export class ApprovalService {
  readonly #deps: ApprovalDeskDeps;

  constructor(deps: ApprovalDeskDeps) {
    this.#deps = deps;
  }

  /** Puts the question on record, asks if there is somebody to ask, and answers with a decision. */
  async ask(call: Judged, estimate: Estimate): Promise<DeskAnswer> {
    const given = await this.#givenBefore(call);
    if (given) return given;
    const parked = await this.park(call, estimate, call.grant.reason);
    if ('result' in parked) return parked;
    const decision = await this.#question(parked.request, call);
    if (call.control.reason) return this.#withdraw(call, parked.id, call.control.reason);
    if (decision.answer === 'later') return { result: this.pending(call, parked) };
    const approve = decision.answer === 'approve';
    try {
      await this.decide(parked, { ...decision, approve });
    } catch (error) {
      // An answer that cannot be carried out as it was given is no answer.
      await this.decide(parked, { approve: false, by: decision.by });
      throw error;
    }
    return this.#spend(call, parked.id);
  }

  /**
   * Leaves a waiting record in the inbox. The same question again is the same record, as long as
   * nobody sits at the counter to be asked.
   */
  async park(
    call: Judged,
    estimate: Estimate,
    reason: string,
  ): Promise<ApprovalRecord | { readonly result: ToolResult }> {
    const binding = await this.#bind(call);
    const record = this.#newRecord(call, binding, { estimate, reason });
    const outcome = await this.#deps.approvals.park({
      record,
      maxWaiting: MAX_WAITING,
      reuse: !this.#approverOf(call),
      now: record.createdAt,
    });
    if (outcome.state === 'full') return { result: tooMany(call) };
    if (outcome.state === 'same') return outcome.record;
    const { id: approvalId, tool, summary = '' } = record;
    this.#deps.events.emit('approval.requested', { approvalId, tool, summary });
    return record;
  }

  pending(call: Judged, { id, expiresAt }: ApprovalRecord): ToolResult {
    return waiting(call, { approvalId: id, expiresAt });
  }

  /** Spends an approval given earlier. It must fit this very call, be live and unused. */
  async redeem(call: Judged, approvalId: string): Promise<DeskAnswer> {
    const record = await this.#deps.approvals.get(approvalId);
    if (!record || !fits(record, await this.#bind(call))) return expired(call);
    if (!this.#isOpen(record)) return expired(call);
    if (record.state === 'denied') return { result: failed(call, 'USER_CANCELLED') };
    if (record.state === 'waiting') return { result: this.pending(call, record) };
    return this.#spend(call, record.id);
  }

  /** One that another call spends meanwhile is none for this one. */
  async #givenBefore(call: Judged): Promise<Approved | undefined> {
    const { approvals, runtime } = this.#deps;
    const bind = () => this.#bind(call);
    for (const { id } of await givenBefore(call, { approvals, bind, now: runtime.now() })) {
      const answer = await this.#spend(call, id);
      if ('by' in answer) return answer;
    }
    return undefined;
  }

  /** Takes a person's answer. False when the question is not waiting any more. */
  async decide(record: ApprovalRecord, answer: ApprovalAnswer): Promise<boolean> {
    const { approve, by, note } = answer;
    const { approvals, runtime, events, permissions, audit } = this.#deps;
    const at = runtime.now();
    if (!this.#isOpen(record)) return false;
    if (approve && !showsWhatItBinds(record)) throw otherQuestion();
    const standing = this.#standing(record, answer, at);
    if (standing) await permissions.check(standing);
    const edited = approve &&
      answer.input !== undefined && { edited: await this.#edited(record, answer.input) };
    const said = { approve, by, at, ...(note !== undefined && { note }), ...edited };
    const seal = await this.#deps.seals.seal(decisionText(record, said));
    const sealed = seal === undefined ? said : { ...said, seal };
    if (!(await approvals.decide(record.id, sealed))) return false;
    events.emit('approval.decided', { approvalId: record.id, approved: approve });
    await audit.append(decisionEvent(record, said));
    if (standing) await permissions.grant(standing);
    return true;
  }

  /** The edited input as it is at this moment, with what it leads to. */
  async #edited(record: ApprovalRecord, changed: unknown): Promise<EditedInput> {
    const input = ownCopy(changed);
    const ready = await this.#deps.readyTool(record.tool, record.version);
    if (!ready) throw new ToolFailure('TOOL_NOT_FOUND');
    const parsed = ready.input.validate(ownCopy(input));
    // What does not fit the schema is refused when it is to run; it leads nowhere.
    if (!parsed.ok) return { input, targets: [] };
    const resolved = await this.#deps.resolveTargets(ready.tool, parsed.value);
    return { input, targets: resolved.targets, states: statesOf(resolved) };
  }

  /**
   * Compares the call that is about to run with the one that was approved. Returns where its paths
   * lead, for the file access to hold them there, or the refusal.
   */
  async confirm(call: Judged, { binding, edited, decidedAt }: Approved): Promise<Confirmed> {
    const { ready, input } = call;
    const { name, version } = ready.tool;
    const current = call.internal ?? (await this.#deps.readyTool(name, version));
    if (!current) return changed(call, 'definition');
    if (!current.enabled) {
      const code = current.quarantined ? 'TOOL_QUARANTINED' : 'TOOL_DISABLED';
      return { result: failed(call, code) };
    }
    const resolved = await this.#deps.resolveTargets(ready.tool, input);
    const definition = this.#deps.definitionOf(current);
    const now = this.#bindingOf(call, resolved, definition);
    const approved = edited ? bindingOfEdited(binding, now, { ...edited, decidedAt }) : binding;
    const difference = differenceOf(approved, now);
    if (difference !== undefined) return changed(call, difference);
    return { resolved, askedAt: approved.createdAt };
  }

  /** What the answer allows beyond this call, if anything may be. */
  #standing(record: ApprovalRecord, answer: ApprovalAnswer, at: number): NewGrant | undefined {
    const { approve, remember, by } = answer;
    if (!approve || !remember || !record.request.rememberable) return undefined;
    return rememberedGrant(record, remember, { by, at });
  }

  /** The call is gone: nobody may approve it any more. */
  async #withdraw(call: Judged, id: string, reason: AbortReason): Promise<DeskAnswer> {
    const at = this.#deps.runtime.now();
    await this.#deps.approvals.decide(id, { approve: false, by: 'cancelled', at });
    this.#deps.events.emit('approval.decided', { approvalId: id, approved: false });
    return { result: failed(call, reason) };
  }

  /** The store's word counts, not what was said meanwhile: it takes one decision and one use. */
  async #spend(call: Judged, id: string): Promise<DeskAnswer> {
    const { approvals, runtime } = this.#deps;
    const record = await approvals.get(id);
    if (record?.state === 'denied') return { result: failed(call, 'USER_CANCELLED') };
    if (!record || !(await this.#isOurs(record))) return expired(call);
    if (!(await approvals.use(id, runtime.now()))) return expired(call);
    const { reason } = call.control;
    if (reason) return { result: failed(call, reason) };
    const { decidedBy = '', decidedAt, edited } = record;
    const said = edited && { edited, decidedAt };
    return { approvalId: id, by: decidedBy, binding: record, ...said };
  }

  /** A yes that somebody else put into the store is none. */
  #isOurs(record: ApprovalRecord): Promise<boolean> {
    return this.#deps.seals.isOurs(decisionText(record, decisionOf(record)), record.seal);
  }

  #isOpen({ expiresAt }: ApprovalRecord): boolean {
    return expiresAt > this.#deps.runtime.now();
  }

  /** The one that came with the call, or with the call that made it; else the crib's own. */
  #approverOf(call: CallRequest): Approver | undefined {
    for (let at: CallRequest | undefined = call; at; at = at.parent) {
      if (at.options.approver) return at.options.approver;
    }
    return this.#deps.approver;
  }

  async #question(request: ApprovalRequest, call: Judged): Promise<Decision> {
    const approver = this.#approverOf(call);
    if (!approver) return LATER;
    try {
      // A copy: whatever the approver does with it, the call stays what was asked about.
      return await approver.ask(ownCopy(request), call.control.signal);
    } catch {
      return { answer: 'deny', by: 'no answer' };
    }
  }

  async #bind(call: Judged): Promise<Binding> {
    const { input, ready } = call;
    const resolved = await this.#deps.resolveTargets(ready.tool, input);
    return this.#bindingOf(call, resolved, this.#deps.definitionOf(ready));
  }

  #bindingOf(
    { caller, input, ready }: Judged,
    resolved: ResolvedTargets,
    definition: string,
  ): Binding {
    const { version: policyVersion } = this.#deps.policy;
    const leadsTo = { targets: resolved.targets, states: statesOf(resolved) };
    return bindingOf({ tool: ready.tool, caller, input, definition, ...leadsTo, policyVersion });
  }

  #summaryOf(call: Judged, { tool, action, targets }: ApprovalRequest): string {
    const { redactor } = this.#deps;
    const shown = targets.map((target) => redactor.text(target));
    return callSummary({ tool, action, targets: shown, input: recordInput(call, redactor) });
  }

  #newRecord(
    call: Judged,
    binding: Binding,
    asked: { readonly estimate: Estimate; readonly reason: string },
  ): ApprovalRecord {
    const id = this.#deps.newId();
    const createdAt = this.#deps.runtime.now();
    const expiresAt = createdAt + this.#deps.expiresMs;
    const request = approvalRequest(call, { ...binding, ...asked, id, expiresAt });
    const summary = this.#summaryOf(call, request);
    const within = call.parent && { within: call.parent.toolName };
    const callKey = callKeyOf(binding, call.parent?.toolName);
    return {
      ...binding,
      ...within,
      callKey,
      summary,
      id,
      createdAt,
      expiresAt,
      state: 'waiting',
      request,
    };
  }
}

const expired = (call: Judged): DeskAnswer => ({ result: failed(call, 'APPROVAL_EXPIRED') });

/** Differs from every list of targets that a call can have. */
const NONE: readonly string[] = ['none'];

/** The approval as it is for the input that the approver gave, looked at when they gave it. */
const bindingOfEdited = (
  binding: BoundApproval,
  { inputDigest }: Binding,
  { targets = NONE, states = [], decidedAt }: EditedInput & Pick<Approved, 'decidedAt'>,
): BoundApproval => ({ ...binding, inputDigest, targets, states, createdAt: decidedAt });

export type Confirmed =
  | { readonly resolved: ResolvedTargets; readonly askedAt: number | undefined }
  | { readonly result: ToolResult };

const CHANGES: Readonly<Record<Difference, string>> = {
  targets: 'The call leads elsewhere than when it was approved.',
  states: 'A file or folder that the call names was exchanged or changed since it was approved.',
  definition: 'The tool is not the one that was approved: its definition has changed.',
  policyVersion: 'The rules have changed since the call was approved.',
  call: 'The call is not the one that was approved.',
};

const changed = (call: Judged, difference: Difference): { readonly result: ToolResult } => ({
  result: failed(call, 'APPROVAL_EXPIRED', {
    message: CHANGES[difference],
    suggestions: ['Ask again: the person has to see the call as it is now.'],
  }),
});

const otherQuestion = (): ToolFailure =>
  new ToolFailure(
    'SECURITY_VIOLATION',
    'The question on record shows another call than it binds.',
    {
      suggestions: ['Somebody has changed the store. Make the call again.'],
    },
  );

const tooMany = (call: Judged): ToolResult =>
  failed(call, 'RATE_LIMITED', {
    message: 'Too many calls of this user wait for approval already.',
    suggestions: ['Wait until a person has looked at those in the inbox.'],
  });

/** The members of a crib, grouped by what they are about, and what their methods answer. */
import type { ApprovalAnswer, ApprovalRecord, ApprovalState } from './approver.ts';
import type { AuditCheckpoint, AuditFilter, AuditRow, AuditVerification } from './audit.ts';
import type { CallAs } from './call-options.ts';
import type { Caller, CallerNames } from './caller.ts';
import type { Catalog } from './catalog.ts';
import type { Grant, NewGrant } from './grant.ts';
import type { ToolLock } from './lock.ts';
import type { MetricRange } from './metrics.ts';
import type { CallReplay, ReplayAs, ReplayFilter, ReplayOptions } from './replay.ts';
import type { ToolResult } from './result.ts';
import type { Tier } from './tool.ts';
import type { ToolMetadata } from './tool-metadata.ts';
import type { ToolSets } from './tool-sets.ts';
import type { ReportFile, ReportFormat, UsageReport } from './usage-report.ts';

/** The tools: the catalog, the sets for agent frameworks, and the lock of tools from outside. */
export interface CribTools extends Catalog, ToolSets {
  /**
   * What is accepted of the tools from outside, and what is not.
   *
   * @example
   * const held = crib.tools.lock.states().filter(({ state }) => state !== 'accepted');
   * await crib.tools.lock.accept(held, 'ada');
   */
  readonly lock: ToolLock;
  /**
   * Reads how the calls of a tool went, by default in the last 30 days, how often it was called, and when
   * it was accepted. Fails with TOOL_NOT_FOUND.
   *
   * @example
   * const { usage, performance } = await crib.tools.metadata('web_search');
   * console.log(usage.count, usage.errors, performance.p95ExecutionTime);
   */
  metadata(name: string, range?: MetricRange): Promise<ToolMetadata>;
}

/** Links that decide one question once. Anyone who has a link can answer: handle links like passwords. */
export interface ApprovalLinks {
  readonly approvalId: string;
  readonly approve: string;
  readonly deny: string;
  readonly expiresAt: number;
}

/** What a link decided. */
export interface LinkDecision {
  readonly approvalId: string;
  readonly approved: boolean;
}

/** The approvals that calls wait for. */
export interface CribApprovals {
  /**
   * Lists the approvals in one state, newest first; by default those that wait.
   *
   * @example
   * for (const { id, summary } of await crib.approvals.list()) console.log(id, summary);
   * const denied = await crib.approvals.list({ state: 'denied' });
   */
  list(filter?: { readonly state?: ApprovalState }): Promise<readonly ApprovalRecord[]>;
  /**
   * Reads one question, in whatever state it is; `undefined` when there is none of this id.
   *
   * @example
   * const question = await crib.approvals.get(approvalId);
   * console.log(question?.state, question?.request.reason);
   */
  get(approvalId: string): Promise<ApprovalRecord | undefined>;
  /**
   * Answers a question. False when it is not waiting any more.
   *
   * @example
   * await crib.approvals.decide(approvalId, { approve: true, by: 'ada' });
   */
  decide(approvalId: string, answer: ApprovalAnswer): Promise<boolean>;
  /**
   * Makes signed links for a waiting question. Fails with APPROVAL_EXPIRED when it is not waiting.
   *
   * @example
   * const { approve, deny } = await crib.approvals.links(approvalId);
   */
  links(approvalId: string): Promise<ApprovalLinks>;
  /**
   * Decides by a link. Fails with APPROVAL_EXPIRED when it is forged, used or too old.
   *
   * @example
   * const { approve } = await crib.approvals.links(approvalId);
   * const { approved } = await crib.approvals.decideByLink(approve);
   */
  decideByLink(link: string): Promise<LinkDecision>;
}

/** The end of the trail as it was noted earlier. */
export interface AuditHead {
  readonly seq: number;
  readonly hash: string;
}

/** The record of every call, those that were refused included. */
export interface CribAudit {
  /**
   * Reads rows, newest first.
   *
   * @example
   * const rows = await crib.audit.query({ userId: 'ada', limit: 10 });
   * for (const { tool, status } of rows) console.log(tool, status);
   */
  query(filter?: AuditFilter): Promise<readonly AuditRow[]>;
  /**
   * Signs a note of the end of the trail; kept elsewhere it proves later tampering.
   *
   * @example
   * const note = await crib.audit.checkpoint();
   * console.log(JSON.stringify(note));
   */
  checkpoint(): Promise<AuditCheckpoint>;
  /**
   * Verifies the whole chain. With a head or a checkpoint from earlier, it also finds that rows were cut
   * off at the end.
   *
   * @example
   * const note = await crib.audit.checkpoint();
   * const { ok, problem } = await crib.audit.verify(note);
   */
  verify(expected?: AuditHead | AuditCheckpoint): Promise<AuditVerification>;
  /**
   * Judges a recorded call by today's tools, rules, limits and budgets, beside what became of it then.
   * Runs, records and counts nothing. Callers have their own calls judged, an owner or admin those of
   * others, too. Fails with NOT_FOUND for a call that is not on record.
   *
   * @example
   * const { verdict, lines } = await crib.audit.replay(executionId);
   * for (const { aspect, before, now } of lines) console.log(verdict, aspect, before, now);
   */
  replay(executionId: string, options?: ReplayOptions, as?: ReplayAs): Promise<CallReplay>;
  /**
   * Judges many recorded calls like `replay`, newest first, one at a time.
   *
   * @example
   * for await (const { executionId, verdict } of crib.audit.replayAll({ tool: 'write_file' })) {
   *   if (verdict !== 'same') console.log(executionId, verdict);
   * }
   */
  replayAll(filter?: ReplayFilter, as?: ReplayAs): AsyncIterable<CallReplay>;
}

export type ExecutionState =
  | 'pending'
  | 'running'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'timeout';

export interface ExecutionStatus {
  readonly executionId: string;
  readonly tool: string;
  readonly state: ExecutionState;
  /** Did the side effect happen? `none` for a call that can have none. */
  readonly effect: 'none' | 'done' | 'not_done' | 'unknown' | 'undone';
  readonly startedAt: number;
  readonly progress?: { readonly fraction: number; readonly note?: string };
  readonly code?: string;
}

/** A call under way. */
export interface RunningCall extends ExecutionStatus, CallerNames {
  readonly tier: Tier | '';
  /** The call in one line; empty where nothing is on record yet. */
  readonly summary: string;
  /** False for a call of another process, which only that process can cancel. */
  readonly isHere: boolean;
}

export interface UndoReport {
  readonly executionId: string;
  /** The files that have their earlier content again. */
  readonly restored: readonly string[];
  /** The files that the call had created, and that are gone again. */
  readonly removed: readonly string[];
  /** For a call that made others: what became of each of these, in the order of undoing. */
  readonly parts?: readonly UndonePart[];
}

export interface UndonePart {
  readonly executionId: string;
  readonly tool: string;
  readonly undone: boolean;
  /** Why it was not undone. */
  readonly reason?: string;
}

/** The calls by their execution id: those that run, and those that are over. */
export interface CribExecutions {
  /**
   * Returns the state of a call; `undefined` for an unknown execution.
   *
   * @example
   * const status = await crib.executions.status(executionId);
   * console.log(status?.state, status?.effect);
   */
  status(executionId: string): Promise<ExecutionStatus | undefined>;
  /**
   * Lists the running calls, the newest first: all of this process, and of others on the same store those
   * that may change something, whose intent is on record.
   *
   * @example
   * for (const { tool, userId, startedAt } of await crib.executions.running()) {
   *   console.log(tool, userId, Date.now() - startedAt);
   * }
   */
  running(): Promise<readonly RunningCall[]>;
  /**
   * Aborts the signal of a running call. False when there is none to abort.
   *
   * @example
   * const call = crib.start('slow_report', {});
   * crib.executions.cancel(call.executionId);
   * console.log((await call.result).status); // cancelled
   */
  cancel(executionId: string): boolean;
  /**
   * Restores what the call changed. Fails with CONFLICT when it was changed again since, with
   * UNDO_EXPIRED when it was so long ago that what is needed for it is kept no more. A caller undoes
   * its own calls, an owner or admin those of others, too.
   *
   * @example
   * const undone = await crib.executions.undo(executionId);
   * if (undone.success) console.log(undone.data.restored, undone.data.removed);
   */
  undo(executionId: string, as?: CallAs): Promise<ToolResult<UndoReport>>;
  /**
   * Says whether `undo` would find something to restore on this machine; false for an unknown call.
   *
   * @example
   * if (await crib.executions.isUndoable(executionId)) await crib.executions.undo(executionId);
   */
  isUndoable(executionId: string): Promise<boolean>;
  /**
   * Lets go of everything kept for a finished call: snapshots and stored results.
   *
   * @example
   * await crib.executions.cleanup(executionId);
   */
  cleanup(executionId: string): Promise<void>;
}

/** Standing grants: who may do what until it is taken back. */
export interface Permissions {
  /**
   * Adds a grant. Fails with VALIDATION_ERROR when it, or its condition, makes no sense.
   *
   * @example
   * const { id } = await crib.permissions.grant({
   *   subject: { user: 'ada' },
   *   resource: 'tool:web_search',
   *   actions: ['*'],
   *   skipsApproval: false,
   *   by: 'grace',
   * });
   */
  grant(grant: NewGrant): Promise<Grant>;
  /**
   * Takes a grant back. False when there is none of this id.
   *
   * @example
   * for (const { id } of await crib.permissions.list()) await crib.permissions.revoke(id, 'grace');
   */
  revoke(id: string, by?: string): Promise<boolean>;
  /**
   * Lists the grants that have not expired, newest first.
   *
   * @example
   * for (const { subject, resource } of await crib.permissions.list()) console.log(subject, resource);
   */
  list(): Promise<readonly Grant[]>;
}

/** A page of a stored result. */
export interface ResultPage {
  readonly text: string;
  /** The length of all of it, in characters. */
  readonly total: number;
}

/** Results that were too large to return, and results kept for the same call again. */
export interface CribResults {
  /**
   * Reads a page of a result that was too large to return; `undefined` when this caller has none of
   * that handle.
   *
   * @example
   * const page = await crib.results.read(handle, { offset: 10_000, limit: 10_000 });
   * console.log(page?.text, page?.total);
   */
  read(
    handle: string,
    range?: { readonly offset?: number; readonly limit?: number },
    caller?: Partial<Caller>,
  ): Promise<ResultPage | undefined>;
  /**
   * Forgets cached results by tool, tag or path; returns how many.
   *
   * @example
   * crib.results.forget({ tool: 'web_search' });
   * crib.results.forget({ path: 'notes.md' });
   */
  forget(
    what: { readonly tool: string } | { readonly tag: string } | { readonly path: string },
  ): number;
}

/** One line of the usage summary. */
export interface UsageLine {
  /** `user`, `tool`, `agent`, `session`, `flow` or `free`. */
  readonly kind: string;
  readonly name: string;
  /** The day `2026-11-15`, the month `2026-11`, or empty for all time. */
  readonly period: string;
  readonly usd: number;
  readonly heldUsd: number;
  readonly calls: number;
  readonly tokens: number;
  /** The limits in force; a missing one is no limit. */
  readonly limit: { readonly usd?: number; readonly calls?: number; readonly tokens?: number };
}

/** What was spent, against which limits. */
export interface CribUsage {
  /**
   * Lists what was spent: today, or in the `period` given, a day, a month or `all`.
   *
   * @example
   * for (const { kind, name, usd } of await crib.usage.summary()) console.log(kind, name, usd);
   * const november = await crib.usage.summary({ period: '2026-11' });
   */
  summary(filter?: { readonly period?: string }): Promise<readonly UsageLine[]>;
  /**
   * Sums a month up by day, user, tool and source, from the counts that are kept. Days are those of UTC.
   *
   * @example
   * const { total, users } = await crib.usage.report('2026-11');
   * console.log(total.calls, total.costUsd, users[0]?.name);
   */
  report(month: string): Promise<UsageReport>;
  /**
   * Makes the file of a report: CSV for spreadsheets, JSON, or one HTML page to print.
   *
   * @example
   * const { name, text } = await crib.usage.reportFile('2026-11', 'html');
   * console.log(name, text.length);
   */
  reportFile(month: string, format: ReportFormat): Promise<ReportFile>;
}

/** The crib in this process: opens its store when first needed and answers for its whole life. */
import type { ApprovalAnswer, ApprovalRecord } from '../contract/approver.ts';
import type { AuditCheckpoint, AuditVerification } from '../contract/audit.ts';
import type { CallAs, CallOptions } from '../contract/call-options.ts';
import type { Caller } from '../contract/caller.ts';
import type {
  ApprovalLinks,
  Capabilities,
  Crib,
  ExecutionStatus,
  Permissions,
  ProcessRequest,
  ProcessResult,
  UndoReport,
  UsageLine,
} from '../contract/crib.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { Events } from '../contract/events.ts';
import type { ToolLock } from '../contract/lock.ts';
import type { Explanation } from '../contract/policy.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Sandboxes } from '../contract/sandbox.ts';
import type { Servers } from '../contract/servers.ts';
import type { Store } from '../contract/store.ts';
import type { ToolSource } from '../contract/tool.ts';
import type { ToolSets } from '../contract/tool-sets.ts';
import type { Retention } from '../governance/audit/retention.ts';
import { SANDBOX_TYPES } from '../governance/isolation.ts';
import { labelsOfHandle } from '../governance/labels/handle-labels.ts';
import type { BudgetLimits } from '../governance/ledger/budget.ts';
import type { SigningKey } from '../governance/signing/open-signing-key.ts';
import type { ApprovalLinkDeps } from '../pipeline/approval/approval-links.ts';
import type { Engine } from '../pipeline/engine.ts';
import { callerOf } from '../pipeline/new-call.ts';
import type { Registry } from '../registry/registry.ts';
import { frameworkTools } from './framework-tools.ts';

export interface LocalCribParts {
  readonly registry: Registry;
  readonly events: Events;
  readonly runtime: Runtime;
  readonly maxConcurrentTools: number;
  readonly hasModel: boolean;
  readonly limits: BudgetLimits;
  readonly sandboxes: Sandboxes;
  readonly servers: Servers;
  readonly lock: ToolLock;
  readonly linkBaseUrl: string | undefined;
  /** The key checkpoints and links are signed with; made when it is first needed. */
  signingKey(): Promise<SigningKey>;
  open(): Promise<Opened>;
}

export interface Opened {
  readonly store: Store;
  readonly engine: Engine;
  /** Where the record is not kept for ever. */
  readonly retention: Pick<Retention, 'start' | 'stop'> | undefined;
}

const DEFAULT_PAGE = 10_000;

export class LocalCrib implements Crib {
  readonly #parts: LocalCribParts;
  #opening: Promise<Opened> | undefined = undefined;
  /** Set once the store is open: the hot path then needs no promise to reach it. */
  #engine: Engine | undefined = undefined;
  #closed: Promise<void> | undefined = undefined;

  readonly tools: Registry & ToolSets;

  constructor(parts: LocalCribParts) {
    this.#parts = parts;
    this.tools = Object.assign(parts.registry, frameworkTools(this));
  }

  get events(): Events {
    return this.#parts.events;
  }

  get servers(): Servers {
    const { servers } = this.#parts;
    return {
      ...servers,
      restart: async (name) => {
        const status = await servers.restart(name);
        // The failures were those of the process that is gone.
        this.#engine?.shared.resetServer(`mcp:${name}`);
        return status;
      },
    };
  }

  get lock(): ToolLock {
    return this.#parts.lock;
  }

  async store(): Promise<Store> {
    return (await this.#open()).store;
  }

  execute(tool: string, input: unknown, as?: CallAs): Promise<ToolResult> {
    const engine = this.#engine;
    return engine ? engine.execute(tool, input, as) : this.#executeFirst(tool, input, as);
  }

  /** A store that cannot be opened is a refusal like any other: nothing runs unrecorded. */
  async #executeFirst(tool: string, input: unknown, as: CallAs | undefined): Promise<ToolResult> {
    let opened: Opened;
    try {
      opened = await this.#openWritable();
    } catch (error) {
      if (this.#closed) throw error;
      const { refuseWithoutStore } = await import('../pipeline/refuse-without-store.ts');
      return refuseWithoutStore({ tool, input, as, error }, this.#parts.runtime);
    }
    return opened.engine.execute(tool, input, as);
  }

  async process(
    request: ProcessRequest,
    caller?: Partial<Caller> & Pick<CallOptions, 'signal' | 'dailyUsd'>,
  ): Promise<ProcessResult> {
    const { runtime } = this.#parts;
    const started = runtime.elapsed();
    const { processRequest } = await import('../pipeline/process-request.ts');
    const outcome = await processRequest(request, {
      tools: this.tools,
      caller,
      execute: (tool, input, as) => this.execute(tool, input, as),
    });
    const durationMs = runtime.elapsed() - started;
    // A request that is no object is answered too; it names no operation.
    const { operation } = Object(request) as ProcessRequest;
    return { operation, ...outcome, durationMs };
  }

  async status(executionId: string): Promise<ExecutionStatus | undefined> {
    const { engine, store } = await this.#open();
    const { executionStatus } = await import('../pipeline/record/execution-status.ts');
    return executionStatus(executionId, engine.shared.running, store);
  }

  cancel(executionId: string): boolean {
    return this.#engine?.shared.running.cancel(executionId) ?? false;
  }

  async cleanup(executionId: string): Promise<void> {
    const { engine, store } = await this.#open();
    await store.snapshots.drop(executionId);
    await store.results.drop(executionId);
    await engine.shared.undoLog.forget(executionId);
  }

  async isUndoable(executionId: string): Promise<boolean> {
    const { engine } = await this.#open();
    const status = await this.status(executionId);
    return status !== undefined && engine.isUndoable(status);
  }

  async undo(executionId: string, as?: CallAs): Promise<ToolResult<UndoReport>> {
    const { engine } = await this.#open();
    const result = await engine.undo(executionId, as);
    return result as ToolResult<UndoReport>;
  }

  async readResult(
    handle: string,
    range: { readonly offset?: number; readonly limit?: number } = {},
    caller?: Partial<Caller>,
  ): Promise<{ readonly text: string; readonly total: number } | undefined> {
    const { store, engine } = await this.#open();
    const { offset = 0, limit = DEFAULT_PAGE } = range;
    const reader = callerOf(caller);
    const page = await store.results.read(handle, reader.userId, { offset, limit });
    // On record before the reader sees the data: what its session does next is judged by it.
    if (page) await engine.shared.labels.absorb(reader, labelsOfHandle(handle));
    return page;
  }

  invalidate(what: Parameters<Crib['invalidate']>[0]): number {
    return this.#engine?.shared.cache.invalidate(what) ?? 0;
  }

  async approvals(): Promise<readonly ApprovalRecord[]> {
    return (await this.store()).approvals.list('waiting');
  }

  async decide(approvalId: string, answer: ApprovalAnswer): Promise<boolean> {
    if (typeof answer?.approve !== 'boolean' || typeof answer.by !== 'string') {
      throw new TypeError('An answer says whether to approve, and by whom: { approve, by }.');
    }
    const { engine, store } = await this.#open();
    const record = await store.approvals.get(approvalId);
    return record !== undefined && engine.shared.desk.decide(record, answer);
  }

  async approvalLinks(approvalId: string): Promise<ApprovalLinks> {
    const { approvalLinks } = await import('../pipeline/approval/approval-links.ts');
    return approvalLinks(approvalId, await this.#linkDeps());
  }

  async decideByLink(token: string): Promise<{ approvalId: string; approved: boolean }> {
    const { decideByLink } = await import('../pipeline/approval/approval-links.ts');
    return decideByLink(token, await this.#linkDeps());
  }

  async #linkDeps(): Promise<ApprovalLinkDeps> {
    const { engine, store } = await this.#open();
    const { runtime, linkBaseUrl: baseUrl } = this.#parts;
    const key = await this.#parts.signingKey();
    return { approvals: store.approvals, desk: engine.shared.desk, runtime, key, baseUrl };
  }

  get permissions(): Permissions {
    const desk = async (): Promise<Permissions> => (await this.#open()).engine.shared.permissions;
    return {
      grant: async (grant) => (await desk()).grant(grant),
      revoke: async (id, by) => (await desk()).revoke(id, by),
      list: async () => (await desk()).list(),
    };
  }

  async explain(tool: string, input: unknown, as?: CallAs): Promise<Explanation> {
    return (await this.#open()).engine.explain(tool, input, as);
  }

  async usage({ period }: { readonly period?: string } = {}): Promise<readonly UsageLine[]> {
    const { ledger } = await this.store();
    await this.#engine?.shared.budgeting.freeCalls.write();
    const { usageSummary } = await import('../governance/ledger/usage-lines.ts');
    const { limits, runtime } = this.#parts;
    return usageSummary(ledger, limits, { now: runtime.now(), period });
  }

  async checkpoint(): Promise<AuditCheckpoint> {
    const { audit, label: store } = await this.store();
    const head = await audit.head();
    const { makeCheckpoint } = await import('../governance/audit/make-checkpoint.ts');
    const key = await this.#parts.signingKey();
    return makeCheckpoint(head, { at: this.#parts.runtime.now(), store, key });
  }

  async verifyAudit(
    expected?: { readonly seq: number; readonly hash: string } | AuditCheckpoint,
  ): Promise<AuditVerification> {
    const { audit } = await this.store();
    const { verifyAuditLog } = await import('../governance/audit/verify-audit-log.ts');
    if (expected === undefined || !('signature' in expected)) {
      const isPruned = (await audit.anchor()) !== undefined;
      const trustedKeys = isPruned ? [(await this.#parts.signingKey()).publicKey] : [];
      return verifyAuditLog(audit, { expected, trustedKeys });
    }
    const trustedKeys = [(await this.#parts.signingKey()).publicKey];
    return verifyAuditLog(audit, { checkpoints: [expected], trustedKeys });
  }

  sandboxes(): ReturnType<Sandboxes['readiness']> {
    return this.#parts.sandboxes.readiness();
  }

  getCapabilities(): Capabilities {
    const sources: Partial<Record<ToolSource, number>> = {};
    const entries = this.tools.list();
    for (const { tool } of entries) sources[tool.source] = (sources[tool.source] ?? 0) + 1;
    return {
      operations: ['execute_single', 'execute_chain', 'orchestrate', 'discover', 'validate'],
      tools: entries.length,
      sources,
      sandboxes: SANDBOX_TYPES,
      store: this.#storeLabel,
      maxConcurrentTools: this.#parts.maxConcurrentTools,
      model: this.#parts.hasModel,
    };
  }

  #storeLabel = 'not open yet';

  close(): Promise<void> {
    this.#closed ??= this.#shutDown();
    return this.#closed;
  }

  #open(): Promise<Opened> {
    if (this.#closed) return Promise.reject(new Error('This crib is closed.'));
    // A store that cannot be opened now may be openable later: a failure is not kept.
    this.#opening ??= this.#start().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #start(): Promise<Opened> {
    const opened = await this.#parts.open();
    this.#storeLabel = opened.store.label;
    await opened.engine.recover();
    // One that cannot be written may be writable later: each call looks again.
    if (opened.store.isReadOnly) return opened;
    this.#engine = opened.engine;
    opened.engine.keepRecovering();
    opened.retention?.start();
    return opened;
  }

  /** A store that was read-only when it was opened is opened anew. */
  async #openWritable(): Promise<Opened> {
    const opened = await this.#open();
    if (!opened.store.isReadOnly) return opened;
    this.#opening = undefined;
    await opened.engine.close();
    await opened.store.close();
    const again = await this.#open();
    if (!again.store.isReadOnly) return again;
    throw new ToolFailure('STORE_UNAVAILABLE', 'The store can only be read.', {
      suggestions: ['Make the file of the store, and its folder, writable for this user.'],
    });
  }

  async #shutDown(): Promise<void> {
    const opened = await this.#opening?.catch(() => undefined);
    this.#engine = undefined;
    if (opened) await opened.engine.shared.running.whenIdle();
    await this.#parts.registry.close();
    await this.#parts.sandboxes.close();
    if (!opened) return;
    await opened.retention?.stop();
    await opened.engine.close();
    await opened.store.close();
  }
}

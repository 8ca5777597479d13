/** Puts the pipeline together over an open store, and starts calls on it. */
import { relative } from 'node:path';
import type { Approver } from '../contract/approver.ts';
import type { Call, CallControl, CallRequest, Next } from '../contract/call.ts';
import { type CallAs, type Caller, LOCAL_CALLER } from '../contract/caller.ts';
import type { FileAccess } from '../contract/context.ts';
import type { Events } from '../contract/events.ts';
import type { Model } from '../contract/model.ts';
import type { Policy } from '../contract/policy.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Secrets } from '../contract/secrets.ts';
import type { MemoryStore, Snapshot, Store } from '../contract/store.ts';
import type { BudgetLimits } from '../governance/budget.ts';
import type { ModelLimits } from '../governance/cut-for-model.ts';
import { createFileAccess } from '../governance/file-access.ts';
import { createExecutionIds, unguessableId } from '../governance/ids.ts';
import type { PathGuard } from '../governance/path-guard.ts';
import type { Redactor } from '../governance/redaction.ts';
import { inspectSnapshot, restoreSnapshot } from '../governance/restore-snapshot.ts';
import type { ShapeLimits } from '../registry/guard-shape.ts';
import type { Registry } from '../registry/registry.ts';
import { ApprovalDesk } from './approval-desk.ts';
import { Budgeting } from './budgeting.ts';
import { type Contexts, createContexts } from './context.ts';
import { Deadlines } from './deadlines.ts';
import { fileHooks } from './file-hooks.ts';
import { governed } from './governed.ts';
import { type CallInput, newCall } from './new-call.ts';
import { reconcile } from './reconcile.ts';
import { Bulkhead } from './recovery/bulkhead.ts';
import { createGuards } from './recovery/guards.ts';
import { ResultCache } from './result-cache.ts';
import { RunningCalls } from './running-calls.ts';
import type { UsageNotes } from './stages/record.ts';
import { createToolSettings, type SettingsSource } from './tool-settings.ts';
import { UNDO_TOOL, undoTool } from './undo.ts';
import { UndoLog } from './undo-log.ts';

export interface EngineSettings {
  readonly tools: SettingsSource;
  readonly shape: ShapeLimits;
  readonly limits: ModelLimits & { readonly maxResultBytes: number };
  readonly budget: BudgetLimits;
  readonly checkOutput: boolean;
  readonly maxCallDepth: number;
  readonly maxConcurrentTools: number;
  readonly queueLimit: number;
  readonly cacheEntries: number;
  readonly approvalMs: number;
  readonly replayMs: number;
}

export interface EngineDeps {
  readonly store: Store;
  readonly working: MemoryStore;
  readonly registry: Registry;
  readonly runtime: Runtime;
  readonly events: Events;
  readonly redactor: Redactor;
  readonly policy: Policy;
  readonly secrets: Secrets;
  readonly model: Model;
  readonly approver: Approver | undefined;
  readonly guard: PathGuard;
  readonly usage: UsageNotes;
  readonly settings: EngineSettings;
  readonly fetch: typeof globalThis.fetch;
}

const UNDO_KEEP_MS = 30 * 24 * 60 * 60 * 1000;

/** The parts that stages share; made once per crib. */
const sharedParts = (deps: EngineDeps) => {
  const { store, runtime, settings } = deps;
  const settingsOf = createToolSettings(settings.tools);
  const { ledger, approvals } = store;
  const allTools = new Bulkhead(settings.maxConcurrentTools, settings.queueLimit);
  return {
    settingsOf,
    budgeting: new Budgeting({ ledger, limits: settings.budget, runtime, settingsOf }),
    guardsOf: createGuards(settingsOf, allTools),
    running: new RunningCalls(),
    deadlines: new Deadlines(runtime),
    cache: new ResultCache(settings.cacheEntries, runtime.now),
    undoLog: new UndoLog(store.memory, runtime.now, UNDO_KEEP_MS),
    desk: new ApprovalDesk({
      ...deps,
      approvals,
      expiresMs: settings.approvalMs,
      newId: () => unguessableId('approval'),
    }),
  };
};

/** What undo and crash recovery both ask of the file system. */
const fileState = (guard: PathGuard) => ({
  inspect: (snapshot: Snapshot) => inspectSnapshot(guard, snapshot),
  restore: (snapshot: Snapshot) => restoreSnapshot(guard, snapshot),
});

export class Engine {
  readonly shared: ReturnType<typeof sharedParts>;
  readonly #deps: EngineDeps;
  readonly #contexts: Contexts;
  readonly #run: Next<CallRequest>;
  readonly #nextId: () => string;

  constructor(deps: EngineDeps) {
    this.#deps = deps;
    this.shared = sharedParts(deps);
    this.#nextId = createExecutionIds(deps.runtime.now);
    this.#contexts = this.#makeContexts();
    this.#run = this.#makePipeline();
  }

  /** Says of every call a crash interrupted what became of it. Before the first call. */
  async recover(): Promise<void> {
    const { store, runtime, guard } = this.#deps;
    const calls = await reconcile({ store, now: runtime.now, ...fileState(guard) });
    if (calls.length > 0) runtime.log.warn('calls were interrupted by a crash', { calls });
  }

  execute(toolName: string, rawInput: unknown, as: CallAs | undefined): Promise<ToolResult> {
    const call = newCall(
      { executionId: this.#nextId(), toolName, rawInput, as, parent: undefined },
      this.#deps.runtime,
    );
    const done = this.#run(call);
    return as?.signal ? done.finally(followSignal(as.signal, call.control)) : done;
  }

  undo(executionId: string, caller: Caller): Promise<ToolResult> {
    const asOwner = caller.roles.includes('owner') || caller.roles.includes('admin');
    return this.execute(UNDO_TOOL, { executionId, asOwner }, caller);
  }

  close(): void {
    this.shared.deadlines.close();
  }

  #callTool = (parent: CallRequest, toolName: string, rawInput: unknown): Promise<ToolResult> => {
    const from: CallInput = {
      executionId: this.#nextId(),
      toolName,
      rawInput,
      as: undefined,
      parent,
    };
    const call = newCall(from, this.#deps.runtime);
    parent.control.onAbort(() => call.control.abort(parent.control.reason ?? 'CANCELLED'));
    return this.#run(call);
  };

  #makeContexts(): Contexts {
    const { store, working } = this.#deps;
    return createContexts({
      ...this.#deps,
      memory: { persistent: store.memory, working },
      files: (call) => this.#filesFor(call),
      callTool: this.#callTool,
    });
  }

  #makePipeline(): Next<CallRequest> {
    const { settings, store } = this.#deps;
    return governed({
      ...this.#deps,
      ...this.shared,
      ...settings,
      audit: store.audit,
      replays: store.replays,
      counters: store.counters,
      results: store.results,
      contexts: this.#contexts,
      tools: this.#toolsAndUndo(),
      keepMs: settings.replayMs,
      newHandle: () => unguessableId('result'),
      callTool: this.#callTool,
      undo: (executionId) => this.undo(executionId, LOCAL_CALLER),
    });
  }

  #filesFor(call: Call<'ready'>): FileAccess {
    const { guard, store, events } = this.#deps;
    const { snapshots } = store;
    const hooks = fileHooks(call, { snapshots, cache: this.shared.cache, events });
    return createFileAccess({ guard, needs: call.ready.tool.needs, hooks });
  }

  #toolsAndUndo(): Pick<Registry, 'ready' | 'suggest'> {
    const { registry, store, guard, runtime } = this.#deps;
    const undo = undoTool({
      store,
      undoLog: this.shared.undoLog,
      now: runtime.now,
      findTool: (name, version) => registry.get(name, version)?.tool,
      display: (path) => relative(guard.root, path),
      ...fileState(guard),
    });
    return {
      ready: (name, version) => (name === UNDO_TOOL ? undo : registry.ready(name, version)),
      suggest: (name) => registry.suggest(name),
    };
  }
}

/** Lets a signal of the caller cancel the call; returns how to let go of it. */
const followSignal = (signal: AbortSignal, control: CallControl): (() => void) => {
  const cancel = (): void => control.abort('CANCELLED');
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  return () => signal.removeEventListener('abort', cancel);
};

/** Puts the pipeline together over an open store, and starts calls on it. */
import { relative } from 'node:path';
import type { Approver } from '../contract/approver.ts';
import type { Call, CallRequest, Next, ReadyTool } from '../contract/call.ts';
import type { CallAs } from '../contract/call-options.ts';
import { type Caller, LOCAL_CALLER } from '../contract/caller.ts';
import type { FileAccess } from '../contract/context.ts';
import type { ExecutionStatus } from '../contract/crib.ts';
import { type Issue, ToolFailure } from '../contract/errors.ts';
import type { Events } from '../contract/events.ts';
import type { Model } from '../contract/model.ts';
import type { Explanation, Policy } from '../contract/policy.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Sandboxes } from '../contract/sandbox.ts';
import type { Secrets } from '../contract/secrets.ts';
import type { MemoryStore, Snapshot, Store } from '../contract/store.ts';
import type { Tool } from '../contract/tool.ts';
import { targetsOf } from '../governance/approvals/call-targets.ts';
import { Seals } from '../governance/approvals/seals.ts';
import type { Egress } from '../governance/egress/create-egress.ts';
import { createExecutionIds, unguessableId } from '../governance/ids.ts';
import { SessionLabels } from '../governance/labels/session-labels.ts';
import type { BudgetLimits } from '../governance/ledger/budget.ts';
import { LoopBreaker, type LoopLimits } from '../governance/ledger/loop-breaker.ts';
import { createFileAccess } from '../governance/paths/file-access.ts';
import type { PathGuard } from '../governance/paths/path-guard.ts';
import { inspectSnapshot, restoreSnapshot } from '../governance/paths/restore-snapshot.ts';
import type { Redactor } from '../governance/redaction/redaction.ts';
import type { SigningKey } from '../governance/signing/open-signing-key.ts';
import { fingerprintOf } from '../registry/fingerprint.ts';
import type { ShapeLimits } from '../registry/guard-shape.ts';
import type { Registry } from '../registry/registry.ts';
import { ApprovalDesk } from './approval-desk.ts';
import type { ExecSettings } from './brokered-exec.ts';
import { Budgeting } from './budgeting.ts';
import type { RulesByTool } from './business-rules.ts';
import { type Contexts, createContexts } from './context.ts';
import { Deadlines } from './deadlines.ts';
import { explainCall } from './explain-call.ts';
import { fileHooks } from './file-hooks.ts';
import { governed, type PipelineDeps } from './governed.ts';
import { createProgramCheck } from './judge-program.ts';
import { KeptSnapshots } from './kept-snapshots.ts';
import { type CallInput, type CallSite, newCall } from './new-call.ts';
import { PermissionDesk } from './permission-desk.ts';
import { prove } from './pipeline.ts';
import { reconcile } from './reconcile.ts';
import { Bulkhead } from './recovery/bulkhead.ts';
import { createGuards } from './recovery/guards.ts';
import { ResultCache } from './result-cache.ts';
import { RunningCalls } from './running-calls.ts';
import { SignalFollowers } from './signal-followers.ts';
import type { ResultLimits } from './stages/govern-result.ts';
import type { UsageNotes } from './stages/record.ts';
import { StandingGrants } from './standing-grants.ts';
import { createToolSettings, type SettingsSource } from './tool-settings.ts';
import { createTracer } from './trace.ts';
import { UNDO_TOOL, undoTool } from './undo.ts';
import { UndoLog } from './undo-log.ts';

export interface EngineSettings {
  readonly tools: SettingsSource;
  readonly shape: ShapeLimits;
  readonly limits: ResultLimits;
  readonly budget: BudgetLimits;
  /** `undefined` switches the loop breaker off. */
  readonly loop: LoopLimits | undefined;
  /** Commands that tools may run which can run anything. */
  readonly allowedCommands: readonly string[];
  readonly extraRoots: readonly string[];
  readonly checkOutput: boolean;
  readonly sanitize: 'flag' | 'off';
  readonly maxCallDepth: number;
  readonly maxConcurrentTools: number;
  readonly queueLimit: number;
  readonly cacheEntries: number;
  readonly approvalMs: number;
  readonly replayMs: number;
  readonly undoMs: number;
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
  readonly validators: RulesByTool | undefined;
  readonly settings: EngineSettings;
  readonly egress: Egress;
  readonly untrustedTools?: ReadonlySet<string> | undefined;
  readonly sandboxes: Sandboxes;
  /** Made when it is first needed. */
  signingKey(): Promise<SigningKey>;
}

/** The parts that stages share; made once per crib. */
const sharedParts = (deps: EngineDeps) => {
  const { store, runtime, settings } = deps;
  const settingsOf = createToolSettings(settings.tools);
  const { ledger, approvals, grants, audit } = store;
  const seals = new Seals(deps.signingKey, runtime.log);
  const permissions = new PermissionDesk({ ...deps, grants, audit, seals });
  const definitionOf = createFingerprints();
  const targets = (tool: Tool, input: unknown): Promise<readonly string[]> =>
    targetsOf(tool, input, { resolve: (path) => deps.guard.resolve(path, 'read') });
  const allTools = new Bulkhead(settings.maxConcurrentTools, settings.queueLimit);
  return {
    settingsOf,
    permissions,
    standing: new StandingGrants({ grants, seals }),
    definitionOf,
    targetsOf: (call: Call<'ready' | 'input'>) => targets(call.ready.tool, call.input),
    labels: new SessionLabels(store.memory, runtime.now),
    loops: settings.loop && new LoopBreaker(settings.loop),
    budgeting: new Budgeting({ ledger, limits: settings.budget, runtime, settingsOf }),
    guardsOf: createGuards(settingsOf, allTools),
    running: new RunningCalls(),
    deadlines: new Deadlines(runtime),
    cache: new ResultCache(settings.cacheEntries, runtime.now),
    undoLog: new UndoLog(store.memory, runtime.now, settings.undoMs),
    snapshots: new KeptSnapshots({ ...store, runtime, keepMs: settings.undoMs }),
    desk: new ApprovalDesk({
      ...deps,
      approvals,
      audit,
      seals,
      permissions,
      definitionOf,
      targetsOf: targets,
      expiresMs: settings.approvalMs,
      newId: () => unguessableId('approval'),
    }),
  };
};

/** Worked out once per tool: a definition does not change while it is registered. */
const createFingerprints = (): ((ready: ReadyTool) => string) => {
  const known = new WeakMap<ReadyTool, string>();
  return (ready) => {
    const digest = known.get(ready) ?? fingerprintOf(ready);
    known.set(ready, digest);
    return digest;
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
  readonly #site: CallSite;
  readonly #followers = new SignalFollowers();

  constructor(deps: EngineDeps) {
    this.#deps = deps;
    this.shared = sharedParts(deps);
    this.#site = { runtime: deps.runtime, nextId: createExecutionIds() };
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
    const call = newCall({ toolName, rawInput, as, parent: undefined }, this.#site);
    const done = this.#run(call);
    return as?.signal ? this.#followers.follow(as.signal, call.control, done) : done;
  }

  /** Which rule decides about a call, and why. Fails with the refusal of an earlier gate. */
  async explain(toolName: string, rawInput: unknown, as?: CallAs): Promise<Explanation> {
    const ready = await this.#deps.registry.ready(toolName, as?.version);
    if (!ready) throw new ToolFailure('TOOL_NOT_FOUND');
    const parsed = ready.input.validate(rawInput);
    if (!parsed.ok) throw invalidInput(parsed.issues);
    const { policy } = this.#deps;
    const from = { toolName, rawInput, as, parent: undefined };
    const call = prove(prove(newCall(from, this.#site), 'ready', ready), 'input', parsed.value);
    const flow = await this.shared.labels.fresh(call.caller);
    return explainCall(call, flow, { policy, ...this.shared });
  }

  /** Whether `undo` would find something to restore. */
  async isUndoable({ executionId, tool, effect }: ExecutionStatus): Promise<boolean> {
    if (effect !== 'done') return false;
    const { undoLog, snapshots } = this.shared;
    const byTool = this.#deps.registry.get(tool)?.tool.undo !== undefined;
    if (byTool && (await undoLog.read(executionId)) !== undefined) return true;
    return (await snapshots.of(executionId)).length > 0;
  }

  undo(executionId: string, caller: Caller): Promise<ToolResult> {
    const asOwner = caller.roles.includes('owner') || caller.roles.includes('admin');
    return this.execute(UNDO_TOOL, { executionId, asOwner }, caller);
  }

  async close(): Promise<void> {
    this.shared.deadlines.close();
    await this.#deps.egress.close();
  }

  #callTool = (parent: CallRequest, toolName: string, rawInput: unknown): Promise<ToolResult> => {
    const from: CallInput = { toolName, rawInput, as: undefined, parent };
    const call = newCall(from, this.#site);
    parent.control.onAbort(() => call.control.abort(parent.control.reason ?? 'CANCELLED'));
    return this.#run(call);
  };

  #makeContexts(): Contexts {
    const { store, working } = this.#deps;
    return createContexts({
      ...this.#deps,
      memory: { persistent: store.memory, working },
      exec: this.#execSettings(),
      files: (call) => this.#filesFor(call),
      callTool: this.#callTool,
    });
  }

  #execSettings(): ExecSettings {
    const { guard, settings, sandboxes } = this.#deps;
    const { allowedCommands: allow, extraRoots } = settings;
    return { root: guard.root, extraRoots, allow, sandboxes };
  }

  #makePipeline(): Next<CallRequest> {
    const { settings, store } = this.#deps;
    const parts: PipelineDeps = {
      ...this.#deps,
      ...this.shared,
      ...settings,
      audit: store.audit,
      replays: store.replays,
      counters: store.counters,
      results: store.results,
      contexts: this.#contexts,
      refusedProgram: createProgramCheck(this.#execSettings()),
      tools: this.#toolsAndUndo(),
      keepMs: settings.replayMs,
      newHandle: () => unguessableId('result'),
      callTool: this.#callTool,
      undo: (executionId) => this.undo(executionId, LOCAL_CALLER),
    };
    return governed(parts, createTracer(this.#deps));
  }

  #filesFor(call: Call<'ready'>): FileAccess {
    const { guard, events } = this.#deps;
    const hooks = fileHooks(call, { ...this.shared, events });
    return createFileAccess({ guard, needs: call.ready.tool.needs, hooks });
  }

  #toolsAndUndo(): Pick<Registry, 'ready' | 'suggest'> {
    const { registry, store, guard, runtime } = this.#deps;
    const undo = undoTool({
      store,
      ...this.shared,
      now: runtime.now,
      // Code of a definition that nobody has accepted does not run, not even to take something back.
      findTool: (name, version) => {
        const entry = registry.get(name, version);
        return entry?.quarantine ? undefined : entry?.tool;
      },
      display: (path) => relative(guard.root, path),
      ...fileState(guard),
    });
    return {
      ready: (name, version) => (name === UNDO_TOOL ? undo : registry.ready(name, version)),
      suggest: (name) => registry.suggest(name),
    };
  }
}

const invalidInput = (issues: readonly Issue[]): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', 'The input does not match the schema of the tool.', {
    issues,
  });

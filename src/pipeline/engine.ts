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
import type { Runtime, Timer } from '../contract/runtime.ts';
import type { Sandboxes } from '../contract/sandbox.ts';
import type { Secrets } from '../contract/secrets.ts';
import type { Stage } from '../contract/stage.ts';
import type { MemoryStore, Snapshot, Store } from '../contract/store.ts';
import type { Tool } from '../contract/tool.ts';
import { assertApprovedPath } from '../governance/approvals/approved-paths.ts';
import {
  type ResolvedTargets,
  resolveTargets,
  type TargetDeps,
} from '../governance/approvals/call-targets.ts';
import { Seals } from '../governance/approvals/seals.ts';
import type { Egress } from '../governance/egress/create-egress.ts';
import { createExecutionIds, unguessableId } from '../governance/ids.ts';
import { SessionLabels } from '../governance/labels/session-labels.ts';
import type { BudgetLimits } from '../governance/ledger/budget.ts';
import { LoopBreaker, type LoopLimits } from '../governance/ledger/loop-breaker.ts';
import { createFileAccess } from '../governance/paths/file-access.ts';
import type { PathGuard, Place } from '../governance/paths/path-guard.ts';
import { inspectSnapshot, restoreSnapshot } from '../governance/paths/restore-snapshot.ts';
import type { Redactor } from '../governance/redaction/redaction.ts';
import type { SigningKey } from '../governance/signing/open-signing-key.ts';
import { thrownText } from '../kit/data/reason-of.ts';
import { fingerprintOf } from '../registry/fingerprint.ts';
import type { Registry } from '../registry/registry.ts';
import type { ShapeLimits } from '../registry/schema/guard-shape.ts';
import { ApprovalDesk } from './approval/approval-service.ts';
import { PermissionDesk } from './approval/permission-service.ts';
import { StandingGrants } from './approval/standing-grants.ts';
import type { ExecSettings } from './broker/brokered-exec.ts';
import { type Contexts, createContexts } from './broker/context.ts';
import { fileHooks } from './broker/file-hooks.ts';
import { type CommandTask, createProgramCheck } from './broker/judge-program.ts';
import { Budgeting } from './budget/budgeting.ts';
import type { RulesByTool } from './business-rules.ts';
import { explainCall } from './explain-call.ts';
import { governed, type PipelineDeps } from './governed.ts';
import { type CallInput, type CallSite, callerOf, newCall } from './new-call.ts';
import { failed } from './outcome.ts';
import { evidence, prove } from './pipeline.ts';
import { reconcile } from './record/reconcile.ts';
import { ResultCache } from './record/result-cache.ts';
import { RunningCalls } from './record/running-calls.ts';
import { Bulkhead } from './recovery/bulkhead.ts';
import { Deadlines } from './recovery/deadlines.ts';
import { createGuards } from './recovery/guards.ts';
import { SignalFollowers } from './recovery/signal-followers.ts';
import { requestFault } from './request-fault.ts';
import type { ResultLimits } from './stages/govern-result.ts';
import { record, type UsageNotes } from './stages/record.ts';
import { createToolSettings, type SettingsSource } from './tool-settings.ts';
import { createTracer } from './trace.ts';
import { KeptSnapshots } from './undo/kept-snapshots.ts';
import { type UndoTools, undoTools } from './undo/undo.ts';
import { UndoLog } from './undo/undo-log.ts';

export interface EngineSettings {
  readonly tools: SettingsSource;
  readonly shape: ShapeLimits;
  readonly limits: ResultLimits;
  readonly budget: BudgetLimits;
  /** `undefined` switches the loop breaker off. */
  readonly loop: LoopLimits | undefined;
  /** Commands that tools may run which can run anything. */
  readonly allowedCommands: readonly string[];
  readonly tasks?: readonly CommandTask[];
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
  const targetsOf = (tool: Tool, input: unknown): Promise<ResolvedTargets> =>
    resolveTargets(tool, input, targetDeps(deps.guard));
  const allTools = new Bulkhead(settings.maxConcurrentTools, settings.queueLimit);
  const guards = createGuards(settingsOf, allTools);
  return {
    settingsOf,
    permissions,
    standing: new StandingGrants({ grants, seals }),
    definitionOf,
    resolveTargets: targetsOf,
    labels: new SessionLabels(store.memory, runtime.now),
    loops: settings.loop && new LoopBreaker(settings.loop),
    budgeting: new Budgeting({ ...deps, ledger, limits: settings.budget, settingsOf }),
    guardsOf: guards.guardsOf,
    resetServer: guards.reset,
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
      resolveTargets: targetsOf,
      readyTool: (name, version) => deps.registry.ready(name, version),
      expiresMs: settings.approvalMs,
      newId: () => unguessableId('approval'),
    }),
  };
};

const targetDeps = (guard: PathGuard): TargetDeps => ({
  spellOut: (path) => guard.spellOut(path),
  resolve: (path) => guard.resolve(path, 'read'),
});

/** Worked out once per tool: a definition does not change while it is registered. */
const createFingerprints = (): ((ready: ReadyTool) => string) => {
  const known = new WeakMap<ReadyTool, string>();
  return (ready) => {
    const digest = known.get(ready) ?? fingerprintOf(ready);
    known.set(ready, digest);
    return digest;
  };
};

/** How long the holds and keys of a process that was killed may stay as they are. */
const RECOVER_MS = 30_000;

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
  readonly #record: Stage<never>;
  readonly #site: CallSite;
  #recovering: Timer | undefined = undefined;
  readonly #followers = new SignalFollowers();
  readonly #undo: UndoTools;

  constructor(deps: EngineDeps) {
    this.#deps = deps;
    this.shared = sharedParts(deps);
    this.#site = { runtime: deps.runtime, nextId: createExecutionIds() };
    this.#undo = this.#makeUndo();
    this.#contexts = this.#makeContexts();
    const parts = this.#pipelineDeps();
    this.#record = record(parts);
    this.#run = governed(parts, createTracer(deps));
  }

  /** Says of every call a crash interrupted what became of it. Before the first call. */
  async recover(): Promise<void> {
    const { store, runtime, guard } = this.#deps;
    const calls = await reconcile({ store, now: runtime.now, ...fileState(guard) });
    if (calls.length > 0) runtime.log.warn('calls were interrupted by a crash', { calls });
  }

  /** Recovers again and again: another process on the same store may die while this one lives. */
  keepRecovering(): void {
    const { runtime } = this.#deps;
    this.#recovering = runtime.after(RECOVER_MS, () => {
      this.recover()
        .catch((error: unknown) => {
          runtime.log.warn('calls in doubt could not be looked at', { error: thrownText(error) });
        })
        .finally(() => {
          if (this.#recovering) this.keepRecovering();
        });
    });
    this.#recovering.keepAlive(false);
  }

  execute(toolName: string, rawInput: unknown, as: CallAs | undefined): Promise<ToolResult> {
    const fault = requestFault(toolName, as);
    if (fault) return this.#refuse({ rawInput, parent: undefined }, fault);
    return this.#start({ toolName, rawInput, as, parent: undefined });
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

  undo(executionId: string, as: CallAs | undefined): Promise<ToolResult> {
    const { roles } = callerOf(as);
    const isOwner = roles.includes('owner') || roles.includes('admin');
    const internal = isOwner ? this.#undo.ofAnyone : this.#undo.ofCaller;
    const toolName = internal.tool.name;
    return this.#start({ toolName, rawInput: { executionId }, as, parent: undefined, internal });
  }

  async close(): Promise<void> {
    this.#recovering?.cancel();
    this.#recovering = undefined;
    this.shared.deadlines.close();
    await this.shared.budgeting.freeCalls.write();
    await this.#deps.egress.close();
  }

  #start(from: CallInput): Promise<ToolResult> {
    const call = newCall(from, this.#site);
    const done = this.#run(call);
    const signal = from.as?.signal;
    return signal ? this.#followers.follow(signal, call.control, done) : done;
  }

  /** Answers a call that was made in a way no call can be made, and records that. */
  #refuse(from: Pick<CallInput, 'rawInput' | 'parent'>, issue: Issue): Promise<ToolResult> {
    const as = from.parent ? undefined : NOBODY;
    const call = newCall({ ...from, toolName: '', as }, this.#site);
    const message = `${issue.path.join('.')} ${issue.message}.`;
    return this.#record(call, async () =>
      failed(call, 'VALIDATION_ERROR', { message, issues: [issue] }),
    );
  }

  #callTool = (parent: CallRequest, toolName: string, rawInput: unknown): Promise<ToolResult> => {
    const fault = requestFault(toolName, undefined);
    if (fault) return this.#refuse({ rawInput, parent }, fault);
    const from: CallInput = { toolName, rawInput, as: undefined, parent };
    const call = newCall(from, this.#site);
    if (parent.notes.stopped) {
      return this.#record(call, async () => failed(call, parent.control.reason ?? 'CANCELLED'));
    }
    parent.control.onAbort(() => call.control.abort(parent.control.reason ?? 'CANCELLED'));
    return this.#run(call);
  };

  #makeContexts(): Contexts {
    const { store, working } = this.#deps;
    return createContexts({
      ...this.#deps,
      memory: { persistent: store.memory, working },
      budgeting: this.shared.budgeting,
      exec: this.#execSettings(),
      files: (call) => this.#filesFor(call),
      callTool: this.#callTool,
    });
  }

  #execSettings(): ExecSettings {
    const { guard, settings, sandboxes } = this.#deps;
    const { allowedCommands: allow, tasks = [], extraRoots } = settings;
    const workingFolder = approvedFolder(guard);
    return { root: guard.root, extraRoots, allow, tasks, sandboxes, workingFolder };
  }

  #pipelineDeps(): PipelineDeps {
    const { settings, store } = this.#deps;
    return {
      ...this.#deps,
      ...this.shared,
      ...settings,
      audit: store.audit,
      replays: store.replays,
      counters: store.counters,
      results: store.results,
      contexts: this.#contexts,
      refusedProgram: createProgramCheck(this.#execSettings()),
      tools: this.#deps.registry,
      keepMs: settings.replayMs,
      newHandle: () => unguessableId('result'),
      callTool: this.#callTool,
      undo: (executionId) => this.undo(executionId, LOCAL_CALLER),
    };
  }

  #filesFor(call: Call<'ready'>): FileAccess {
    const { guard, events } = this.#deps;
    const hooks = fileHooks(call, { ...this.shared, events });
    const { needs } = call.ready.tool;
    return createFileAccess({ guard, needs, hooks, assertApproved: approvedPlaces(call) });
  }

  #makeUndo(): UndoTools {
    const { registry, store, guard, runtime } = this.#deps;
    return undoTools({
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
  }
}

/** Asks for the approval at each use: preconditions get their file access before there is one. */
const approvedPlaces =
  (call: Call<'ready'>) =>
  (place: Place, access: 'read' | 'write'): void => {
    const approval = evidence(call, 'approval');
    if (typeof approval === 'object') assertApprovedPath(approval, place, access);
  };

/** For an approved call the real path, so that a link made meanwhile is not followed. */
const approvedFolder =
  (guard: PathGuard): ExecSettings['workingFolder'] =>
  async (call, cwd) => {
    const approval = evidence(call, 'approval');
    if (typeof approval !== 'object') return cwd;
    const place = await guard.locate(cwd, 'read');
    assertApprovedPath(approval, place, 'read');
    return place.absolute;
  };

/** The caller of a request whose caller cannot be read: it holds nothing. */
const NOBODY: Caller = Object.freeze({
  ...LOCAL_CALLER,
  userId: 'unknown',
  agentId: 'unknown',
  roles: [],
  permissions: [],
});

const invalidInput = (issues: readonly Issue[]): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', 'The input does not match the schema of the tool.', {
    issues,
  });

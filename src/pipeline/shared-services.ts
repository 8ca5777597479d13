/** Defines the engine's settings and deps, and makes the services that its stages share. */
import type { Approver } from '../contract/approver.ts';
import type { ReadyTool } from '../contract/call.ts';
import type { Events } from '../contract/events.ts';
import type { Model } from '../contract/model.ts';
import type { Policy } from '../contract/policy.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Sandboxes } from '../contract/sandbox.ts';
import type { Secrets } from '../contract/secrets.ts';
import type { MemoryStore, Store } from '../contract/store.ts';
import type { Tool } from '../contract/tool.ts';
import {
  type ResolvedTargets,
  resolveTargets,
  type TargetDeps,
} from '../governance/approvals/call-targets.ts';
import { Seals } from '../governance/approvals/seals.ts';
import type { Egress } from '../governance/egress/create-egress.ts';
import { unguessableId } from '../governance/ids.ts';
import { SessionLabels } from '../governance/labels/session-labels.ts';
import type { BudgetLimits } from '../governance/ledger/budget.ts';
import { LoopBreaker, type LoopLimits } from '../governance/ledger/loop-breaker.ts';
import type { PathGuard } from '../governance/paths/path-guard.ts';
import { pathState } from '../governance/paths/path-state.ts';
import type { Redactor } from '../governance/redaction/redaction.ts';
import type { SigningKey } from '../governance/signing/open-signing-key.ts';
import { fingerprintOf } from '../registry/fingerprint.ts';
import type { Registry } from '../registry/registry.ts';
import type { ShapeLimits } from '../registry/schema/guard-shape.ts';
import { ApprovalService } from './approval/approval-service.ts';
import { PermissionService } from './approval/permission-service.ts';
import { StandingGrants } from './approval/standing-grants.ts';
import { type CommandTask, createProgramPaths } from './broker/judge-program.ts';
import { Budgeting } from './budget/budgeting.ts';
import type { RulesByTool } from './business-rules.ts';
import { LateWrites } from './record/late-writes.ts';
import { ResultCache } from './record/result-cache.ts';
import { RunningCalls } from './record/running-calls.ts';
import { Bulkhead } from './recovery/bulkhead.ts';
import { Deadlines } from './recovery/deadlines.ts';
import { createGuards } from './recovery/guards.ts';
import type { ResultLimits } from './stages/govern-result.ts';
import type { UsageNotes } from './stages/record.ts';
import { createToolSettings, type SettingsSource } from './tool-settings.ts';
import { KeptSnapshots } from './undo/kept-snapshots.ts';
import { UndoLog } from './undo/undo-log.ts';

export interface EngineSettings {
  readonly tools: SettingsSource;
  readonly shape: ShapeLimits;
  readonly limits: ResultLimits;
  readonly budget: BudgetLimits;
  /** `undefined` switches the loop breaker off. */
  readonly loop: LoopLimits | undefined;
  /** Patterns of the commands that a tool which needs `*` may run. */
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
  /** Opens the key, which is made when it is first needed. */
  signingKey(): Promise<SigningKey>;
}

/** Makes the services that stages share, once per crib. */
export const createSharedServices = (deps: EngineDeps) => {
  const { store, runtime, settings } = deps;
  const settingsOf = createToolSettings(settings.tools);
  const { ledger, approvals, grants, audit } = store;
  const seals = new Seals(deps.signingKey, runtime.log);
  const permissions = new PermissionService({ ...deps, grants, audit, seals });
  const definitionOf = createFingerprints();
  const targetsOf = createTargetResolver(deps);
  const allTools = new Bulkhead(settings.maxConcurrentTools, settings.queueLimit);
  const guards = createGuards(settingsOf, allTools);
  const late = new LateWrites(runtime);
  return {
    settingsOf,
    late,
    seals,
    permissions,
    standingGrants: new StandingGrants({ grants, seals }),
    definitionOf,
    resolveTargets: targetsOf,
    labels: new SessionLabels(store.memory, runtime.now),
    loops: settings.loop && new LoopBreaker(settings.loop),
    budgeting: new Budgeting({ ...deps, ledger, late, limits: settings.budget, settingsOf }),
    guardsOf: guards.guardsOf,
    resetServer: guards.reset,
    circuitOf: guards.circuitOf,
    running: new RunningCalls(),
    deadlines: new Deadlines(runtime),
    cache: new ResultCache(settings.cacheEntries, runtime.now),
    undoLog: new UndoLog({ store, now: runtime.now, keepMs: settings.undoMs }),
    snapshots: new KeptSnapshots({ ...store, runtime, keepMs: settings.undoMs }),
    approvalService: new ApprovalService({
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

const createTargetResolver =
  (deps: EngineDeps) =>
  (tool: Tool, input: unknown): Promise<ResolvedTargets> =>
    resolveTargets(tool, input, targetDeps(deps));

const targetDeps = ({ guard, settings }: EngineDeps): TargetDeps => {
  const { allowedCommands: allow, tasks = [] } = settings;
  return {
    spellOut: (path) => guard.spellOut(path),
    resolve: (path) => guard.resolve(path, 'read'),
    stateOf: (real, use) => pathState({ ...guard.rootOf(real), use }),
    programPaths: createProgramPaths({ root: guard.root, allow, tasks }),
  };
};

/** Computes a fingerprint once per tool: a definition does not change while it is registered. */
const createFingerprints = (): ((ready: ReadyTool) => string) => {
  const digests = new WeakMap<ReadyTool, string>();
  return (ready) => {
    const digest = digests.get(ready) ?? fingerprintOf(ready);
    digests.set(ready, digest);
    return digest;
  };
};

export type SharedServices = ReturnType<typeof createSharedServices>;

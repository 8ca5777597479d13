/** Hands each stage of the pipeline what it needs. */
import type { CallRequest } from '../contract/call.ts';
import type { Caller } from '../contract/caller.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Secrets } from '../contract/secrets.ts';
import { unguessableId } from '../governance/ids.ts';
import type { Contexts } from './broker/context.ts';
import type { Budgeting } from './budget/budgeting.ts';
import type { EngineDeps, SharedServices } from './shared-services.ts';
import type { ApplyEffectsDeps } from './stages/apply-effects.ts';
import type { ApproveDeps } from './stages/approve.ts';
import type { AuthorizeDeps } from './stages/authorize.ts';
import type { CheckPreconditionsDeps } from './stages/check-preconditions.ts';
import type { ExecuteDeps } from './stages/execute.ts';
import type { GovernResultDeps } from './stages/govern-result.ts';
import type { InspectDeps } from './stages/inspect.ts';
import type { LimitRateDeps } from './stages/limit-rate.ts';
import type { RecordDeps } from './stages/record.ts';
import type { RecoverDeps } from './stages/recover.ts';
import type { ReplayDeps } from './stages/replay.ts';
import type { ResolveDeps } from './stages/resolve.ts';
import type { ValidateInputDeps } from './stages/validate-input.ts';

export interface StageDeps {
  readonly record: RecordDeps;
  readonly resolve: ResolveDeps;
  readonly validateInput: ValidateInputDeps;
  readonly inspect: InspectDeps;
  readonly authorize: AuthorizeDeps;
  readonly replay: ReplayDeps;
  readonly limitRate: LimitRateDeps;
  readonly authenticate: Secrets;
  readonly checkPreconditions: CheckPreconditionsDeps;
  readonly approve: Omit<ApproveDeps, 'recheck'>;
  readonly reserveBudget: Budgeting;
  readonly governResult: GovernResultDeps;
  readonly applyEffects: ApplyEffectsDeps;
  readonly recover: RecoverDeps;
  readonly execute: ExecuteDeps;
}

/** What the engine itself hands to the stages. */
export interface EngineServices extends Pick<ApproveDeps, 'refusedProgram'> {
  readonly contexts: Contexts;
  callTool(parent: CallRequest, tool: string, input: unknown): Promise<ToolResult>;
  undo(executionId: string, caller: Caller): Promise<ToolResult>;
}

type Gate =
  | 'resolve'
  | 'validateInput'
  | 'inspect'
  | 'authorize'
  | 'replay'
  | 'limitRate'
  | 'authenticate'
  | 'checkPreconditions'
  | 'approve'
  | 'reserveBudget';

/** Collects the deps of the stages before the tool runs. */
const gateDeps = (
  deps: EngineDeps,
  shared: SharedServices,
  { contexts, refusedProgram }: EngineServices,
): Pick<StageDeps, Gate> => {
  const { store, registry: tools, runtime, events, redactor, policy, secrets, guard } = deps;
  const { settings, validators, untrustedTools } = deps;
  const { audit, replays, counters } = store;
  const { settingsOf, definitionOf, resolveTargets } = shared;
  const { labels, budgeting, approvalService, standingGrants, cache, loops, late } = shared;
  const { shape, sanitize, maxCallDepth, replayMs: keepMs } = settings;
  return {
    resolve: { tools, maxCallDepth, untrustedTools },
    validateInput: { shape, validators, runtime },
    inspect: { redactor, guard, sanitize },
    authorize: { policy, standingGrants, labels, events, definitionOf, resolveTargets },
    replay: { replays, late, cache, runtime, keepMs, settingsOf },
    limitRate: { counters, runtime, loops, settingsOf },
    authenticate: secrets,
    checkPreconditions: {
      contexts,
      tools,
      audit,
      policy,
      standingGrants,
      labels,
      definitionOf,
      runtime,
      settingsOf,
    },
    approve: {
      approvalService,
      policy,
      labels,
      budgeting,
      redactor,
      runtime,
      refusedProgram,
      definitionOf,
      resolveTargets,
    },
    reserveBudget: budgeting,
  };
};

/** Collects the deps of the stages that run the tool and handle its result. */
const runDeps = (
  deps: EngineDeps,
  shared: SharedServices,
  { contexts, callTool, undo }: EngineServices,
): Omit<StageDeps, Gate> => {
  const { store, working, runtime, events, redactor, policy, usage } = deps;
  const { audit, results } = store;
  const { settingsOf, guardsOf, labels, budgeting, running, late } = shared;
  const { deadlines, approvalService, undoLog } = shared;
  const { limits, checkOutput } = deps.settings;
  const newHandle = (): string => unguessableId('result');
  return {
    record: {
      audit,
      late,
      running,
      budgeting,
      labels,
      usage,
      contexts,
      working,
      policy,
      runtime,
      events,
      redactor,
      settingsOf,
    },
    governResult: { results, limits, runtime, redactor, newHandle },
    applyEffects: { contexts, events, redactor, undo, runtime, settingsOf },
    recover: { runtime, events, deadlines, approvalService, settingsOf, guardsOf, callTool },
    execute: { audit, contexts, deadlines, undoLog, runtime, redactor, checkOutput, settingsOf },
  };
};

export const stageDeps = (
  deps: EngineDeps,
  shared: SharedServices,
  engine: EngineServices,
): StageDeps => ({ ...gateDeps(deps, shared, engine), ...runDeps(deps, shared, engine) });

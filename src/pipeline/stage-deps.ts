/** Says what each stage of the pipeline is handed. */
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

/** What the engine itself gives to the stages. */
export interface EngineServices extends Pick<ApproveDeps, 'refusedProgram'> {
  readonly contexts: Contexts;
  callTool(parent: CallRequest, tool: string, input: unknown): Promise<ToolResult>;
  undo(executionId: string, caller: Caller): Promise<ToolResult>;
}

export const stageDeps = (
  deps: EngineDeps,
  shared: SharedServices,
  engine: EngineServices,
): StageDeps => {
  const { store, working, registry, runtime, events, redactor, policy, secrets, guard } = deps;
  const { settings, usage, validators, untrustedTools } = deps;
  const { audit, replays, counters, results } = store;
  const { settingsOf, guardsOf, definitionOf, resolveTargets } = shared;
  const { labels, budgeting, running, deadlines, desk, standing, cache, loops, undoLog, late } =
    shared;
  const { shape, sanitize, limits, checkOutput, maxCallDepth, replayMs } = settings;
  const { contexts, refusedProgram, callTool, undo } = engine;
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
      runtime,
      redactor,
      events,
      policy,
    },
    resolve: { tools: registry, maxCallDepth, untrustedTools },
    validateInput: { shape, validators, runtime },
    inspect: { redactor, guard, sanitize },
    authorize: { policy, standing, labels, events, definitionOf, resolveTargets },
    replay: { replays, audit, late, cache, runtime, keepMs: replayMs, settingsOf },
    limitRate: { counters, runtime, loops, settingsOf },
    authenticate: secrets,
    checkPreconditions: {
      contexts,
      tools: registry,
      audit,
      policy,
      standing,
      labels,
      definitionOf,
    },
    approve: { desk, policy, labels, budgeting, redactor, runtime, refusedProgram },
    reserveBudget: budgeting,
    governResult: { results, limits, runtime, redactor, newHandle },
    applyEffects: { contexts, events, redactor, undo },
    recover: { runtime, events, deadlines, desk, settingsOf, guardsOf, callTool },
    execute: { audit, contexts, deadlines, undoLog, runtime, redactor, checkOutput, settingsOf },
  };
};

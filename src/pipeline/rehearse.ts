/**
 * Takes a call through the gates without making it: nothing is recorded, counted, announced or run.
 * Code of the tool that decides about a precondition is not run either, because it may do anything.
 */
import type { AdmittedCall, CallRequest, Next } from '../contract/call.ts';
import type { DryRunReport } from '../contract/crib.ts';
import type { Events } from '../contract/events.ts';
import type { Precondition } from '../contract/precondition.ts';
import type { ToolResult } from '../contract/result.ts';
import { failedWith, succeeded } from './outcome.ts';
import { type AnyStage, evidenceOf, pipeline, type Tracer } from './pipeline.ts';
import { asToolError, redactError } from './record/as-tool-error.ts';
import type { StageDeps } from './stage-deps.ts';
import { approve } from './stages/approve.ts';
import { authenticate } from './stages/authenticate.ts';
import { authorize } from './stages/authorize.ts';
import { checkPreconditions } from './stages/check-preconditions.ts';
import { dryRunReport } from './stages/execute.ts';
import { inspect } from './stages/inspect.ts';
import { limitRate } from './stages/limit-rate.ts';
import { replay } from './stages/replay.ts';
import { reserveBudget } from './stages/reserve-budget.ts';
import { resolve } from './stages/resolve.ts';
import { validateInput } from './stages/validate-input.ts';

export interface Rehearsal {
  readonly result: ToolResult<DryRunReport>;
  /** The stage that refused the call; absent when all gates let it pass. */
  readonly stage?: string;
  /** The version that would run; absent when there is no such tool. */
  readonly version?: string;
  /** Preconditions that only code can judge: it was not run. */
  readonly unchecked: readonly string[];
}

const SILENT: Events = Object.freeze({ has: () => false, emit: () => {}, on: () => () => {} });

const isData = (precondition: Precondition): boolean =>
  precondition.check === undefined &&
  !(precondition.type === 'state' && typeof precondition.expectedValue === 'function');

/** Notes the stage that each call has come to. */
const follow = (reached: WeakMap<CallRequest, string>): Tracer => ({
  isWanted: () => true,
  around: <S extends AnyStage>(stage: S) =>
    ((call: CallRequest, next: Next<never>) => {
      reached.set(call, stage.name);
      return stage(call as never, next);
    }) as unknown as S,
  run: (call, through) => through(call),
});

/**
 * Ends the rehearsal. Also refuses what the broker would refuse once the tool runs: a program that
 * is not allowed.
 */
const conclude = ({ approve: { refusedProgram } }: StageDeps) =>
  async function checkPrograms(call: AdmittedCall): Promise<ToolResult> {
    return (await refusedProgram(call)) ?? succeeded(call, dryRunReport(call));
  };

const gates = (deps: StageDeps, tracer: Tracer): Next<CallRequest> =>
  pipeline(tracer)
    .through(resolve(deps.resolve))
    .through(validateInput(deps.validateInput))
    .through(inspect(deps.inspect))
    .through(authorize({ ...deps.authorize, events: SILENT }))
    .through(replay(deps.replay))
    .through(limitRate(deps.limitRate))
    .through(authenticate(deps.authenticate))
    .through(checkPreconditions({ ...deps.checkPreconditions, isChecked: isData }))
    // A dry run is asked for no approval, so that no input is edited and checked again.
    .through(approve({ ...deps.approve, recheck: async (call) => succeeded(call, undefined) }))
    .through(reserveBudget(deps.reserveBudget))
    .endingIn(conclude(deps));

/** Makes the function that rehearses calls. They have to be dry runs. */
export const createRehearsal = (deps: StageDeps): ((call: CallRequest) => Promise<Rehearsal>) => {
  const reached = new WeakMap<CallRequest, string>();
  const run = gates(deps, follow(reached));

  const answer = async (call: CallRequest): Promise<ToolResult> => {
    try {
      return await run(call);
    } catch (error) {
      return failedWith(call, asToolError(error, call, deps.record));
    }
  };

  return async (call) => {
    if (!call.options.dryRun) throw new TypeError('Only a dry run can be rehearsed.');
    const result = await answer(call);
    const tool = evidenceOf(call).ready?.tool;
    const stage = result.success ? undefined : reached.get(call);
    const preconditions = tool?.preconditions ?? [];
    return {
      result: (result.success
        ? result
        : {
            ...result,
            error: redactError(result.error, deps.record.redactor),
          }) as ToolResult<DryRunReport>,
      ...(stage !== undefined && { stage }),
      ...(tool && { version: tool.version }),
      unchecked: preconditions.filter((each) => !isData(each)).map((each) => each.description),
    };
  };
};

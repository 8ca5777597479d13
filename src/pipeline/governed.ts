/**
 * The pipeline every call goes through: in from top to bottom, its result out from bottom to top.
 * Each gate adds its proof to the call, and `execute` asks for all of them.
 */
import type { CallRequest, Next } from '../contract/call.ts';
import type { Policy } from '../contract/policy.ts';
import type { Secrets } from '../contract/secrets.ts';
import type { Budgeting } from './budget/budgeting.ts';
import { pipeline, prove, type Tracer } from './pipeline.ts';
import { type ApplyEffectsDeps, applyEffects } from './stages/apply-effects.ts';
import { type ApproveDeps, approve, type Recheck } from './stages/approve.ts';
import { authenticate } from './stages/authenticate.ts';
import { type AuthorizeDeps, authorize } from './stages/authorize.ts';
import { type CheckPreconditionsDeps, checkPreconditions } from './stages/check-preconditions.ts';
import { type ExecuteDeps, execute } from './stages/execute.ts';
import { type GovernResultDeps, governResult } from './stages/govern-result.ts';
import { type InspectDeps, inspect } from './stages/inspect.ts';
import { type LimitRateDeps, limitRate } from './stages/limit-rate.ts';
import { type RecordDeps, record } from './stages/record.ts';
import { type RecoverDeps, recover } from './stages/recover.ts';
import { type ReplayDeps, replay } from './stages/replay.ts';
import { reserveBudget } from './stages/reserve-budget.ts';
import { type ResolveDeps, resolve } from './stages/resolve.ts';
import { type ValidateInputDeps, validateInput } from './stages/validate-input.ts';

/** All that the stages need, put together by the crib. */
export type PipelineDeps = RecordDeps &
  ResolveDeps &
  ValidateInputDeps &
  InspectDeps &
  AuthorizeDeps &
  ReplayDeps &
  LimitRateDeps &
  CheckPreconditionsDeps &
  Omit<ApproveDeps, 'recheck'> &
  GovernResultDeps &
  ApplyEffectsDeps &
  RecoverDeps &
  ExecuteDeps & {
    readonly policy: Policy;
    readonly secrets: Secrets;
    readonly budgeting: Budgeting;
    readonly limits: GovernResultDeps['limits'];
  };

/** The gates that judge an input, for one that the approver put in the place of another. */
const recheck = (deps: PipelineDeps): Recheck => {
  const check = validateInput(deps);
  const look = inspect(deps);
  const judge = authorize(deps);
  const prepare = checkPreconditions(deps);
  return (call, next) =>
    check(call, (valid) =>
      look(valid, (inspected) =>
        judge(inspected, (granted) => {
          const { grant } = granted;
          // The credential is the tool's, whatever its input is.
          const known = prove(granted, 'authenticated', true);
          return prepare(known, (ready) => next(prove(ready, 'grant', grant)));
        }),
      ),
    );
};

export const governed = (deps: PipelineDeps, tracer?: Tracer): Next<CallRequest> =>
  pipeline(tracer)
    .through(record(deps)) //               outermost: refused calls are recorded too
    .through(resolve(deps)) //              adds ready: the tool, compiled
    .through(validateInput(deps)) //        adds input: policy judges what was parsed, not what was sent
    .through(inspect(deps)) //              adds inspected
    .through(authorize(deps)) //            adds grant: the rule that allowed it
    .through(replay(deps)) //               adds fresh: not done before
    .through(limitRate(deps)) //            adds admitted
    .through(authenticate(deps.secrets)) // adds authenticated: the credential is there
    .through(checkPreconditions(deps)) //   adds preconditions
    .through(approve({ ...deps, recheck: recheck(deps) })) // adds approval: who agreed
    .through(reserveBudget(deps.budgeting)) // adds budget; settles on the way out
    .through(governResult(deps)) //         on the way out: plain, redacted, capped
    .through(applyEffects(deps)) //         on the way out: in order, or rolled back
    .through(recover(deps)) //              breaker, bulkhead, deadline, retry, fallback
    .endingIn(execute(deps)); //            the only step that runs foreign code

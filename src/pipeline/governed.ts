/**
 * The pipeline every call goes through: in from top to bottom, its result out from bottom to top.
 * Each gate adds its proof to the call, and `execute` asks for all of them.
 */
import type { CallRequest, Next } from '../contract/call.ts';
import { pipeline, prove, type Tracer } from './pipeline.ts';
import type { StageDeps } from './stage-deps.ts';
import { applyEffects } from './stages/apply-effects.ts';
import { approve, type Recheck } from './stages/approve.ts';
import { authenticate } from './stages/authenticate.ts';
import { authorize } from './stages/authorize.ts';
import { checkPreconditions } from './stages/check-preconditions.ts';
import { execute } from './stages/execute.ts';
import { governResult } from './stages/govern-result.ts';
import { inspect } from './stages/inspect.ts';
import { limitRate } from './stages/limit-rate.ts';
import { record } from './stages/record.ts';
import { recover } from './stages/recover.ts';
import { replay } from './stages/replay.ts';
import { reserveBudget } from './stages/reserve-budget.ts';
import { resolve } from './stages/resolve.ts';
import { validateInput } from './stages/validate-input.ts';

/** Chains the gates that judge an input, for one that the approver has edited. */
const recheck = (deps: StageDeps): Recheck => {
  const validating = validateInput(deps.validateInput);
  const inspecting = inspect(deps.inspect);
  const authorizing = authorize(deps.authorize);
  const checking = checkPreconditions(deps.checkPreconditions);
  return (call, next) =>
    validating(call, (valid) =>
      inspecting(valid, (inspected) =>
        authorizing(inspected, (authorized) => {
          const { grant } = authorized;
          // The credential is the tool's, whatever its input is.
          const authenticated = prove(authorized, 'authenticated', true);
          return checking(authenticated, (checked) => next(prove(checked, 'grant', grant)));
        }),
      ),
    );
};

export const governed = (deps: StageDeps, tracer?: Tracer): Next<CallRequest> =>
  pipeline(tracer)
    .through(record(deps.record)) //               outermost: refused calls are recorded too
    .through(resolve(deps.resolve)) //             adds ready: the tool, compiled
    .through(validateInput(deps.validateInput)) // adds input: policy judges what was parsed, not what was sent
    .through(inspect(deps.inspect)) //             adds inspected
    .through(authorize(deps.authorize)) //         adds grant: the rule that allowed it
    .through(replay(deps.replay)) //               adds fresh: not done before
    .through(limitRate(deps.limitRate)) //         adds admitted
    .through(authenticate(deps.authenticate)) //   adds authenticated: the credential is there
    .through(checkPreconditions(deps.checkPreconditions)) // adds preconditions
    .through(approve({ ...deps.approve, recheck: recheck(deps) })) // adds approval: who agreed
    .through(reserveBudget(deps.reserveBudget)) // adds budget; settles on the way out
    .through(governResult(deps.governResult)) //   on the way out: plain, redacted, capped
    .through(applyEffects(deps.applyEffects)) //   on the way out: in order, or rolled back
    .through(recover(deps.recover)) //             breaker, bulkhead, deadline, retry, fallback
    .endingIn(execute(deps.execute)); //           the only step that calls the tool's run

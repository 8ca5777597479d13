/** Tries a step as often as it may be tried, and recovers from its failure as it says. */
import { type ToolError, ToolFailure } from '../../../contract/errors.ts';
import type { FlowApproval, FlowContext, FlowStepOptions } from '../../../contract/flow.ts';
import type { FlowDataStep, FlowLastResort } from '../../../contract/flow-data.ts';
import { thrownError } from '../../../pipeline/record/thrown-error.ts';
import { cancelledStep } from '../../turn.ts';
import { lastResortOf } from '../step-tree.ts';
import { done, failedWith, type Outcome } from './outcome.ts';

const DELAY_MS = 1_000;
/** A person may ask for another try so often. */
const MAX_ASKED = 20;

/** Tells whether a step that has failed may be tried again, by itself or because a person says so. */
export const mayBeTriedAgain = (step: FlowDataStep): boolean =>
  (step.retry?.attempts ?? 1) > 1 || lastResortOf(step) === 'manual';

export interface RecoveryDeps {
  readonly flow: Pick<FlowContext, 'sleep' | 'waitForApproval'>;
  /** What cancels the waits of the step. */
  readonly options: Pick<FlowStepOptions, 'signal'>;
  /**
   * Tries the step; rounds count from 1, and `asked` says how often a person has asked for more of them.
   * Rejects, or gives a failed outcome, when it fails.
   */
  attempt(round: number, asked: number): Promise<Outcome>;
  fallback?(error: ToolError): Promise<unknown>;
  /** What the step is part of has ended: nothing is tried any more. */
  isStopped(): boolean;
}

class Recovery {
  readonly #step: FlowDataStep;
  readonly #key: string;
  readonly #deps: RecoveryDeps;
  #round = 0;
  #asked = 0;

  constructor(step: FlowDataStep, key: string, deps: RecoveryDeps) {
    this.#step = step;
    this.#key = key;
    this.#deps = deps;
  }

  /** Repeats what failed with an error that says so; what may have had an effect never does. */
  async tried(): Promise<Outcome> {
    const { attempts = 1, delayMs = DELAY_MS, backoff = 1 } = this.#step.retry ?? {};
    for (let tries = 1; ; tries += 1) {
      const outcome = await this.#once();
      if (outcome.status !== 'failed' || outcome.aborts) return outcome;
      const isLast = tries >= attempts || !outcome.error.retryable || this.#deps.isStopped();
      if (isLast) return outcome;
      const wait = outcome.error.retryAfterMs ?? delayMs * backoff ** (tries - 1);
      const key = `${this.#key}.wait${this.#round}`;
      try {
        await this.#deps.flow.sleep(Math.round(wait), { key, ...this.#deps.options });
      } catch {
        // The step was cancelled while it waited.
        return outcome;
      }
    }
  }

  /** Asks a person, as often as the step fails and the answer is yes. */
  async asked(failure: Failure): Promise<Outcome> {
    let { error } = failure;
    for (let asked = 1; asked <= MAX_ASKED; asked += 1) {
      const { approved, note } = await this.#answer(error, asked);
      // The question was withdrawn: what ended the group is what failed.
      if (this.#deps.isStopped()) return failedWith(cancelledStep());
      if (!approved)
        return failedWith(
          note === undefined ? error : { ...error, message: `${error.message} (${note})` },
        );
      this.#asked = asked;
      const outcome = await this.tried();
      if (outcome.status !== 'failed' || outcome.aborts) return outcome;
      ({ error } = outcome);
    }
    return failedWith(error);
  }

  /** Puts the question. One that nobody answers in time, or that cannot be asked, is answered with no. */
  async #answer(
    { code, message }: ToolError,
    asked: number,
  ): Promise<Pick<FlowApproval, 'approved' | 'note'>> {
    const { id } = this.#step;
    const { flow, options } = this.#deps;
    try {
      return await flow.waitForApproval(
        `The step ${id} failed: ${message} Try it again?`,
        { step: id, code },
        { key: `${this.#key}.ask${asked}`, ...options },
      );
    } catch (thrown) {
      const error = thrownError(thrown);
      const isExpired = error.code === 'APPROVAL_EXPIRED';
      return { approved: false, note: isExpired ? 'nobody answered' : error.message };
    }
  }

  async #once(): Promise<Outcome> {
    this.#round += 1;
    try {
      return await this.#deps.attempt(this.#round, this.#asked);
    } catch (thrown) {
      return failedWith(thrownError(thrown));
    }
  }
}

type Failure = Extract<Outcome, { status: 'failed' }>;

/** Does the last that can be done about a failure. */
const lastResort = (
  resort: FlowLastResort,
  failure: Failure,
  recovery: Recovery,
): Promise<Outcome> | Outcome => {
  switch (resort) {
    case 'fail':
      return failure;
    case 'abort':
      return failedWith(failure.error, true);
    case 'skip': {
      const because = `it failed: ${failure.error.code}`;
      return { status: 'skipped', because, reason: 'recovery' };
    }
    case 'manual':
      return recovery.asked(failure);
  }
};

/** Never rejects because of the step: a failure that nothing recovers from is an outcome. */
export const recoverStep = async (
  step: FlowDataStep,
  key: string,
  deps: RecoveryDeps,
): Promise<Outcome> => {
  const recovery = new Recovery(step, key, deps);
  const canRecover = (outcome: Outcome): outcome is Failure =>
    outcome.status === 'failed' && !outcome.aborts && !deps.isStopped();
  const outcome = await recovery.tried();
  if (!canRecover(outcome)) return outcome;
  const { onError = 'fail' } = step;
  if (typeof onError === 'string') return lastResort(onError, outcome, recovery);
  const instead = await fallBack(deps, outcome.error);
  if (!canRecover(instead)) return instead;
  return lastResort(lastResortOf(step), instead, recovery);
};

const fallBack = async ({ fallback }: RecoveryDeps, error: ToolError): Promise<Outcome> => {
  try {
    if (!fallback) throw new ToolFailure('INTERNAL', 'The fallback was not compiled.');
    return done(await fallback(error));
  } catch (thrown) {
    return failedWith(thrownError(thrown));
  }
};

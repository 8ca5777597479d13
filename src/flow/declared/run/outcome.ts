/** How a step of a flow as data ended, and what a join makes of several. */
import { type ToolError, ToolFailure, toolError } from '../../../contract/errors.ts';
import type { FlowJoin } from '../../../contract/flow-data.ts';
import { type Expression, evaluateTest } from '../../values/compile-expression.ts';
import type { StepOutput, ValueScope } from '../../values/scope.ts';

export type Outcome =
  | { readonly status: 'done'; readonly data: unknown }
  | {
      readonly status: 'failed';
      readonly error: ToolError;
      /** Nothing may recover from it: the run ends. */
      readonly aborts: boolean;
    }
  | {
      readonly status: 'skipped';
      readonly because: string;
      /** A step that was not wanted does not keep its successors from running, one that could not run does. */
      readonly reason: 'condition' | 'recovery' | 'predecessor';
    };

export const done = (data: unknown): Outcome => ({ status: 'done', data: data ?? null });

export const failedWith = (error: ToolError, aborts = false): Outcome => ({
  status: 'failed',
  error,
  aborts,
});

/** Makes a failure one that must not be tried again by itself. */
export const notAgain = (failure: Extract<Outcome, { status: 'failed' }>): Outcome => ({
  ...failure,
  error: { ...failure.error, retryable: false },
});

/** Tells whether a step ended because what it is part of has ended. */
export const isCancelled = (outcome: Outcome): boolean =>
  outcome.status === 'failed' && outcome.error.code === 'CANCELLED';

/** Makes what later steps see of a step. */
export const stepOutput = (outcome: Outcome): StepOutput => {
  switch (outcome.status) {
    case 'done':
      return { status: 'success', success: true, data: outcome.data };
    case 'failed':
      return { status: 'failure', success: false, error: outcome.error };
    case 'skipped':
      return { status: 'skipped', success: false };
  }
};

const isGood = (outcome: Outcome): boolean =>
  outcome.status === 'done' || (outcome.status === 'skipped' && outcome.reason !== 'predecessor');

export interface JoinFacts {
  readonly join: FlowJoin | undefined;
  /** The expression of a custom join. */
  readonly custom: Expression | undefined;
  readonly scope: ValueScope;
}

/** Decides by how the predecessors ended. Throws when a custom join cannot be worked out. */
export const joinHolds = (
  outcomes: readonly Outcome[],
  { join = 'all_success', custom, scope }: JoinFacts,
): boolean => {
  if (custom) return evaluateTest(custom, scope);
  const successes = outcomes.filter(({ status }) => status === 'done').length;
  switch (join) {
    case 'any_success':
      return successes > 0;
    case 'majority':
      return successes * 2 > outcomes.length;
    default:
      return outcomes.every(isGood);
  }
};

/** Finds the error of a group whose join does not hold. */
export const joinError = (outcomes: readonly Outcome[]): ToolError => {
  for (const outcome of outcomes) if (outcome.status === 'failed') return outcome.error;
  for (const outcome of outcomes) {
    if (outcome.status === 'skipped') {
      return toolError('EXECUTION_FAILED', `A step was skipped: ${outcome.because}.`);
    }
  }
  return toolError('EXECUTION_FAILED', 'The steps that ran do not fulfil the join of the flow.');
};

/** Says why a step does not run whose predecessors do not fulfil its join. */
export const unmetBecause = (
  predecessors: readonly (readonly [id: string, outcome: Outcome | undefined])[],
): string => {
  const failed = predecessors.find(([, outcome]) => outcome?.status === 'failed');
  if (failed) return `${failed[0]} failed`;
  const skipped = predecessors.find(([, outcome]) => outcome?.status === 'skipped');
  return skipped ? `${skipped[0]} was skipped` : 'its join does not hold';
};

export const assertDone = (outcome: Outcome): unknown => {
  if (outcome.status === 'done') return outcome.data;
  const { code, message, ...extras } = joinError([outcome]);
  throw new ToolFailure(code, message, extras);
};

/** Runs the steps of a composition: group by group, each step as its definition says. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolContext } from '../../../contract/context.ts';
import { type ToolError, ToolFailure, toolError } from '../../../contract/errors.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { evaluateTest } from '../../values/compile-expression.ts';
import { noSteps, type StepOutput, scopeCaller, type ValueScope } from '../../values/scope.ts';
import {
  callPart,
  changedNothing,
  endsTheWhole,
  notCalled,
  type PartOutcome,
  skipped,
} from '../call-part.ts';
import { longestTimeout } from '../combined-facts.ts';
import { movingWindow } from '../moving-window.ts';
import { handedOn } from '../run-chain.ts';
import { wholeFailure } from '../whole-failure.ts';
import type { CompiledStep, CompiledTarget, StepGroup } from './compile-steps.ts';

/** What became of one step. */
export interface StepResult extends PartOutcome {
  readonly id: string;
  /** How often it was called; 0 for one that was skipped. */
  readonly attempts: number;
}

export interface FinishedSteps {
  readonly results: readonly StepResult[];
  readonly scope: ValueScope;
}

const errorOf = (thrown: unknown): ToolError =>
  thrown instanceof ToolFailure
    ? toolError(thrown.code, thrown.message, thrown.extras)
    : toolError('EXECUTION_FAILED', reasonOf(thrown));

const outputOf = ({ status, success, data, error }: PartOutcome): StepOutput => ({
  status,
  success,
  ...(success && { data }),
  ...(error && { error: { code: error.code, message: error.message } }),
});

const hasFailed = ({ success, status }: PartOutcome): boolean => !success && status !== 'skipped';

class StepsRun {
  readonly #context: ToolContext;
  readonly #scope: ValueScope;
  readonly #steps = noSteps();
  readonly #results = new Map<string, StepResult>();
  readonly #stop = new AbortController();
  /** The first failure that nothing tolerates. */
  #failed: StepResult | undefined;

  constructor(input: unknown, context: ToolContext) {
    this.#context = context;
    this.#scope = { input, steps: this.#steps, caller: scopeCaller(context) };
  }

  async run(groups: readonly StepGroup[], size: number): Promise<FinishedSteps> {
    const isStopped = (): boolean => this.#stop.signal.aborted || this.#context.signal.aborted;
    for (const group of groups) {
      const tasks = group.map((step) => () => this.#runStep(step));
      await movingWindow(tasks, { size, isStopped });
      // Only now: steps of one group must not see each other, whichever ends first.
      for (const { id } of group) {
        const result = this.#results.get(id);
        if (result) this.#steps[id] = outputOf(result);
      }
      if (isStopped()) break;
    }
    const results = groups.flat().map((step) => this.#resultOf(step));
    if (this.#failed) {
      const label = `step ${this.#failed.id}, ${this.#failed.tool},`;
      const failed = { label, outcome: this.#failed, hasOwnInput: true };
      throw wholeFailure(failed, results, { steps: results });
    }
    return { results, scope: this.#scope };
  }

  #resultOf({ id, tool }: CompiledStep): StepResult {
    return this.#results.get(id) ?? { id, attempts: 0, ...skipped(tool.name) };
  }

  async #runStep(step: CompiledStep): Promise<void> {
    const result = await this.#outcomeOf(step);
    this.#results.set(step.id, result);
    if (!hasFailed(result)) return;
    if (step.errorHandling.strategy === 'continue' && !endsTheWhole(result)) {
      this.#context.warn(`Step ${step.id} failed with ${result.error?.code}; the others went on.`);
      return;
    }
    this.#failed ??= result;
    this.#stop.abort();
  }

  /** Runs a step. A condition that cannot be worked out fails it: nobody knows whether it should run. */
  async #outcomeOf(step: CompiledStep): Promise<StepResult> {
    const { id, tool, condition } = step;
    try {
      if (condition && !evaluateTest(condition, this.#scope)) {
        return { id, attempts: 0, ...skipped(tool.name) };
      }
    } catch (thrown) {
      const { code, message } = errorOf(thrown);
      const error = toolError(code, `The condition of step ${id}: ${message}`);
      return { id, attempts: 0, ...notCalled(tool.name, error) };
    }
    return this.#callStep(step);
  }

  async #callStep(step: CompiledStep): Promise<StepResult> {
    const { id, errorHandling, fallback } = step;
    let outcome = await this.#call(step, step);
    let attempts = 1;
    const mayRepeat = (): boolean =>
      !outcome.success &&
      outcome.error?.retryable === true &&
      changedNothing(step.tool, outcome) &&
      !this.#stop.signal.aborted;
    const retries = errorHandling.strategy === 'retry' ? errorHandling.maxRetries : 0;
    while (attempts <= retries && mayRepeat() && (await this.#waitFor(step, outcome))) {
      outcome = await this.#call(step, step);
      attempts += 1;
    }
    const needsFallback = fallback && hasFailed(outcome) && !endsTheWhole(outcome);
    if (!needsFallback) return { id, attempts, ...outcome };
    if (!changedNothing(step.tool, outcome)) {
      this.#context.warn(
        `Step ${id}: no fallback was tried, ${step.tool.name} may have had an effect.`,
      );
      return { id, attempts, ...outcome };
    }
    this.#context.warn(
      `Step ${id}: ${fallback.tool.name} was called instead of ${step.tool.name}.`,
    );
    return { id, attempts: attempts + 1, ...(await this.#call(step, fallback)) };
  }

  /**
   * Waits until the tool can be called again. False where that is longer than the step may take, or where
   * the whole ends meanwhile.
   */
  async #waitFor({ tool, timeoutMs }: CompiledStep, { error }: PartOutcome): Promise<boolean> {
    const { retryAfterMs = 0 } = error ?? {};
    if (retryAfterMs > (timeoutMs ?? longestTimeout([tool]))) return false;
    if (retryAfterMs === 0) return true;
    const signal = AbortSignal.any([this.#stop.signal, this.#context.signal]);
    return sleep(retryAfterMs, true, { signal }).catch(() => false);
  }

  async #call(step: CompiledStep, target: CompiledTarget): Promise<PartOutcome> {
    const { id, timeoutMs } = step;
    const { tool } = target;
    const key = target === step ? id : `${id}.fallback`;
    let input: unknown;
    try {
      input = target.inputOf(this.#scope);
    } catch (thrown) {
      const { code, message, issues } = errorOf(thrown);
      const error = toolError(code, `The parameters of step ${id}: ${message}`, {
        ...(issues && { issues }),
      });
      return notCalled(tool.name, error);
    }
    const options = { signal: this.#stop.signal, ...(timeoutMs !== undefined && { timeoutMs }) };
    const outcome = await callPart({ tool, input, key, options }, this.#context);
    if (!outcome.success) return outcome;
    return { ...outcome, data: handedOn(tool, outcome.data) };
  }
}

/** Runs all steps. Throws a ToolFailure whose `partial` has the result of every step. */
export const runSteps = (
  { groups, size }: { readonly groups: readonly StepGroup[]; readonly size: number },
  input: unknown,
  context: ToolContext,
): Promise<FinishedSteps> => new StepsRun(input, context).run(groups, size);

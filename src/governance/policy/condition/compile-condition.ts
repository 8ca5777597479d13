/**
 * Compiles CEL text to a test of a call. All faults of the text are reported here, once; a failure during
 * evaluation is thrown, and the rule decides what it means.
 */
import { TypeError as CelTypeError, ParseError } from '@marcbachmann/cel-js';
import { ToolFailure } from '../../../contract/errors.ts';
import type { PolicyQuestion } from '../../../contract/policy.ts';
import { lazy } from '../../../kit/data/lazy.ts';
import type { Condition } from './call-facts.ts';
import { CallFacts } from './call-facts.ts';
import {
  CONDITION_NAMES,
  celEnvironment,
  LINEAR_MATCHES,
  LinearPatterns,
} from './cel-environment.ts';
import { prepareCondition, Refusal } from './prepare-condition.ts';
import { quickCondition } from './quick-condition.ts';

const MAX_LENGTH = 4000;

/** What is wrong with a condition, and at which character. */
export interface BadCondition {
  readonly reason: string;
  readonly offset: number;
}

export type CheckedCondition = Condition | BadCondition;

/** Describes why a condition is not usable; errors of the library have a summary and an offset. */
export const badCondition = (error: unknown): BadCondition => {
  if (error instanceof Refusal) return { reason: error.message, offset: error.offset };
  if (error instanceof ParseError || error instanceof CelTypeError) {
    const { summary, range } = error;
    return { reason: summary.replaceAll(LINEAR_MATCHES, 'matches'), offset: range?.start ?? 0 };
  }
  return { reason: String(error), offset: 0 };
};

/** Creates a compiler. Its conditions share one environment, which is costly to set up. */
export const conditionCompiler = (): ((text: string) => CheckedCondition) => {
  const prepared = { patterns: new LinearPatterns(), constants: new Map<string, unknown>() };
  const sharedEnvironment = lazy(() => celEnvironment(prepared));
  const compile = (text: string): Condition => {
    if (text.length > MAX_LENGTH) throw new Refusal(`longer than ${MAX_LENGTH} characters`, 0);
    const environment = sharedEnvironment();
    const program = environment.parse(text);
    // Taken before the tree is changed below.
    const quick = quickCondition(program.ast);
    prepareCondition(program.ast, prepared, environment);
    const { valid, type, error } = program.check();
    if (!valid) throw error;
    if (type !== 'bool' && type !== 'dyn') throw new Refusal(`gives ${type}, not true or false`, 0);
    return {
      text,
      usesFacts: true,
      holds: (question: PolicyQuestion, facts?: CallFacts) => {
        const quickAnswer = quick?.(question);
        if (quickAnswer !== undefined) return quickAnswer;
        const result: unknown = program(facts ?? new CallFacts(question, question.caller));
        if (typeof result !== 'boolean') throw new TypeError('not a boolean');
        return result;
      },
    };
  };
  return (text) => {
    try {
      return compile(text);
    } catch (error) {
      return badCondition(error);
    }
  };
};

export const isBadCondition = (checked: CheckedCondition): checked is BadCondition =>
  'reason' in checked;

/** Compiles one condition, as for a standing grant. Throws when the text is not usable. */
export const compileCondition = (text: string): Condition => {
  const checked = conditionCompiler()(text);
  if (!isBadCondition(checked)) return checked;
  const position = `character ${checked.offset + 1}`;
  throw new ToolFailure('VALIDATION_ERROR', `The condition, ${position}: ${checked.reason}`, {
    suggestions: [`Correct the condition; the names it may use are ${CONDITION_NAMES}.`],
  });
};

/** Makes one value of what the steps gave. */
import { isRecord } from '../../../kit/data/is-record.ts';
import type { Expression } from '../../values/compile-expression.ts';
import type { StepOutput, ValueScope } from '../../values/scope.ts';
import type { ParsedComposition } from './composition-shape.ts';
import type { StepResult } from './run-steps.ts';

/** A field that several steps gave; the last of them counts. */
export interface MergeConflict {
  readonly key: string;
  readonly steps: readonly string[];
}

export interface Aggregated {
  readonly output: unknown;
  readonly conflicts?: readonly MergeConflict[];
}

/** Makes the output of a composition that is defined in code. */
export type CustomAggregator = (
  steps: Readonly<Record<string, StepOutput>>,
  input: unknown,
) => unknown;

interface Field {
  readonly value: unknown;
  readonly steps: readonly string[];
}

/** Merges objects field by field; a value that is no object stands under the id of its step. */
const merge = (results: readonly StepResult[]): Aggregated => {
  const fields = new Map<string, Field>();
  for (const { id, data } of results) {
    for (const [key, value] of Object.entries(isRecord(data) ? data : { [id]: data })) {
      const earlier = fields.get(key);
      fields.set(key, { value, steps: [...(earlier?.steps ?? []), id] });
    }
  }
  const conflicts = [...fields].flatMap(([key, { steps }]) =>
    steps.length > 1 ? [{ key, steps }] : [],
  );
  // `fromEntries` defines each key; assigning would run the setter of `__proto__`.
  const output = Object.fromEntries([...fields].map(([key, { value }]) => [key, value]));
  return { output, ...(conflicts.length > 0 && { conflicts }) };
};

export interface Aggregation {
  readonly strategy: ParsedComposition['aggregation']['strategy'];
  readonly expression: Expression | undefined;
  readonly custom: CustomAggregator | undefined;
}

/** Uses the steps that succeeded, in the order of the definition. */
export const aggregate = async (
  results: readonly StepResult[],
  scope: ValueScope,
  { strategy, expression, custom }: Aggregation,
): Promise<Aggregated> => {
  if (custom) return { output: await custom(scope.steps, scope.input) };
  if (expression) return { output: expression.evaluate(scope) };
  const done = results.filter(({ success }) => success);
  if (strategy === 'merge') return merge(done);
  if (strategy === 'append') return { output: done.flatMap(({ data }) => data) };
  return { output: done.at(-1)?.data };
};

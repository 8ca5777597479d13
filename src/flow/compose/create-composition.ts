/** Makes a composed tool from data, for programs; files are read by the source of custom tools. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Tool } from '../../contract/tool.ts';
import { assertArguments, callback, fields, optional } from '../../kit/data/check-arguments.ts';
import { nearestName } from '../../kit/text/did-you-mean.ts';
import { assertParts } from './compose-options.ts';
import type { CustomAggregator } from './steps/aggregate.ts';
import type { CompositionResult } from './steps/build-composition.ts';
import type { CompositionDefinition } from './steps/composition-shape.ts';

export interface CompositionOptions {
  /** Makes the output of the whole, in the place of `aggregation`. */
  readonly custom?: CustomAggregator;
}

const compositionOptions = fields({ custom: optional(callback) });

/**
 * Makes a tool of steps that are data. The steps may use the tools given and no others. Rejects with
 * VALIDATION_ERROR, which has all faults with their paths. Run it like any tool, by `crib.execute`.
 *
 * @example
 * const steps = ['Ada', 'Grace'].map((name) => ({
 *   id: name,
 *   tool: 'greet',
 *   parameters: { static: { name } },
 * }));
 * const twice = await createComposition(
 *   {
 *     type: 'composed',
 *     name: 'greet_twice',
 *     description: 'Greets two people.',
 *     schema: { type: 'object' },
 *     composition: { steps },
 *   },
 *   [greet],
 * );
 * await crib.execute(twice, {});
 */
export const createComposition = async (
  definition: CompositionDefinition,
  tools: readonly Tool[],
  options: CompositionOptions = {},
): Promise<Tool<Record<string, unknown>, CompositionResult>> => {
  assertParts(tools, 'createComposition');
  assertArguments({ options: compositionOptions }, [options]);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  if (byName.size < tools.length) {
    throw new ToolFailure('CONFIG_INVALID', 'createComposition: two tools have the same name.');
  }
  const { buildComposition } = await import('./steps/build-composition.ts');
  return buildComposition(definition, {
    find: (name) => byName.get(name),
    suggest: (name) => nearestName(name, byName.keys()),
    custom: options.custom,
  });
};

/** Composes tools to one that calls them in order. */
import { defineTool } from '../../contract/define-tool.ts';
import type { Tool } from '../../contract/tool.ts';
import { callback, flag } from '../../kit/data/check-arguments.ts';
import { combinedEstimate, sumOfCosts } from './combined-cost.ts';
import { combinedFacts, compositionOf, handedOnSchema, sumOfTimeouts } from './combined-facts.ts';
import { assertKnown, assertParts, type ComposeOptions, derivedName } from './compose-options.ts';
import { listText, partTexts } from './part-texts.ts';
import { assertFits, type ChainData, runChain, type TransformOutput } from './run-chain.ts';

export interface SequenceOptions extends ComposeOptions {
  /**
   * Stops at the first part that fails; that is the default. Otherwise the next part gets what the
   * failed one got. Either way the whole has failed.
   */
  readonly stopOnError?: boolean;
  /** Makes the input of the next tool. Without it the output has to fit, field by field. */
  readonly transformOutput?: TransformOutput;
}

/** What a sequence returns: the value of its last tool, and what became of each. */
export type SequenceData<O = unknown> = ChainData<O>;

const OUTPUT = {
  type: 'object',
  properties: { output: {}, results: { type: 'array', items: { type: 'object' } } },
  required: ['results'],
} as const;

/**
 * Makes one tool that calls the given tools in order, each with the output of the one before. Throws
 * CONFIG_INVALID when an output can never fit. When a part fails, the whole fails with its code, and
 * `error.partial` has what was done.
 *
 * @example
 * const greetTwice = sequence([greet, shout], { transformOutput: (output) => ({ text: output }) });
 */
export function sequence<I, O>(
  tools: readonly [Tool<I>, ...Tool[], Tool<never, O>],
  options?: SequenceOptions,
): Tool<I, SequenceData<O>>;
export function sequence<I, O>(
  tools: readonly [Tool<I, O>],
  options?: SequenceOptions,
): Tool<I, SequenceData<O>>;
export function sequence(tools: readonly Tool[], options?: SequenceOptions): Tool;
export function sequence(tools: readonly Tool[], options: SequenceOptions = {}): Tool {
  assertParts(tools, 'sequence');
  assertKnown(options, { stopOnError: flag, transformOutput: callback }, 'sequence');
  const { stopOnError = true, transformOutput, ...rest } = options;
  if (transformOutput === undefined) assertFits(tools, 'sequence');
  const [first] = tools as readonly [Tool];
  const names = tools.map(({ name }) => name);
  const output = handedOnSchema(tools.at(-1) ?? first);
  const description = `Calls ${listText(names, ', then ')}. ${partTexts(tools)}`;
  return defineTool<unknown, unknown>({
    name: derivedName('sequence', names),
    description,
    ...combinedFacts(tools, `Call ${listText(names, ', then ')}.`),
    composition: { ...compositionOf('sequence', tools), ...(output && { output }) },
    timeoutMs: sumOfTimeouts(tools),
    input: first.input,
    output: OUTPUT,
    // Only the first part's input is known before the whole runs.
    ...combinedEstimate(tools, (input) =>
      sumOfCosts(tools.map((tool, at) => (at === 0 ? { tool, input } : { tool }))),
    ),
    ...rest,
    run: runChain(tools, { stopOnError, transformOutput }),
  });
}

/** Composes tools to one that calls them at the same time. */
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import type { Tool } from '../../contract/tool.ts';
import { anything, flag } from '../../kit/data/check-arguments.ts';
import { callPart, endsTheWhole, type PartOutcome, skipped } from './call-part.ts';
import { combinedEstimate, sumOfCosts } from './combined-cost.ts';
import { combinedFacts, compositionOf, longestTimeout } from './combined-facts.ts';
import {
  assertKnown,
  assertParts,
  type ComposeOptions,
  derivedName,
  refused,
} from './compose-options.ts';
import { movingWindow } from './moving-window.ts';
import {
  keyedParts,
  namespacedInput,
  type ParallelPart,
  partInput,
  unionInput,
} from './parallel-input.ts';
import { listText, partTexts } from './part-texts.ts';
import { wholeFailure } from './whole-failure.ts';

export interface ParallelOptions extends ComposeOptions {
  /** How many parts run at once; all of them when absent. */
  readonly maxConcurrency?: number;
  /** Cancels what runs and starts nothing more when a part fails; by default all parts run. */
  readonly stopOnError?: boolean;
  /** Takes one object for each part, under its name, where two tools share a parameter. */
  readonly namespaced?: boolean;
}

/** What a parallel tool returns: what became of each part, by the name of its tool. */
export type ParallelData = Readonly<Record<string, PartOutcome>>;

/** The number is checked with the reason of its own. */
const OPTIONS = { maxConcurrency: anything, stopOnError: flag, namespaced: flag };

const OUTPUT = { type: 'object', additionalProperties: { type: 'object' } } as const;

interface Plan {
  readonly parts: readonly ParallelPart[];
  readonly size: number;
  readonly stopOnError: boolean;
  readonly isNamespaced: boolean;
}

const runParts = async (
  input: unknown,
  context: ToolContext,
  { parts, size, stopOnError, isNamespaced }: Plan,
): Promise<ParallelData> => {
  const outcomes = new Map<string, PartOutcome>();
  const stop = new AbortController();
  let failed: ParallelPart | undefined;
  const tasks = parts.map((part) => async (): Promise<void> => {
    const options = { signal: stop.signal };
    const { tool, key } = part;
    const given = partInput(part, input, isNamespaced);
    const outcome = await callPart({ tool, input: given, key, options }, context);
    outcomes.set(part.key, outcome);
    if (outcome.success) return;
    // The first failure is the reason; those that it cancelled come after it.
    failed ??= part;
    if (stopOnError || endsTheWhole(outcome)) stop.abort();
  });
  const isStopped = (): boolean => stop.signal.aborted || context.signal.aborted;
  await movingWindow(tasks, { size, isStopped });
  const report = Object.fromEntries(
    parts.map(({ key, tool }) => [key, outcomes.get(key) ?? skipped(tool.name)]),
  );
  if (failed === undefined) return report;
  const outcome = outcomes.get(failed.key) ?? skipped(failed.key);
  throw wholeFailure(
    { label: `part ${failed.key}`, outcome, hasOwnInput: false },
    Object.values(report),
    report,
  );
};

const assertConcurrency = (size: number): void => {
  if (Number.isSafeInteger(size) && size > 0) return;
  throw refused('parallel', `maxConcurrency has to be a whole number above 0, not ${size}.`);
};

/**
 * Composes tools to a tool that calls them at the same time. Its input is the union of theirs; it throws
 * CONFIG_INVALID, and names both tools, when two want another type under one name. A part that fails
 * fails the whole; `error.partial` has what became of each.
 *
 * @example
 * const both = parallel([greet, shout], { maxConcurrency: 2 });
 */
export const parallel = (
  tools: readonly Tool[],
  options: ParallelOptions = {},
): Tool<Record<string, unknown>, ParallelData> => {
  assertParts(tools, 'parallel');
  assertKnown(options, OPTIONS, 'parallel');
  const { maxConcurrency: size = tools.length, stopOnError = false, ...others } = options;
  const { namespaced: isNamespaced = false, ...rest } = others;
  assertConcurrency(size);
  const parts = keyedParts(tools);
  const names = tools.map(({ name }) => name);
  const plan: Plan = { parts, size, stopOnError, isNamespaced };
  return defineTool<Record<string, unknown>, ParallelData>({
    name: derivedName('parallel', names),
    description: `Calls ${listText(names, ' and ')} at the same time. ${partTexts(tools)}`,
    ...combinedFacts(tools, `Call ${listText(names, ' and ')}.`),
    composition: compositionOf('parallel', tools),
    timeoutMs: longestTimeout(tools) * Math.ceil(tools.length / size),
    input: isNamespaced ? namespacedInput(parts) : unionInput(parts),
    output: OUTPUT,
    ...combinedEstimate(tools, (input) =>
      sumOfCosts(
        parts.map((part) => ({ tool: part.tool, input: partInput(part, input, isNamespaced) })),
      ),
    ),
    ...rest,
    run: (input, context) => runParts(input, context, plan),
  });
};

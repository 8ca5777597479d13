/** Composes tools to one that chooses between them. */
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { LazySchema } from '../../contract/schema.ts';
import type { Tool } from '../../contract/tool.ts';
import { anything, callback, list } from '../../kit/data/check-arguments.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import type { PartOutcome } from './call-part.ts';
import { combinedEstimate, dearestOf, sumOfCosts } from './combined-cost.ts';
import { combinedFacts, compositionOf, maxCallsOf, sumOfTimeouts } from './combined-facts.ts';
import {
  assertKnown,
  assertParts,
  type ComposeOptions,
  derivedName,
  refused,
} from './compose-options.ts';
import { pickFields, shapeOf } from './object-shape.ts';
import { partTexts } from './part-texts.ts';
import { assertFits, type ChainData, runChain, type TransformOutput } from './run-chain.ts';

/** What a condition may go by besides the input: who calls. It cannot run anything. */
export type ConditionContext = Pick<
  ToolContext,
  'userId' | 'agentId' | 'sessionId' | 'loopId' | 'isolation' | 'signal' | 'logger'
>;

export interface ConditionalBranch {
  /** How results and warnings name the branch; its number when absent. */
  readonly name?: string;
  /**
   * Decides by the input: inside a sequence that is what the part before gave, cut to the fields of
   * `input`. Name those there that conditions go by and tools do not take. A throw, and anything but true
   * or false, counts as false, and the result has a warning.
   */
  condition(input: unknown, context: ConditionContext): boolean | Promise<boolean>;
  /** Run in order; the first failure stops them. */
  readonly tools: readonly Tool[];
}

export interface ConditionalOptions extends ComposeOptions {
  /** Run when no branch fits. Without it such a call fails with NO_BRANCH_MATCHED. */
  readonly fallback?: readonly Tool[];
  /** The input of the whole; that of the first branch's first tool when absent. */
  readonly input?: LazySchema;
  readonly transformOutput?: TransformOutput;
}

/** What a conditional returns: the branch it took, its value, and what became of each part. */
export interface ConditionalData<O = unknown> extends ChainData<O> {
  readonly branch: string;
}

/** The parts of the fallback are checked like those of branches, the schema by `defineTool`. */
const OPTIONS = { fallback: list, input: anything, transformOutput: callback };

const FALLBACK = 'fallback';
const OUTPUT = {
  type: 'object',
  properties: {
    branch: { type: 'string' },
    output: {},
    results: { type: 'array', items: { type: 'object' } },
  },
  required: ['branch', 'results'],
} as const;

const nameOf = ({ name }: ConditionalBranch, at: number): string => name ?? String(at + 1);

const contextOf = (context: ToolContext): ConditionContext => {
  const { userId, agentId, sessionId, loopId, isolation, signal, logger } = context;
  return { userId, agentId, sessionId, loopId, isolation, signal, logger };
};

const holds = async (
  branch: ConditionalBranch,
  name: string,
  { input, context }: { readonly input: unknown; readonly context: ToolContext },
): Promise<boolean> => {
  let why: string;
  try {
    const answer: unknown = await branch.condition(input, contextOf(context));
    if (typeof answer === 'boolean') return answer;
    why = `it gave ${typeof answer}`;
  } catch (thrown) {
    why = reasonOf(thrown);
  }
  context.warn(`The condition of branch ${name} counts as false: ${why}.`);
  return false;
};

/** A branch, or the fallback, ready to run. */
interface Way {
  readonly name: string;
  run(input: unknown, context: ToolContext): Promise<ConditionalData>;
}

const wayOf = (
  name: string,
  tools: readonly Tool[],
  transformOutput: TransformOutput | undefined,
): Way => {
  const partial = (results: readonly PartOutcome[]) => ({ branch: name, results });
  const run = runChain(tools, { stopOnError: true, transformOutput, partial });
  const [first] = tools;
  const shape = first && shapeOf(first.input, 'input');
  return {
    name,
    run: async (input, context) => ({
      branch: name,
      ...(await run(pickFields(shape, input), context)),
    }),
  };
};

/** Makes the function that chooses a way by the input. It throws NO_BRANCH_MATCHED where there is none. */
const chooser = (branches: readonly ConditionalBranch[], options: ConditionalOptions) => {
  const { fallback, transformOutput } = options;
  const ways = branches.map((branch, at) => ({
    branch,
    way: wayOf(nameOf(branch, at), branch.tools, transformOutput),
  }));
  const otherwise = fallback && wayOf(FALLBACK, fallback, transformOutput);
  return async (input: unknown, context: ToolContext): Promise<Way> => {
    for (const { branch, way } of ways) {
      if (await holds(branch, way.name, { input, context })) return way;
    }
    if (otherwise) return otherwise;
    throw new ToolFailure('NO_BRANCH_MATCHED', undefined, {
      suggestions: [`The branches are ${branches.map(nameOf).join(', ')}.`],
      retryable: false,
    });
  };
};

const assertBranches = (branches: readonly ConditionalBranch[], options: ConditionalOptions) => {
  if (!Array.isArray(branches) || branches.length === 0) {
    throw refused('conditional', 'takes a list of at least one branch.');
  }
  if (branches.some((branch) => !isRecord(branch))) {
    throw refused('conditional', 'a branch is an object.');
  }
  const names = branches.map(nameOf);
  if (new Set([...names, FALLBACK]).size <= names.length) {
    throw refused('conditional', `names of branches have to differ, and none is "${FALLBACK}".`);
  }
  for (const { condition, tools } of branches) {
    if (typeof condition !== 'function') throw refused('conditional', 'a condition is a function.');
    assertParts(tools, 'conditional');
    if (!options.transformOutput) assertFits(tools, 'conditional');
  }
  const { fallback, transformOutput } = options;
  if (!fallback) return;
  assertParts(fallback, 'conditional');
  if (!transformOutput) assertFits(fallback, 'conditional');
};

/**
 * Composes tools to a tool that runs those of the first branch whose condition holds. Conditions see the
 * input and run nothing. Without a branch that fits and a fallback the call fails with NO_BRANCH_MATCHED.
 *
 * @example
 * const reply = conditional([{ condition: () => true, tools: [greet] }], { fallback: [shout] });
 */
export const conditional = (
  branches: readonly ConditionalBranch[],
  options: ConditionalOptions = {},
): Tool<unknown, ConditionalData> => {
  assertKnown(options, OPTIONS, 'conditional');
  assertBranches(branches, options);
  const { fallback, input, transformOutput: _transformOutput, ...rest } = options;
  const choose = chooser(branches, options);
  const ways = [...branches.map(({ tools }) => tools), ...(fallback ? [fallback] : [])];
  const parts = ways.flat();
  assertParts(parts, 'conditional');
  const [first] = parts as [Tool, ...Tool[]];
  const names = branches.map(nameOf).join(', ');
  const maxCalls = Math.max(...ways.map((tools) => maxCallsOf(tools, 'conditional')));
  const distinctNames = [...new Set(parts.map(({ name }) => name))];
  return defineTool<unknown, ConditionalData>({
    name: derivedName('conditional', distinctNames),
    description: `Runs the first branch that fits, of ${names}. ${partTexts(parts)}`,
    ...combinedFacts(parts, `Choose between ${names}.`),
    composition: compositionOf('conditional', parts, maxCalls),
    timeoutMs: Math.max(...ways.map(sumOfTimeouts)),
    input: input ?? first.input,
    output: OUTPUT,
    ...combinedEstimate(parts, (given) =>
      dearestOf(
        ways.map((tools) =>
          sumOfCosts(tools.map((tool, at) => (at === 0 ? { tool, input: given } : { tool }))),
        ),
      ),
    ),
    ...rest,
    run: async (given, context) => (await choose(given, context)).run(given, context),
  });
};

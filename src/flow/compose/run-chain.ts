/** Runs tools one after the other, each with what the one before it gave. */
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure, toolError } from '../../contract/errors.ts';
import type { Tool } from '../../contract/tool.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { callPart, endsTheWhole, type PartOutcome, skipped } from './call-part.ts';
import { handedOnSchema } from './combined-facts.ts';
import { refused } from './compose-options.ts';
import { mismatches, type ObjectShape, pickFields, shapeOf } from './object-shape.ts';
import { wholeFailure } from './whole-failure.ts';

/** Makes the input of the next tool from what the one before it gave. */
export type TransformOutput = (output: unknown, nextTool: Tool) => unknown;

export interface ChainOptions {
  readonly stopOnError: boolean;
  readonly transformOutput: TransformOutput | undefined;
  /** What a failure says that it has done; the list of outcomes unless told otherwise. */
  partial?(results: readonly PartOutcome[]): unknown;
}

/** What a chain gave: the value of its last tool that succeeded, and what became of each. */
export interface ChainData<O = unknown> {
  readonly output: O;
  readonly results: readonly PartOutcome[];
}

/** Takes the value that a tool hands on: a composed tool wraps it in a report about its parts. */
export const handedOn = ({ composition }: Tool, data: unknown): unknown => {
  if (composition === undefined || !isRecord(data)) return data;
  if (composition.kind !== 'parallel') return data.output;
  const values = Object.entries(data).map(([key, outcome]) => [
    key,
    isRecord(outcome) ? outcome.data : undefined,
  ]);
  return Object.fromEntries(values);
};

/** Throws CONFIG_INVALID where an output can never be the input of the tool that follows. */
export const assertFits = (parts: readonly Tool[], kind: string): void => {
  for (const [at, part] of parts.entries()) {
    const next = parts[at + 1];
    if (next === undefined) continue;
    const [problem] = mismatches(handedOnSchema(part), next.input);
    if (problem === undefined) continue;
    const what = `the output of ${part.name} cannot be the input of ${next.name}: ${problem}.`;
    throw refused(kind, `${what} Give transformOutput.`);
  }
};

interface Link {
  readonly tool: Tool;
  readonly shape: ObjectShape | undefined;
}

class Chain {
  readonly #links: readonly Link[];
  readonly #options: ChainOptions;
  readonly results: PartOutcome[] = [];
  #output: unknown = undefined;

  constructor(links: readonly Link[], options: ChainOptions) {
    this.#links = links;
    this.#options = options;
  }

  async run(input: unknown, context: ToolContext): Promise<ChainData> {
    let given = input;
    let firstFailed = -1;
    for (const [at, { tool }] of this.#links.entries()) {
      if (context.signal.aborted) break;
      const outcome = await callPart({ tool, input: given, key: `${at}` }, context);
      this.results.push(outcome);
      if (outcome.success) given = await this.#next(at, outcome.data, given);
      else {
        if (firstFailed < 0) firstFailed = at;
        if (this.#options.stopOnError || endsTheWhole(outcome)) break;
      }
    }
    if (firstFailed >= 0 || this.results.length < this.#links.length)
      throw this.#failure(firstFailed);
    return { output: this.#output, results: this.results };
  }

  async #next(at: number, data: unknown, given: unknown): Promise<unknown> {
    const [link, next] = [this.#links[at], this.#links[at + 1]];
    if (link === undefined) return given;
    this.#output = handedOn(link.tool, data);
    if (next === undefined) return given;
    const { transformOutput } = this.#options;
    if (!transformOutput) return pickFields(next.shape, this.#output);
    try {
      return await transformOutput(this.#output, next.tool);
    } catch (thrown) {
      const message = `transformOutput failed for ${next.tool.name}: ${reasonOf(thrown)}`;
      throw new ToolFailure('EXECUTION_FAILED', message, { partial: this.#partial() });
    }
  }

  #partial(): unknown {
    const left = this.#links.slice(this.results.length).map(({ tool }) => skipped(tool.name));
    const all = [...this.results, ...left];
    return this.#options.partial?.(all) ?? { results: all };
  }

  #failure(firstFailed: number): ToolFailure {
    const at = firstFailed < 0 ? this.results.length : firstFailed;
    const name = this.#links[at]?.tool.name ?? '';
    const outcome = this.results[at] ?? { ...skipped(name), error: toolError('CANCELLED') };
    const label = `part ${at + 1} of ${this.#links.length}, ${name},`;
    return wholeFailure({ label, outcome, hasOwnInput: at > 0 }, this.results, this.#partial());
  }
}

export const runChain = (
  tools: readonly Tool[],
  options: ChainOptions,
): ((input: unknown, context: ToolContext) => Promise<ChainData>) => {
  // Once: to make the JSON form of a schema takes longer than a call.
  const links = tools.map((tool) => ({ tool, shape: shapeOf(tool.input, 'input') }));
  return (input, context) => new Chain(links, options).run(input, context);
};

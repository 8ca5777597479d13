/** Runs the calls of one turn of a model together and answers them in order. */
import { toolError } from '../contract/errors.ts';
import type { RunOptions, ToolReply } from '../contract/tool-sets.ts';
import {
  assertArguments,
  callback,
  fields,
  object,
  optional,
  signal,
} from '../kit/data/check-arguments.ts';
import { failedReply } from './replies.ts';
import type { ToolSet } from './tool-set.ts';

export interface TurnCall {
  readonly id: string;
  readonly name: string;
  /** The input, or why the arguments cannot be read. */
  readonly input: { readonly value: unknown } | { readonly fault: string };
}

export interface TurnReply {
  readonly id: string;
  readonly reply: ToolReply;
}

const refuse = (message: string): ToolReply => failedReply(toolError('VALIDATION_ERROR', message));

const RUN = {
  turn: object,
  options: optional(fields({ signal: optional(signal), onProgress: optional(callback) })),
};

/** Throws VALIDATION_ERROR for what is no turn, and for options that are not known. */
export const assertRun = (turn: unknown, options: unknown): void =>
  assertArguments(RUN, [Array.isArray(turn) ? {} : turn, options]);

/** Runs the calls. A second call of the same id is refused: its answer could not be told from the first. */
export const runTurn = (
  set: ToolSet,
  calls: readonly TurnCall[],
  { signal: stop, onProgress }: RunOptions = {},
): Promise<TurnReply[]> => {
  const seen = new Set<string>();
  return Promise.all(
    calls.map(async ({ id, name, input }) => {
      const isRepeated = seen.has(id);
      seen.add(id);
      if (isRepeated) return { id, reply: refuse('Another call of this turn has the same id.') };
      if ('fault' in input) return { id, reply: refuse(input.fault) };
      const call = { name, input: input.value, callId: id, signal: stop };
      if (!onProgress) return { id, reply: await set.call(call) };
      const reply = await set.call({
        ...call,
        onProgress: (fraction, note) =>
          onProgress({ callId: id, tool: name, fraction, ...(note !== undefined && { note }) }),
      });
      return { id, reply };
    }),
  );
};

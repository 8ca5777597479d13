/**
 * Tools for OpenAI's library, chat completions and Responses alike: definitions to send along, and
 * `run` to answer the calls of a turn. Plain data, so the library itself is not needed.
 */
import type { Crib } from '../contract/crib.ts';
import type {
  ChatTurn,
  OpenAiTools,
  ResponsesTurn,
  RunOptions,
  ToolSetOptions,
} from '../contract/tool-sets.ts';
import { parseArguments } from './parse-arguments.ts';
import { textOf } from './replies.ts';
import { assertRun, runTurn, type TurnCall } from './run-turn.ts';
import { openToolSet, type ToolSet } from './tool-set.ts';

type Item = Readonly<Record<string, unknown>>;

const isItem = (value: unknown): value is Item => typeof value === 'object' && value !== null;

/** Returns the items of a turn, in either protocol. */
const itemsOf = (turn: ChatTurn | ResponsesTurn): readonly Item[] => {
  const items: unknown = Array.isArray(turn) ? turn : callsIn(turn as Item);
  return (Array.isArray(items) ? items : []).filter(isItem);
};

const callsIn = (turn: Item): unknown => {
  if (Array.isArray(turn.output)) return turn.output;
  const first: unknown = Array.isArray(turn.choices) ? turn.choices[0] : undefined;
  const message = isItem(first) && isItem(first.message) ? first.message : turn;
  return message.tool_calls;
};

const textIn = (item: Item, key: string): string => {
  const value = item[key];
  return typeof value === 'string' ? value : '';
};

const callOf = (set: ToolSet, id: string, item: Item): TurnCall => {
  const name = textIn(item, 'name');
  return { id, name, input: parseArguments(item.arguments, set.inputSchema(name)) };
};

const runResponses = async (set: ToolSet, items: readonly Item[], options: RunOptions) => {
  const calls = items.map((item) => callOf(set, textIn(item, 'call_id'), item));
  const replies = await runTurn(set, calls, options);
  return replies.map(({ id, reply }) => ({
    type: 'function_call_output' as const,
    call_id: id,
    output: textOf(reply),
  }));
};

const runChat = async (set: ToolSet, items: readonly Item[], options: RunOptions) => {
  const calls = items.map((item): TurnCall => {
    const id = textIn(item, 'id');
    if (isItem(item.function)) return callOf(set, id, item.function);
    // Every call of a message has to be answered, also one of a kind that was never offered.
    return { id, name: '', input: { fault: 'Only functions were offered. Call one of them.' } };
  });
  const replies = await runTurn(set, calls, options);
  return replies.map(({ id, reply }) => ({
    role: 'tool' as const,
    tool_call_id: id,
    content: textOf(reply),
  }));
};

/**
 * Fails with TOOL_NOT_FOUND for a name that does not exist.
 *
 * @example
 * import { forOpenAI } from 'toolcrib/adapters/openai';
 *
 * const set = await forOpenAI(crib, { names: ['greet'] });
 * console.log(set.responsesTools); // for responses.create({ tools }); set.run answers its output
 */
export const forOpenAI = async (crib: Crib, options?: ToolSetOptions): Promise<OpenAiTools> => {
  const set = openToolSet(crib, 'openai', options);
  const run = async (turn: ChatTurn | ResponsesTurn, runOptions: RunOptions = {}) => {
    assertRun(turn, runOptions);
    const items = itemsOf(turn);
    const responses = items.filter(({ type }) => type === 'function_call');
    const isResponses = responses.length > 0 || Object.hasOwn(turn, 'output');
    return isResponses ? runResponses(set, responses, runOptions) : runChat(set, items, runOptions);
  };
  return {
    tools: set.shown.map(({ name, description, strict, schema: parameters }) => ({
      type: 'function',
      function: { name, description, strict, parameters },
    })),
    responsesTools: set.shown.map(({ name, description, strict, schema }) => ({
      type: 'function',
      name,
      description,
      strict,
      parameters: schema,
    })),
    losses: set.losses,
    has: set.has,
    run: run as OpenAiTools['run'],
  };
};

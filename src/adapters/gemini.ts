/**
 * Tools for Google's Gen AI library: declarations for `generateContent`, `run` to answer the calls of
 * a response, and the same as a callable tool. Plain data, so the library itself is not needed.
 */
import { randomUUID } from 'node:crypto';
import type { Crib } from '../contract/crib.ts';
import type {
  GeminiCall,
  GeminiDeclaration,
  GeminiResponsePart,
  GeminiTools,
  GeminiTurn,
  RunOptions,
  ToolReply,
  ToolSetOptions,
} from '../contract/tool-sets.ts';
import { partsOf, textOf } from './replies.ts';
import { assertRun, runTurn, type TurnCall } from './run-turn.ts';
import type { ShownTool } from './shown-tools.ts';
import { openToolSet, type ToolSet } from './tool-set.ts';

const declarationOf = ({ name, description, schema }: ShownTool): GeminiDeclaration => ({
  name,
  description,
  // Gemini refuses a schema of an object without fields.
  ...(Object.keys(schema).length > 0 && { parameters: { ...schema } }),
});

/** Reads the calls of a response: from the library's getter where it has one, else from its parts. */
const callsOf = (turn: GeminiTurn): readonly GeminiCall[] => {
  if (Array.isArray(turn)) return turn as readonly GeminiCall[];
  if ('functionCalls' in turn && turn.functionCalls) return turn.functionCalls;
  if (!('candidates' in turn)) return [];
  const parts = turn.candidates?.[0]?.content?.parts ?? [];
  return parts.flatMap(({ functionCall }) => functionCall ?? []);
};

/** Gives a call without an id its own: Gemini sends ids only on request. */
const turnCall = ({ id, name, args }: GeminiCall): TurnCall => ({
  id: id || randomUUID(),
  name: String(name),
  input: { value: args ?? {} },
});

const responseOf = ({ id, name }: GeminiCall, reply: ToolReply): GeminiResponsePart => {
  const images = partsOf(reply).flatMap((part) =>
    part.type === 'image' ? [{ inlineData: { mimeType: part.mimeType, data: part.data } }] : [],
  );
  const text = textOf(reply);
  return {
    functionResponse: {
      ...(id && { id }),
      name: String(name),
      response: reply.success ? { output: text } : { error: text },
      ...(images.length > 0 && { parts: images }),
    },
  };
};

const runCalls = async (set: ToolSet, calls: readonly GeminiCall[], options?: RunOptions) => {
  const replies = await runTurn(set, calls.map(turnCall), options);
  return calls.flatMap((call, index) => {
    const reply = replies[index]?.reply;
    return reply ? [responseOf(call, reply)] : [];
  });
};

/**
 * Fails with TOOL_NOT_FOUND for a name that does not exist.
 *
 * @example
 * import { forGemini } from 'toolcrib/adapters/gemini';
 *
 * const set = await forGemini(crib, { names: ['greet'] });
 * console.log(set.tools); // for generateContent({ config: { tools } }); set.run answers the response
 */
export const forGemini = async (crib: Crib, options?: ToolSetOptions): Promise<GeminiTools> => {
  const set = openToolSet(crib, 'gemini', options);
  const functionDeclarations = set.shown.map(declarationOf);
  return {
    tools: [{ functionDeclarations }],
    callable: {
      tool: async () => ({ functionDeclarations: functionDeclarations as never }),
      callTool: async (calls) => (await runCalls(set, calls)) as never,
    },
    losses: set.losses,
    has: set.has,
    run: async (turn, runOptions) => {
      assertRun(turn, runOptions);
      return runCalls(set, callsOf(turn), runOptions);
    },
  };
};

/**
 * Tools for the OpenAI Agents SDK: function tools for `new Agent({ tools })`. Approvals are asked for
 * in the pipeline, where they are bound to the call and used once; the SDK's own are left alone.
 */
import type { Crib } from '../contract/crib.ts';
import type {
  AgentsContent,
  OpenAiAgentsTool,
  ToolReply,
  ToolSetOptions,
} from '../contract/tool-sets.ts';
import { loadFramework } from './load-framework.ts';
import { parseArguments } from './parse-arguments.ts';
import { partsOf, textOf } from './replies.ts';
import { runTurn } from './run-turn.ts';
import { openToolSet, type ShownTool, type ToolSet } from './tool-set.ts';

/** The part of `@openai/agents` that is used. */
interface Agents {
  tool(options: object): OpenAiAgentsTool;
}

/** A program has the whole, or its core alone. */
const loadAgents = async (): Promise<Agents> => {
  const loaded: unknown = await loadFramework('@openai/agents', () =>
    import('@openai/agents').catch((error: unknown) =>
      import('@openai/agents-core').catch(() => Promise.reject(error)),
    ),
  );
  return loaded as Agents;
};

const outputOf = (reply: ToolReply): string | AgentsContent[] => {
  const parts = partsOf(reply);
  if (parts.every(({ type }) => type === 'text')) return textOf(reply);
  return parts.map((part) =>
    part.type === 'text'
      ? { type: 'text', text: part.text }
      : { type: 'image', image: { data: part.data, mediaType: part.mimeType } },
  );
};

const toolOf = (set: ToolSet, shown: ShownTool, agents: Agents): OpenAiAgentsTool => {
  const { name, description, schema: parameters, strict } = shown;
  const invoke: OpenAiAgentsTool['invoke'] = async (_context, text, { toolCall, signal } = {}) => {
    const input = parseArguments(text, set.inputSchema(name));
    const call = { id: toolCall?.callId ?? '', name, input };
    const [answered] = await runTurn(set, [call], { ...(signal && { signal }) });
    return answered ? outputOf(answered.reply) : '';
  };
  const options = { name, description, parameters, strict, needsApproval: false };
  const made = agents.tool({ ...options, execute: () => '' });
  // Without its own reading of arguments: what is wrong with them is judged, and recorded, in one place.
  return Object.assign(made, { invoke });
};

/** Fails with DEPENDENCY_MISSING without the library, TOOL_NOT_FOUND for a name that does not exist. */
export const forOpenAIAgents = async (
  crib: Crib,
  options?: ToolSetOptions,
): Promise<OpenAiAgentsTool[]> => {
  const set = openToolSet(crib, 'openai', options);
  const agents = await loadAgents();
  return set.shown.map((shown) => toolOf(set, shown, agents));
};

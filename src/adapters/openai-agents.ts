/**
 * Tools for the OpenAI Agents SDK: function tools for `new Agent({ tools })`. The pipeline asks for
 * approvals, binds them to the call and uses them once; the SDK's own approvals are not used.
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
import type { ShownTool } from './shown-tools.ts';
import { openToolSet, type ToolSet } from './tool-set.ts';

/** The part of `@openai/agents` that is used. */
interface Agents {
  tool(options: object): OpenAiAgentsTool;
}

/** Loads the whole SDK, or its core where a program has only that. */
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
  // Replaces the SDK's own reading of arguments: the pipeline judges them and records what is wrong.
  return Object.assign(made, { invoke });
};

/**
 * Fails with DEPENDENCY_MISSING without the library, TOOL_NOT_FOUND for a name that does not exist.
 *
 * @example
 * import { forOpenAIAgents } from 'toolcrib/adapters/openai-agents';
 *
 * const tools = await forOpenAIAgents(crib, { caller: { userId: 'ada' } });
 * console.log(tools.length); // for new Agent({ name, tools })
 */
export const forOpenAIAgents = async (
  crib: Crib,
  options?: ToolSetOptions,
): Promise<OpenAiAgentsTool[]> => {
  const set = openToolSet(crib, 'openai', options);
  const agents = await loadAgents();
  return set.shown.map((shown) => toolOf(set, shown, agents));
};

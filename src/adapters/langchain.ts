/**
 * Tools for LangChain: structured tools of `@langchain/core` for `bindTools`, agents and tool nodes.
 * A refusal is a tool message of status `error`; the reply as data is its artifact.
 */
import type { DynamicStructuredTool } from '@langchain/core/tools';
import type { Crib } from '../contract/crib.ts';
import type { ToolSetOptions } from '../contract/tool-sets.ts';
import { loadFramework } from './load-framework.ts';
import { textOf } from './replies.ts';
import type { ShownTool } from './shown-tools.ts';
import { openToolSet, type ToolSet } from './tool-set.ts';

interface Config {
  readonly signal?: AbortSignal;
  readonly toolCall?: { readonly id?: string };
}

const loadLangChain = () =>
  loadFramework('@langchain/core', async () => {
    const [{ tool, DynamicStructuredTool }, { ToolMessage }] = await Promise.all([
      import('@langchain/core/tools'),
      import('@langchain/core/messages'),
    ]);
    return { tool, DynamicStructuredTool, ToolMessage };
  });

type LangChain = Awaited<ReturnType<typeof loadLangChain>>;

const answer = async (
  set: ToolSet,
  call: { readonly name: string; readonly input: unknown; readonly config: Config },
  { ToolMessage }: LangChain,
) => {
  const { name, input, config } = call;
  const callId = config.toolCall?.id;
  const reply = await set.call({ name, input, callId, signal: config.signal });
  const content = textOf(reply);
  if (callId === undefined) return content;
  return new ToolMessage({
    content,
    name,
    tool_call_id: callId,
    status: reply.success ? 'success' : 'error',
    artifact: reply,
  });
};

/**
 * Makes LangChain check the input with a schema that accepts everything. Its own check would leave no
 * record, and runs patterns of foreign schemas in an engine that can be made to hang.
 */
const withoutOwnCheck = (made: DynamicStructuredTool, { DynamicStructuredTool }: LangChain) => {
  const open: DynamicStructuredTool = Object.create(made, { schema: { value: {} } });
  const { call } = DynamicStructuredTool.prototype;
  return Object.assign(made, { call: call.bind(open) });
};

const toolOf = (set: ToolSet, shown: ShownTool, langChain: LangChain): DynamicStructuredTool => {
  const { name, description, schema } = shown;
  const made = langChain.tool(
    (input: unknown, config: Config) => answer(set, { name, input, config }, langChain),
    { name, description, schema },
  );
  return withoutOwnCheck(made as unknown as DynamicStructuredTool, langChain);
};

/**
 * Fails with DEPENDENCY_MISSING without the library, TOOL_NOT_FOUND for a name that does not exist.
 *
 * @example
 * import { forLangChain } from 'toolcrib/adapters/langchain';
 *
 * const tools = await forLangChain(crib, { caller: { userId: 'ada' } });
 * console.log(tools.length); // for createAgent({ model, tools })
 */
export const forLangChain = async (
  crib: Crib,
  options?: ToolSetOptions,
): Promise<DynamicStructuredTool[]> => {
  const set = openToolSet(crib, 'anthropic', options);
  const langChain = await loadLangChain();
  return set.shown.map((shown) => toolOf(set, shown, langChain));
};

/**
 * Tools for Anthropic's library: definitions for `messages.create`, `run` to answer the calls of a
 * message, and the same as runnable tools for its tool runner. The library itself is not needed.
 */
import type { Crib } from '../contract/crib.ts';
import { ToolFailure } from '../contract/errors.ts';
import type {
  AnthropicContent,
  AnthropicRunnableTool,
  AnthropicTool,
  AnthropicTools,
  ToolReply,
  ToolSetOptions,
} from '../contract/tool-sets.ts';
import { partsOf, textOf } from './replies.ts';
import { assertRun, runTurn, type TurnCall } from './run-turn.ts';
import type { ShownTool } from './shown-tools.ts';
import { openToolSet, type ToolSet } from './tool-set.ts';

type ImageType = Extract<AnthropicContent, { type: 'image' }>['source']['media_type'];

const IMAGES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

const isImageType = (type: string): type is ImageType => IMAGES.has(type);

const contentOf = (reply: ToolReply): AnthropicContent[] =>
  partsOf(reply).map((part) => {
    // Anthropic refuses a request with an empty text block.
    if (part.type === 'text') return { type: 'text', text: part.text || '(empty)' };
    const { data, mimeType } = part;
    return isImageType(mimeType)
      ? { type: 'image', source: { type: 'base64', media_type: mimeType, data } }
      : { type: 'text', text: '[An image was left out.]' };
  });

const definitionOf = ({ name, description, schema }: ShownTool): AnthropicTool => ({
  name,
  description,
  input_schema: { ...schema, type: 'object' },
});

const runnableOf = (set: ToolSet, shown: ShownTool): AnthropicRunnableTool => ({
  ...definitionOf(shown),
  parse: (input) => input,
  async run(input, context) {
    const reply = await set.call({
      name: shown.name,
      input,
      callId: context?.toolUse?.id,
      signal: context?.signal ?? undefined,
    });
    // The runner only reports what is thrown as an error of the tool.
    if (!reply.success) throw new ToolFailure(reply.error?.code ?? 'INTERNAL', textOf(reply));
    return contentOf(reply);
  },
});

interface ToolUse {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

const isToolUse = (block: { readonly type: string }): block is ToolUse =>
  block.type === 'tool_use' && typeof (block as ToolUse).id === 'string';

const callOf = ({ id, name, input }: ToolUse): TurnCall => ({
  id,
  name: String(name),
  input: { value: input ?? {} },
});

/**
 * Fails with TOOL_NOT_FOUND for a name that does not exist.
 *
 * @example
 * import { forAnthropic } from 'toolcrib/adapters/anthropic';
 *
 * const set = await forAnthropic(crib, { names: ['greet'] });
 * console.log(set.tools); // for messages.create({ tools }); set.run answers the message
 */
export const forAnthropic = async (
  crib: Crib,
  options?: ToolSetOptions,
): Promise<AnthropicTools> => {
  const set = openToolSet(crib, 'anthropic', options);
  return {
    tools: set.shown.map(definitionOf),
    runnable: set.shown.map((shown) => runnableOf(set, shown)),
    losses: set.losses,
    has: set.has,
    async run(message, runOptions) {
      assertRun(message, runOptions);
      const calls = (Array.isArray(message.content) ? message.content : []).filter(isToolUse);
      const replies = await runTurn(set, calls.map(callOf), runOptions);
      return replies.map(({ id, reply }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: contentOf(reply),
        is_error: !reply.success,
      }));
    },
  };
};

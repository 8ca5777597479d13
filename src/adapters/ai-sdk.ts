/**
 * Tools for the AI SDK: `generateText({ tools: await forAiSdk(crib) })`. Approvals are asked for in
 * the pipeline, where they are bound to the call and used once; `needsApproval` of the SDK is left
 * alone, since its answer is a line in a history that the client sends.
 */
import type { Crib } from '../contract/crib.ts';
import type {
  AiSdkOutput,
  AiSdkTool,
  AiSdkTools,
  ToolReply,
  ToolSetOptions,
} from '../contract/tool-sets.ts';
import { loadFramework } from './load-framework.ts';
import { partsOf, textOf } from './replies.ts';
import { openToolSet, type ShownTool, type ToolSet } from './tool-set.ts';

/** A history may come from outside, and with it outputs that no call of ours has made. */
const isReply = (output: unknown): output is ToolReply =>
  typeof output === 'object' &&
  output !== null &&
  typeof (output as ToolReply).success === 'boolean' &&
  typeof (output as ToolReply).status === 'string';

const asJson = (output: unknown): AiSdkOutput => ({
  type: 'text',
  value: JSON.stringify(output) ?? '',
});

const outputOf = (output: unknown): AiSdkOutput => {
  if (!isReply(output)) return asJson(output);
  try {
    return modelOutput(output);
  } catch {
    return asJson(output);
  }
};

const modelOutput = (output: ToolReply): AiSdkOutput => {
  if (!output.success) return { type: 'error-text', value: textOf(output) };
  const parts = partsOf(output);
  if (parts.every(({ type }) => type === 'text')) return { type: 'text', value: textOf(output) };
  return {
    type: 'content',
    value: parts.map((part) =>
      part.type === 'text'
        ? { type: 'text', text: part.text }
        : { type: 'image-data', data: part.data, mediaType: part.mimeType },
    ),
  };
};

const toolOf = (set: ToolSet, shown: ShownTool, inputSchema: unknown): AiSdkTool => ({
  description: shown.description,
  inputSchema: inputSchema as never,
  execute: (input, { toolCallId, abortSignal }) =>
    set.call({ name: shown.name, input, callId: toolCallId, signal: abortSignal }),
  toModelOutput: ({ output }) => outputOf(output),
});

/** Fails with DEPENDENCY_MISSING without the library, TOOL_NOT_FOUND for a name that does not exist. */
export const forAiSdk = async (crib: Crib, options?: ToolSetOptions): Promise<AiSdkTools> => {
  const set = openToolSet(crib, 'anthropic', options);
  const { jsonSchema } = await loadFramework('ai', () => import('ai'));
  // Without a validator of its own: what is wrong with an input is judged, and recorded, in one place.
  return Object.fromEntries(
    set.shown.map((shown) => [shown.name, toolOf(set, shown, jsonSchema(shown.schema))]),
  );
};

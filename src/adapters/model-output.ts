/** What a model reads of the output of a tool, in the form that the AI SDK and Mastra take. */
import type { AiSdkOutput, ToolReply } from '../contract/tool-sets.ts';
import { partsOf, textOf } from './replies.ts';

/** A history may come from outside, and with it outputs that no call of ours has made. */
export const isReply = (output: unknown): output is ToolReply =>
  typeof output === 'object' &&
  output !== null &&
  typeof (output as ToolReply).success === 'boolean' &&
  typeof (output as ToolReply).status === 'string';

const asJson = (output: unknown): AiSdkOutput => ({
  type: 'text',
  value: JSON.stringify(output) ?? '',
});

/** Returns what the model reads of an output; there is always something for a reply of ours. */
export const modelOutputOf = (output: unknown): AiSdkOutput => {
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

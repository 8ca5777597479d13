/**
 * The reply to a call: as data for the program, and as text and images for the model. A refusal
 * says its code and what to do next; images that were cut to fit a prompt are left out.
 */
import type { ToolError } from '../contract/errors.ts';
import type { ToolResult } from '../contract/result.ts';
import type { AiSdkOutput, ToolReply } from '../contract/tool-sets.ts';
import { errorText } from '../kit/text/error-text.ts';

/** Copies from a result what a conversation may keep. */
export const replyOf = (result: ToolResult): ToolReply => {
  const { success, status, data, error, warnings, approval, metadata } = result;
  return {
    success,
    status,
    ...(data !== undefined && { data }),
    ...(error && { error }),
    ...(warnings && { warnings }),
    ...(approval && { approval }),
    executionId: metadata.executionId,
  };
};

/** Makes the reply to a call that did not reach the pipeline. */
export const failedReply = (error: ToolError): ToolReply => ({
  success: false,
  status: 'failure',
  error,
});

type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string };

const pendingText = (id: string, expiresAt: number): string =>
  [
    'APPROVAL_REQUIRED: a person has to approve this call first. Nothing was run.',
    `It waits as ${id} until ${new Date(expiresAt).toISOString()}.`,
    '- Tell the person what you want to do and why.',
    '- Once it is approved, make the very same call again. Any change needs a new approval.',
  ].join('\n');

const failureText = ({ approval, error, status }: ToolReply): string => {
  if (approval) return pendingText(approval.approvalId, approval.expiresAt);
  return error ? errorText(error) : `The call ended as ${status}.`;
};

const text = (value: string): Part => ({ type: 'text', text: value });

const dataText = (data: unknown): string => {
  if (data === undefined) return 'Done.';
  return typeof data === 'string' ? data : (JSON.stringify(data) ?? 'null');
};

type Block = Readonly<Record<string, unknown>>;

const isBlock = (value: unknown): value is Block =>
  typeof value === 'object' && value !== null && typeof (value as Block).type === 'string';

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const partOf = (block: Block): Part => {
  const { type, data, mimeType } = block;
  if (type === 'text' && typeof block.text === 'string') return text(block.text);
  if (type !== 'image' && type !== 'audio') return text(dataText(block));
  const isWhole = typeof data === 'string' && typeof mimeType === 'string' && BASE64.test(data);
  if (type === 'image' && isWhole) return { type, data, mimeType };
  return text(`[An ${type} was left out${isWhole ? '' : ': it is too large'}.]`);
};

/** Reads data of the form `{ content: [blocks] }`, as tools of MCP servers return it. */
const blocksOf = (data: unknown): readonly Block[] | undefined => {
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, 'content'))
    return undefined;
  const { content, ...rest } = data as { readonly content: unknown };
  const isOnly = Object.keys(rest).every((key) => key === 'structuredContent' || key === '_meta');
  if (!isOnly || !Array.isArray(content) || content.length === 0) return undefined;
  return content.every(isBlock) ? content : undefined;
};

/** Returns what the model reads of a reply; it is never empty. */
export const partsOf = (reply: ToolReply): readonly Part[] => {
  if (!reply.success) return [text(failureText(reply))];
  const body = blocksOf(reply.data)?.map(partOf) ?? [text(dataText(reply.data))];
  return [...body, ...(reply.warnings ?? []).map((warning) => text(`Note: ${warning}`))];
};

/** Does the same for providers that take text alone. */
export const textOf = (reply: ToolReply): string =>
  partsOf(reply)
    .map((part) => (part.type === 'text' ? part.text : '[An image was left out.]'))
    .join('\n');

/** Tells a reply from other outputs: a history that comes from outside may hold any. */
export const isReply = (output: unknown): output is ToolReply =>
  typeof output === 'object' &&
  output !== null &&
  typeof (output as ToolReply).success === 'boolean' &&
  typeof (output as ToolReply).status === 'string';

const asJson = (output: unknown): AiSdkOutput => ({
  type: 'text',
  value: JSON.stringify(output) ?? '',
});

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

/** Returns what the model reads of an output, in the form that the AI SDK and Mastra take. */
export const modelOutputOf = (output: unknown): AiSdkOutput => {
  if (!isReply(output)) return asJson(output);
  try {
    return modelOutput(output);
  } catch {
    return asJson(output);
  }
};

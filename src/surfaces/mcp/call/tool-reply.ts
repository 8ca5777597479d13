/** Turns a result into an MCP reply: content, structured where it is an object, and errors as text. */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { ToolResult } from '../../../contract/result.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { isText } from '../../../kit/data/is-text.ts';
import { errorText } from '../../../kit/text/error-text.ts';

export const META = {
  executionId: 'toolcrib/executionId',
  status: 'toolcrib/status',
  code: 'toolcrib/code',
  approvalId: 'toolcrib/approvalId',
  runId: 'toolcrib/runId',
  idempotencyKey: 'toolcrib/idempotencyKey',
} as const;

/** Makes a block of text. */
export const textBlock = (text: string) => ({ type: 'text', text }) as const;

const metaOf = ({ status, metadata, error, approval }: ToolResult): Record<string, unknown> => ({
  [META.executionId]: metadata.executionId,
  [META.status]: status,
  ...(error && { [META.code]: error.code }),
  ...(approval && { [META.approvalId]: approval.approvalId }),
});

const pendingText = (id: string, expiresAt: number): string =>
  [
    `APPROVAL_REQUIRED: a person has to approve this call first. Nothing was run.`,
    `It waits as ${id} until ${new Date(expiresAt).toISOString()}.`,
    `- A person approves it with: toolcrib approvals approve ${id}`,
    `- Then make the very same call again: it uses the approval. Any change needs a new one.`,
  ].join('\n');

const failureOf = (result: ToolResult): string => {
  const { approval, error, status } = result;
  if (approval) return pendingText(approval.approvalId, approval.expiresAt);
  return error ? errorText(error) : `The call ended as ${status}.`;
};

interface ContentData {
  readonly content: ContentBlock[];
  readonly structuredContent?: Record<string, unknown>;
}

type Fields = Readonly<Record<string, unknown>>;

const SHAPES: Readonly<Record<string, (block: Fields) => boolean>> = {
  text: ({ text }) => isText(text),
  image: ({ data, mimeType }) => isText(data) && isText(mimeType),
  audio: ({ data, mimeType }) => isText(data) && isText(mimeType),
  resource_link: ({ uri, name }) => isText(uri) && isText(name),
  resource: ({ resource }) =>
    isRecord(resource) && isText(resource.uri) && (isText(resource.text) || isText(resource.blob)),
};

const isBlock = (value: unknown): boolean =>
  isRecord(value) &&
  isText(value.type) &&
  Object.hasOwn(SHAPES, value.type) &&
  SHAPES[value.type]?.(value) === true;

const CONTENT_KEYS: ReadonlySet<string> = new Set(['content', 'structuredContent', '_meta']);

/** Replaces base64 that was cut to fit a prompt by a sentence: a client could not decode it. */
const withoutCutData = (block: Fields): Fields => {
  const data = block.type === 'image' || block.type === 'audio' ? block.data : undefined;
  const bytes = isRecord(block.resource) ? block.resource.blob : data;
  if (!isText(bytes) || /^[A-Za-z0-9+/]*={0,2}$/.test(bytes)) return block;
  return { type: 'text', text: `[The ${String(block.type)} was left out: it is too large.]` };
};

/**
 * Reads data that is MCP content already: `{ content: [blocks] }`, with or without
 * `structuredContent`. Tools return it to hand over images, sounds and links.
 */
const contentData = (data: unknown): ContentData | undefined => {
  if (!isRecord(data) || !Array.isArray(data.content) || data.content.length === 0)
    return undefined;
  if (!Object.keys(data).every((key) => CONTENT_KEYS.has(key))) return undefined;
  if (!data.content.every(isBlock)) return undefined;
  const { structuredContent } = data;
  return {
    content: data.content.map((block) =>
      withoutCutData(block as Fields),
    ) as unknown as ContentBlock[],
    ...(isRecord(structuredContent) && { structuredContent: { ...structuredContent } }),
  };
};

const dataText = (data: unknown): string =>
  typeof data === 'string' ? data : (JSON.stringify(data) ?? 'null');

const bodyOf = (data: unknown): Pick<CallToolResult, 'content' | 'structuredContent'> =>
  contentData(data) ?? {
    content: data === undefined ? [textBlock('Done.')] : [textBlock(dataText(data))],
    ...(isRecord(data) && { structuredContent: { ...data } }),
  };

export const toolReply = (result: ToolResult): CallToolResult => {
  const _meta = metaOf(result);
  if (!result.success) return { content: [textBlock(failureOf(result))], isError: true, _meta };
  const body = bodyOf(result.data);
  const notes = (result.warnings ?? []).map((warning) => textBlock(`Note: ${warning}`));
  return { ...body, content: [...body.content, ...notes], _meta };
};

/** A result as a client reads it: content, structured where it can be, and errors in words. */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import { ERRORS, type ToolError } from '../../../contract/errors.ts';
import type { ToolResult } from '../../../contract/result.ts';

export const META = {
  executionId: 'toolcrib/executionId',
  status: 'toolcrib/status',
  code: 'toolcrib/code',
  approvalId: 'toolcrib/approvalId',
  idempotencyKey: 'toolcrib/idempotencyKey',
} as const;

const text = (value: string) => ({ type: 'text', text: value }) as const;

const metaOf = ({ status, metadata, error, approval }: ToolResult): Record<string, unknown> => ({
  [META.executionId]: metadata.executionId,
  [META.status]: status,
  ...(error && { [META.code]: error.code }),
  ...(approval && { [META.approvalId]: approval.approvalId }),
});

const errorText = (error: ToolError): string => {
  const { sentence } = ERRORS[error.code];
  const issues = (error.issues ?? []).map(
    ({ path, message }) => `- ${path.length === 0 ? 'input' : path.join('.')}: ${message}`,
  );
  return [
    `${error.code}: ${error.message}`,
    ...(error.message === sentence ? [] : [sentence]),
    ...issues,
    ...(error.retryAfterMs === undefined
      ? []
      : [`Wait ${Math.ceil(error.retryAfterMs / 1000)} s before the next try.`]),
    ...error.suggestions.map((suggestion) => `- ${suggestion}`),
  ].join('\n');
};

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

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isText = (value: unknown): value is string => typeof value === 'string';

const SHAPES: Readonly<Record<string, (block: Fields) => boolean>> = {
  text: ({ text }) => isText(text),
  image: ({ data, mimeType }) => isText(data) && isText(mimeType),
  audio: ({ data, mimeType }) => isText(data) && isText(mimeType),
  resource_link: ({ uri, name }) => isText(uri) && isText(name),
  resource: ({ resource }) =>
    isObject(resource) && isText(resource.uri) && (isText(resource.text) || isText(resource.blob)),
};

const isBlock = (value: unknown): boolean =>
  isObject(value) &&
  isText(value.type) &&
  Object.hasOwn(SHAPES, value.type) &&
  SHAPES[value.type]?.(value) === true;

const CONTENT_KEYS: ReadonlySet<string> = new Set(['content', 'structuredContent', '_meta']);

/** Base64 that was cut to fit a prompt is a broken picture: a sentence takes its place. */
const whole = (block: Fields): Fields => {
  const data = block.type === 'image' || block.type === 'audio' ? block.data : undefined;
  const bytes = isObject(block.resource) ? block.resource.blob : data;
  if (!isText(bytes) || /^[A-Za-z0-9+/]*={0,2}$/.test(bytes)) return block;
  return { type: 'text', text: `[The ${String(block.type)} was left out: it is too large.]` };
};

/**
 * Takes data that is MCP content already: `{ content: [blocks] }`, with `structuredContent` beside it or
 * not. Tools return it to hand over images, sounds and links as what they are.
 */
const contentData = (data: unknown): ContentData | undefined => {
  if (!isObject(data) || !Array.isArray(data.content) || data.content.length === 0)
    return undefined;
  if (!Object.keys(data).every((key) => CONTENT_KEYS.has(key))) return undefined;
  if (!data.content.every(isBlock)) return undefined;
  const { structuredContent } = data;
  return {
    content: data.content.map((block) => whole(block as Fields)) as unknown as ContentBlock[],
    ...(isObject(structuredContent) && { structuredContent: { ...structuredContent } }),
  };
};

const dataText = (data: unknown): string =>
  typeof data === 'string' ? data : (JSON.stringify(data) ?? 'null');

const bodyOf = (data: unknown): Pick<CallToolResult, 'content' | 'structuredContent'> =>
  contentData(data) ?? {
    content: data === undefined ? [text('Done.')] : [text(dataText(data))],
    ...(isObject(data) && { structuredContent: data }),
  };

export const toolReply = (result: ToolResult): CallToolResult => {
  const _meta = metaOf(result);
  if (!result.success) return { content: [text(failureOf(result))], isError: true, _meta };
  const body = bodyOf(result.data);
  const notes = (result.warnings ?? []).map((warning) => text(`Note: ${warning}`));
  return { ...body, content: [...body.content, ...notes], _meta };
};

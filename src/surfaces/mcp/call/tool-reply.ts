/** A result as a client reads it: content, structured where it can be, and errors in words. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ToolResult } from '../../../contract/result.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { errorText } from '../../../kit/text/error-text.ts';
import { contentData } from './content-blocks.ts';

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

const dataText = (data: unknown): string =>
  typeof data === 'string' ? data : (JSON.stringify(data) ?? 'null');

const bodyOf = (data: unknown): Pick<CallToolResult, 'content' | 'structuredContent'> =>
  contentData(data) ?? {
    content: data === undefined ? [text('Done.')] : [text(dataText(data))],
    ...(isRecord(data) && { structuredContent: data }),
  };

export const toolReply = (result: ToolResult): CallToolResult => {
  const _meta = metaOf(result);
  if (!result.success) return { content: [text(failureOf(result))], isError: true, _meta };
  const body = bodyOf(result.data);
  const notes = (result.warnings ?? []).map((warning) => text(`Note: ${warning}`));
  return { ...body, content: [...body.content, ...notes], _meta };
};

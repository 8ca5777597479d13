/** A result of a server as the data of ours. What is too large or says that it failed is a failure. */
import type { CallToolResult } from '@modelcontextprotocol/client';
import { ToolFailure } from '../../contract/errors.ts';

export interface ResultSite {
  readonly server: string;
  readonly maxOutputBytes: number;
}

const MAX_MESSAGE = 2000;

/** Counts what the strings hold, without writing the whole thing out once more. */
const sizeOf = (value: unknown, limit: number): number => {
  let size = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && size <= limit) {
    const next = open.pop();
    if (typeof next === 'string') size += next.length;
    else if (typeof next === 'object' && next !== null) {
      for (const [key, inner] of Object.entries(next)) {
        size += key.length + 8;
        open.push(inner);
      }
    }
  }
  return size;
};

const textOf = (content: CallToolResult['content']): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');

export const readResult = (
  { content = [], structuredContent, isError }: CallToolResult,
  { server, maxOutputBytes }: ResultSite,
): unknown => {
  if (isError) {
    const said = textOf(content).slice(0, MAX_MESSAGE);
    throw new ToolFailure('EXECUTION_FAILED', said === '' ? undefined : said, {
      suggestions: [
        `That is the answer of the MCP server ${server}: correct the input if it says so.`,
      ],
    });
  }
  const given = structuredContent ?? content;
  if (sizeOf(given, maxOutputBytes) > maxOutputBytes) {
    throw new ToolFailure('OUTPUT_TOO_LARGE', `The MCP server ${server} answered with too much.`, {
      suggestions: ['Ask for less at a time, or raise maxOutputBytes of the server.'],
    });
  }
  if (structuredContent !== undefined) return structuredContent;
  return content.every(({ type }) => type === 'text') ? textOf(content) : { content };
};

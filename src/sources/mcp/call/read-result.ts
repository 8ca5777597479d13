/** Converts a result of a server to the data of a `ToolResult`. Errors and results that are too large throw. */
import { isDeepStrictEqual } from 'node:util';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { ToolFailure } from '../../../contract/errors.ts';

export interface ResultDeps {
  /** Of the server. */
  readonly name: string;
  readonly maxOutputBytes: number;
}

type Content = CallToolResult['content'];

const MAX_MESSAGE = 2000;
/** The size of a field besides its name and value. */
const FIELD_SIZE = 8;

/** Estimates the size without serializing the value again. */
const sizeOf = (value: unknown, limit: number): number => {
  let size = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && size <= limit) {
    const next = open.pop();
    if (typeof next === 'string') size += next.length;
    else if (typeof next === 'object' && next !== null) {
      for (const key of Object.keys(next)) {
        size += key.length + FIELD_SIZE;
        open.push((next as Record<string, unknown>)[key]);
      }
    }
  }
  return size;
};

/** Joins the text blocks; returns `undefined` where there are others. */
const onlyText = (content: Content): string | undefined => {
  const [first] = content;
  if (content.length === 1 && first?.type === 'text') return first.text;
  return content.every(({ type }) => type === 'text') ? textOf(content) : undefined;
};

const textOf = (content: Content): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');

/** Tells whether the text only repeats the structured content, as servers do for older clients. */
const repeats = (content: Content, structured: unknown): boolean => {
  const text = onlyText(content);
  if (text === undefined) return false;
  if (text === '') return true;
  try {
    const value: unknown = JSON.parse(text);
    return isDeepStrictEqual(value, structured) || isDeepStrictEqual({ result: value }, structured);
  } catch {
    // A bare text may be the only value of the structured content.
    return isDeepStrictEqual({ result: text }, structured);
  }
};

export const readResult = (
  { content = [], structuredContent, isError }: CallToolResult,
  { name: server, maxOutputBytes }: ResultDeps,
): unknown => {
  if (isError) {
    const message = textOf(content).slice(0, MAX_MESSAGE);
    throw new ToolFailure('EXECUTION_FAILED', message === '' ? undefined : message, {
      suggestions: [
        `That is the answer of the MCP server ${server}: correct the input if it says so.`,
      ],
    });
  }
  const isRepeated = structuredContent === undefined || repeats(content, structuredContent);
  const data = isRepeated ? (structuredContent ?? content) : { content, structuredContent };
  if (sizeOf(data, maxOutputBytes) > maxOutputBytes) {
    throw new ToolFailure('OUTPUT_TOO_LARGE', `The MCP server ${server} answered with too much.`, {
      suggestions: ['Ask for less at a time, or raise maxOutputBytes of the server.'],
    });
  }
  if (structuredContent !== undefined) return data;
  return onlyText(content) ?? { content };
};

/**
 * Tells the answers that nearly all calls get, text and data, from those that want a closer look. What
 * is plain the SDK would take as it is; all else, malformed or only rare, is left to the SDK to judge.
 */
import type { CallToolResult } from '@modelcontextprotocol/client';
import { isRecord } from '../../../kit/data/is-record.ts';

type Fields = Readonly<Record<string, unknown>>;

const countOf = (fields: Fields): number => {
  let count = 0;
  for (const _ in fields) count += 1;
  return count;
};

/** Nothing but text: the SDK takes away what it does not know, and checks annotations. */
const isPlainText = (block: unknown): boolean =>
  isRecord(block) &&
  block.type === 'text' &&
  typeof block.text === 'string' &&
  countOf(block) === 2;

const isPlainContent = (content: unknown): boolean => {
  if (!Array.isArray(content)) return false;
  for (const block of content) if (!isPlainText(block)) return false;
  return true;
};

/** The keys that the protocol gives a meaning; any other is nobody's business. */
const isPlainMeta = (meta: unknown): boolean =>
  meta === undefined ||
  (isRecord(meta) &&
    meta.progressToken === undefined &&
    meta['io.modelcontextprotocol/related-task'] === undefined);

/** A key `__proto__` is taken away by the SDK. */
const isPlainData = (data: unknown): boolean =>
  data === undefined || (isRecord(data) && !Object.hasOwn(data, '__proto__'));

/** The result of a response to `tools/call`; `undefined` where the SDK has to look at it. */
export const plainResult = (response: Fields, isModern: boolean): CallToolResult | undefined => {
  const { result } = response;
  const isPlain =
    isRecord(result) &&
    // Besides `jsonrpc`, `id` and `result` a response has nothing.
    countOf(response) === 3 &&
    result.resultType === (isModern ? 'complete' : undefined) &&
    isPlainContent(result.content) &&
    isPlainData(result.structuredContent) &&
    (result.isError === undefined || typeof result.isError === 'boolean') &&
    isPlainMeta(result._meta);
  return isPlain ? (result as unknown as CallToolResult) : undefined;
};

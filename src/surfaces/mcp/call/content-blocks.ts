/**
 * Data that is MCP content already: `{ content: [blocks] }`, with `structuredContent` beside it or
 * not. Tools return it to hand over images, sounds and links as what they are.
 */
import type { ContentBlock } from '@modelcontextprotocol/server';
import { isRecord } from '../../../kit/data/is-record.ts';

export interface ContentData {
  readonly content: ContentBlock[];
  readonly structuredContent?: Record<string, unknown>;
}

type Fields = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string => typeof value === 'string';

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

const KEYS: ReadonlySet<string> = new Set(['content', 'structuredContent', '_meta']);

/** Base64 that was cut to fit a prompt is a broken picture: a sentence takes its place. */
const whole = (block: Fields): Fields => {
  const data = block.type === 'image' || block.type === 'audio' ? block.data : undefined;
  const bytes = isRecord(block.resource) ? block.resource.blob : data;
  if (!isText(bytes) || /^[A-Za-z0-9+/]*={0,2}$/.test(bytes)) return block;
  return { type: 'text', text: `[The ${String(block.type)} was left out: it is too large.]` };
};

export const contentData = (data: unknown): ContentData | undefined => {
  if (!isRecord(data) || !Array.isArray(data.content) || data.content.length === 0)
    return undefined;
  if (!Object.keys(data).every((key) => KEYS.has(key))) return undefined;
  if (!data.content.every(isBlock)) return undefined;
  const { structuredContent } = data;
  return {
    content: data.content.map((block) => whole(block as Fields)) as unknown as ContentBlock[],
    ...(isRecord(structuredContent) && { structuredContent: { ...structuredContent } }),
  };
};

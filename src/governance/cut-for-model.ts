/** Cuts long strings and arrays down to what a prompt should hold, and says what was cut. */
import { isObject } from '../kit/data/is-record.ts';

export interface ModelLimits {
  readonly maxStringChars: number;
  readonly maxArrayItems: number;
}

/** Of base64: a picture is no text of a prompt, and half of one is nothing. */
export const MAX_MEDIA_CHARS = 8_000_000;

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Gives the base64 of MCP content that is a picture, a sound or the bytes of a resource. */
const mediaIn = (block: unknown): string | undefined => {
  if (!isObject(block)) return undefined;
  const isMedia = block.type === 'image' || block.type === 'audio';
  if (isMedia && typeof block.mimeType === 'string') return asMedia(block.data);
  return block.type === 'resource' && isObject(block.resource)
    ? asMedia(block.resource.blob)
    : undefined;
};

const asMedia = (data: unknown): string | undefined =>
  typeof data === 'string' && data.length <= MAX_MEDIA_CHARS && BASE64.test(data)
    ? data
    : undefined;

/** Counts the characters of media in a result, which have a limit of their own. */
export const mediaChars = (data: unknown): number => {
  if (!isObject(data) || !Array.isArray(data.content)) return 0;
  const chars = data.content.reduce<number>((sum, block) => sum + (mediaIn(block)?.length ?? 0), 0);
  return chars > MAX_MEDIA_CHARS ? 0 : chars;
};

/** Copies only what changes. `cut` is called once for every place that was shortened. */
export const cutForModel = (
  value: unknown,
  limits: ModelLimits,
  cut: (what: string) => void,
): unknown => {
  if (typeof value === 'string') {
    if (value.length <= limits.maxStringChars) return value;
    cut(`a text of ${value.length} characters was cut to ${limits.maxStringChars}`);
    return `${value.slice(0, limits.maxStringChars)}… [${value.length - limits.maxStringChars} more characters]`;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (mediaIn(value) !== undefined) return value;
  if (Array.isArray(value)) {
    const items = value.slice(0, limits.maxArrayItems);
    if (items.length < value.length) {
      cut(`a list of ${value.length} items was cut to ${limits.maxArrayItems}`);
    }
    return items.map((item) => cutForModel(item, limits, cut));
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, cutForModel(item, limits, cut)]),
  );
};

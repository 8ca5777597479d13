/**
 * Copies the fields of a log line into plain data of limited size. They may come from tools, so getters,
 * proxies and cycles must neither throw nor take long, and no method of them is called.
 */
import { isError, propertyOf } from '../../kit/data/reason-of.ts';

/** What is deeper, or beyond the limits below, is left out and marked. */
const MAX_DEPTH = 6;
const MAX_PARTS = 200;
/** Longer than what is shown of a text, so that a secret that begins there is found whole. */
const MAX_READ = 16_384;

const ERROR_FIELDS = ['name', 'message', 'code', 'stack', 'cause'] as const;

interface Copying {
  /** How many fields and items may still be copied. */
  left: number;
  /** The objects that contain the one that is copied. */
  readonly path: object[];
}

const keysOf = (value: object): readonly string[] => {
  const own = Object.keys(value).filter((key) => key !== '__proto__');
  return isError(value) ? [...new Set([...ERROR_FIELDS, ...own])] : own;
};

/** Returns the text for an object that is not a record: a date, an address, bytes. */
const specialText = (value: object): string | undefined => {
  if (value instanceof Date) {
    const time = Date.prototype.getTime.call(value);
    return Number.isNaN(time) ? 'Invalid Date' : new Date(time).toISOString();
  }
  if (value instanceof URL) return String(value).slice(0, MAX_READ);
  return ArrayBuffer.isView(value) ? `[${value.byteLength} bytes]` : undefined;
};

const copyItems = (items: Iterable<unknown>, copying: Copying): unknown[] => {
  const copy: unknown[] = [];
  for (const item of items) {
    if (copying.left <= 0) {
      copy.push('[more]');
      break;
    }
    copy.push(copyPart(item, copying) ?? null);
  }
  return copy;
};

const copyFields = (value: object, copying: Copying): Record<string, unknown> => {
  const copy: Record<string, unknown> = {};
  for (const key of keysOf(value)) {
    if (copying.left <= 0) {
      copy['[more]'] = true;
      break;
    }
    const part = copyPart(propertyOf(value, key), copying);
    if (part !== undefined) copy[key.slice(0, MAX_READ)] = part;
  }
  return copy;
};

const copyObject = (value: object, copying: Copying): unknown => {
  if (copying.path.includes(value)) return '[circular]';
  if (copying.path.length >= MAX_DEPTH) return '[deeper]';
  copying.path.push(value);
  try {
    if (Array.isArray(value)) return copyItems(value, copying);
    if (value instanceof Set) return copyItems(Set.prototype.values.call(value), copying);
    if (value instanceof Map) return copyItems(Map.prototype.entries.call(value), copying);
    return specialText(value) ?? copyFields(value, copying);
  } catch {
    return '[unreadable]';
  } finally {
    copying.path.pop();
  }
};

const copyPart = (value: unknown, copying: Copying): unknown => {
  copying.left -= 1;
  switch (typeof value) {
    case 'string':
      return value.slice(0, MAX_READ);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'bigint':
      return value.toString().slice(0, MAX_READ);
    case 'symbol':
      return Symbol.prototype.toString.call(value);
    case 'function':
      return '[function]';
    case 'object':
      return value === null ? null : copyObject(value, copying);
    default:
      return value;
  }
};

/** Copies the fields of a line. Never throws. */
export const boundedCopy = (fields: object): Record<string, unknown> => {
  const copy = copyObject(fields, { left: MAX_PARTS, path: [] });
  return typeof copy === 'object' && copy !== null && !Array.isArray(copy)
    ? (copy as Record<string, unknown>)
    : { fields: copy };
};

/** Copies the message of a line. */
export const boundedText = (message: unknown): string =>
  String(copyPart(message, { left: 1, path: [] })).slice(0, MAX_READ);

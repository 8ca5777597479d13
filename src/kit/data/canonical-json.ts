/** Writes equal data as equal text, whatever the order of its keys, and hashes that text. */
import { createHash, hash } from 'node:crypto';

/**
 * Sorts the keys of every object, as a JSON replacer. A null prototype, so that a key `__proto__` is data like
 * any other.
 */
export const sortKeys = (_key: string, value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const source = value as Record<string, unknown>;
  const sorted: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(source).sort()) sorted[key] = source[key];
  return sorted;
};

/**
 * Copies plain data with sorted keys. JSON.stringify writes such a copy three times as fast as it runs
 * the replacer above; flows hash and seal every step, where that is a seventh of the time.
 */
const sortedCopy = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if ('toJSON' in value && typeof value.toJSON === 'function') return sortedCopy(value.toJSON());
  if (Array.isArray(value)) return value.map(sortedCopy);
  const source = value as Record<string, unknown>;
  const sorted: Record<string, unknown> = {};
  for (const key of Object.keys(source).sort()) {
    const copy = sortedCopy(source[key]);
    if (key !== '__proto__') sorted[key] = copy;
    // Assigned, it would set the prototype.
    else Object.defineProperty(sorted, key, { value: copy, enumerable: true });
  }
  return sorted;
};

/** Tells whether all keys are in order: most small inputs need no copy. */
const isSorted = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return true;
  if ('toJSON' in value) return false;
  if (Array.isArray(value)) return value.every(isSorted);
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  let last = '';
  for (const key of Object.keys(value)) {
    if (key < last || !isSorted((value as Record<string, unknown>)[key])) return false;
    last = key;
  }
  return true;
};

/** Writes JSON with sorted keys. Expects plain data; throws for data that is circular. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(isSorted(value) ? value : sortedCopy(value)) ?? 'null';

/** Hashes a text with SHA-256, as hexadecimal digits. */
export const sha256Hex = (data: string | Uint8Array): string => hash('sha256', data, 'hex');

/** Hashes plain data with SHA-256, as hexadecimal digits. Approvals and the cache are bound to it. */
export const digestOf = (value: unknown): string => sha256Hex(canonicalJson(value));

/** Hashes plain data with SHA-256, in the shorter base64url form. */
export const shortDigestOf = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value)).digest('base64url');

/** One text and one hash for equal data, whatever the order of its keys. */
import { sha256Hex } from './sha256-hex.ts';

const ordered = (_key: string, value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const source = value as Record<string, unknown>;
  const sorted: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(source).sort()) sorted[key] = source[key];
  return sorted;
};

/** JSON with sorted keys. Expects plain data, as validation leaves it. */
export const canonicalJson = (value: unknown): string => JSON.stringify(value, ordered) ?? 'null';

/** What approvals, idempotency keys and the cache are bound to. */
export const digestOf = (value: unknown): string => sha256Hex(canonicalJson(value));

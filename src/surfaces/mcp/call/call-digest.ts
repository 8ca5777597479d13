/** One short name for one call, whatever the order of the keys of its input. */
import { createHash } from 'node:crypto';

const ordered = (_key: string, value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const source = value as Record<string, unknown>;
  const sorted: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(source).sort()) sorted[key] = source[key];
  return sorted;
};

export const digestOf = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts, ordered)).digest('base64url');

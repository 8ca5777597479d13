/** One digest for everything that makes a tool what it is: whoever changes any of it changes this. */
import { createHash } from 'node:crypto';
import type { ReadyTool } from '../contract/call.ts';

/** Sorted, so that two spellings of the same definition have one fingerprint. */
const ordered = (_key: string, value: unknown): unknown => {
  if (typeof value === 'function') return String(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
};

/**
 * The definition as a model and a policy see it, and the text of its code. Schemas count by their
 * JSON form, because a Zod schema is an object without a stable text.
 */
export const fingerprintOf = ({ tool, input, output }: ReadyTool): string => {
  const definition = { ...tool, input: input.json, output: output?.json };
  return createHash('sha256').update(JSON.stringify(definition, ordered)).digest('hex');
};

/** Computes one digest over a tool: its definition and its code. Any change of them changes it. */
import type { ReadyTool } from '../contract/call.ts';
import { sha256Hex, sortKeys } from '../kit/data/canonical-json.ts';

/** Sorts keys, so that two spellings of the same definition have one fingerprint. */
const withCode = (key: string, value: unknown): unknown =>
  typeof value === 'function' ? String(value) : sortKeys(key, value);

/**
 * Digests the definition as a model and a policy see it, and the text of its code. Schemas count by
 * their JSON form, because a Zod schema is an object without a stable text.
 */
export const fingerprintOf = ({ tool, input, output }: ReadyTool): string => {
  const definition = { ...tool, input: input.json, output: output?.json };
  return sha256Hex(JSON.stringify(definition, withCode));
};

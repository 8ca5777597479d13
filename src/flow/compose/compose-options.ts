/** What the three ways to compose tools have in common: their options, and which parts they take. */
import { ToolFailure } from '../../contract/errors.ts';
import type { RetryPolicy } from '../../contract/retry.ts';
import type { Tool } from '../../contract/tool.ts';
import { sha256Hex } from '../../kit/data/canonical-json.ts';
import { type ArgumentCheck, object } from '../../kit/data/check-arguments.ts';
import { ownValue } from '../../kit/data/own-value.ts';
import { unknownNameText } from '../../kit/text/did-you-mean.ts';

export interface ComposeOptions {
  /** The name in the catalog; made from the names of the parts when absent. */
  readonly name?: string;
  readonly version?: string;
  readonly title?: string;
  readonly description?: string;
  /** Milliseconds for the whole; worked out from the parts when absent. */
  readonly timeoutMs?: number;
  /** Repeats the whole, while no part of it may have had an effect. */
  readonly retry?: RetryPolicy;
}

const SHARED = ['name', 'version', 'title', 'description', 'timeoutMs', 'retry'];

export const MAX_PARTS = 100;
/** Parts may be composed themselves: the calls of all of them together have a limit as well. */
export const MAX_CALLS = 1000;
const MAX_NAME = 128;
const HASH_LENGTH = 8;

export const refused = (kind: string, problem: string): ToolFailure =>
  new ToolFailure('CONFIG_INVALID', `${kind}: ${problem}`);

const isTool = (part: unknown): part is Tool =>
  typeof part === 'object' &&
  part !== null &&
  'run' in part &&
  typeof part.run === 'function' &&
  'name' in part &&
  typeof part.name === 'string';

/** Throws CONFIG_INVALID unless these are tools, at least one and not too many. */
export const assertParts = (parts: readonly Tool[], kind: string): void => {
  if (!Array.isArray(parts) || parts.length === 0 || !parts.every(isTool)) {
    throw refused(kind, 'takes a list of at least one tool, each as defineTool makes it.');
  }
  if (parts.length > MAX_PARTS) throw refused(kind, `takes at most ${MAX_PARTS} tools.`);
};

/**
 * Throws CONFIG_INVALID for an option that is not known or of another type: a misspelt one would be
 * ignored, and the text "no" would count as yes. What `defineTool` checks is left to it.
 */
export const assertKnown = (
  options: object,
  own: Readonly<Record<string, ArgumentCheck>>,
  kind: string,
): void => {
  const problem = object(options);
  if (problem !== undefined) throw refused(kind, `the second argument ${problem}.`);
  const names = new Set([...SHARED, ...Object.keys(own)]);
  for (const [name, value] of Object.entries(options)) {
    if (!names.has(name)) throw refused(kind, `${name} ${unknownNameText(name, names)}`);
    const fault = value === undefined ? undefined : ownValue(own, name)?.(value);
    if (fault !== undefined) throw refused(kind, `${name} ${fault}.`);
  }
};

/** Makes a legal name of those of the parts, e.g. `sequence:search.scrape`. */
export const derivedName = (kind: string, parts: readonly string[]): string => {
  const name = `${kind}:${parts.join('.')}`;
  if (name.length <= MAX_NAME) return name;
  // The end tells long names apart that begin alike.
  return `${name.slice(0, MAX_NAME - HASH_LENGTH - 1)}-${sha256Hex(name).slice(0, HASH_LENGTH)}`;
};

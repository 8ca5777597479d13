/**
 * The definition of a tool as a model and a policy see it, with one digest. The code does not count,
 * nor does the version, nor what only tunes its running: a new release that says the same is the same.
 */
import type { JsonSchema } from '../../contract/schema.ts';
import type { Tool } from '../../contract/tool.ts';
import { sha256Hex } from '../../kit/data/canonical-json.ts';
import { canonicalData } from './canonical-data.ts';

export interface PinnedDefinition {
  readonly definition: unknown;
  readonly fingerprint: string;
}

/** Read by name, because a tool may be an instance of a class. */
const SEEN = [
  ...['name', 'description', 'documentation', 'examples', 'tags', 'aliases'],
  ...['source', 'category', 'tier', 'capabilities', 'actionField', 'permissions', 'needs'],
  ...['auth', 'cost', 'labels', 'sanitize', 'idempotent', 'sandbox', 'sandboxed'],
] as const;

/** Whatever else a definition holds counts as well, besides these. */
const UNSEEN: ReadonlySet<string> = new Set([
  // `assigned` is the user's own word, as the tier of an MCP tool is.
  ...['version', 'author', 'license', 'input', 'output', 'server', 'assigned'],
  ...['timeoutMs', 'idleTimeoutMs', 'retry', 'rateLimit', 'breaker', 'concurrency'],
]);

export const fingerprintOfDefinition = (definition: unknown): string =>
  `sha256:${sha256Hex(JSON.stringify(definition))}`;

/** Of a tool that the user's configuration describes: the tier is the user's own word, and the aliases are made here. */
const BY_CONFIGURATION: ReadonlySet<string> = new Set(['tier', 'aliases']);

/** `undefined` for one that cannot be written down: too large, too deep, or no plain data. */
export const pinDefinition = (
  tool: Tool,
  schema: (side: 'input' | 'output') => JsonSchema | undefined,
  /** The name it has at its source: that it goes by another here is no change of it. */
  ownName: string = tool.name,
): PinnedDefinition | undefined => {
  try {
    const isOurs = (key: string): boolean =>
      tool.assigned !== undefined && BY_CONFIGURATION.has(key);
    const rest = Object.entries(tool).filter(([key]) => !UNSEEN.has(key) && !isOurs(key));
    const seen = SEEN.filter((key) => !isOurs(key)).map((key) => [
      key,
      (tool as unknown as Record<string, unknown>)[key],
    ]);
    const definition = canonicalData({
      ...Object.fromEntries(rest),
      ...Object.fromEntries(seen),
      name: ownName,
      input: schema('input'),
      output: schema('output'),
    });
    return { definition, fingerprint: fingerprintOfDefinition(definition) };
  } catch {
    return undefined;
  }
};

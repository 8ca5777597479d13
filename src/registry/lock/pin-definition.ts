/**
 * Pins the definition of a tool, as a model and a policy see it, with one digest. Code, version and
 * tuning do not count: a new release with the same definition stays accepted.
 */
import type { JsonSchema } from '../../contract/schema.ts';
import type { Tool } from '../../contract/tool.ts';
import { sha256Hex } from '../../kit/data/canonical-json.ts';

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

/** All other fields of a definition count as well, except these. */
const UNSEEN: ReadonlySet<string> = new Set([
  // `assigned` is set by the user, like the tier of an MCP tool.
  ...['version', 'author', 'license', 'input', 'output', 'server', 'assigned'],
  ...['timeoutMs', 'idleTimeoutMs', 'retry', 'rateLimit', 'breaker', 'concurrency'],
  'resourceRequirements',
]);

export const fingerprintOfDefinition = (definition: unknown): string =>
  `sha256:${sha256Hex(JSON.stringify(definition))}`;

/** Not pinned for tools that the configuration describes: the user sets the tier, and the aliases are made here. */
const BY_CONFIGURATION: ReadonlySet<string> = new Set(['tier', 'aliases']);

/** Pins a definition; `undefined` for one that is too large, too deep, or no plain data. */
export const pinDefinition = (
  tool: Tool,
  schema: (side: 'input' | 'output') => JsonSchema | undefined,
  /** The name at its source: renaming it here is no change of the definition. */
  ownName: string = tool.name,
): PinnedDefinition | undefined => {
  try {
    const isOurs = (key: string): boolean =>
      tool.assigned !== undefined && BY_CONFIGURATION.has(key);
    const rest = Object.entries(tool).filter(([key]) => !UNSEEN.has(key) && !isOurs(key));
    const seenFields = SEEN.filter((key) => !isOurs(key)).map((key) => [
      key,
      (tool as unknown as Record<string, unknown>)[key],
    ]);
    const definition = canonicalData({
      ...Object.fromEntries(rest),
      ...Object.fromEntries(seenFields),
      name: ownName,
      input: schema('input'),
      output: schema('output'),
    });
    return { definition, fingerprint: fingerprintOfDefinition(definition) };
  } catch {
    return undefined;
  }
};

const MAX_DEPTH = 100;
const MAX_VALUES = 50_000;
const MAX_CHARACTERS = 1_000_000;

interface Budget {
  values: number;
  characters: number;
}

const spend = (budget: Budget, characters: number): void => {
  budget.values -= 1;
  budget.characters -= characters;
  if (budget.values < 0 || budget.characters < 0) throw new RangeError('too large');
};

const members = (value: object, depth: number, budget: Budget): unknown => {
  if (Array.isArray(value)) return value.map((item) => ordered(item, depth, budget) ?? null);
  const pairs: [string, unknown][] = [];
  for (const key of Object.keys(value).sort()) {
    spend(budget, key.length);
    const member = ordered((value as Record<string, unknown>)[key], depth, budget);
    if (member !== undefined) pairs.push([key, member]);
  }
  // `fromEntries` defines each key; assigning would run the setter of `__proto__`.
  return Object.fromEntries(pairs);
};

const ordered = (value: unknown, depth: number, budget: Budget): unknown => {
  switch (typeof value) {
    case 'string':
      spend(budget, value.length);
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'bigint':
      return String(value);
    case 'boolean':
      return value;
    case 'object':
      if (value === null) return null;
      if (depth >= MAX_DEPTH) throw new RangeError('nested too deep');
      spend(budget, 0);
      return members(value, depth + 1, budget);
    default:
      return undefined;
  }
};

/**
 * Copies plain data with sorted keys, so that two spellings of one definition give the same text. Throws
 * RangeError for data that is too large, too deep or circular: its author may be hostile.
 */
export const canonicalData = (value: unknown): unknown =>
  ordered(value, 0, { values: MAX_VALUES, characters: MAX_CHARACTERS });

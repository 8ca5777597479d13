/**
 * Defines tools as an MCP server lists them, safe for every client. Some clients drop a tool with a
 * combination at the root of its input; some lose all tools over one output schema that does not compile.
 */
import type { JsonSchema } from '../../contract/schema.ts';
import type { Tool } from '../../contract/tool.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { objectSchema } from '../../kit/data/object-schema.ts';
import { type Defined, follow, type Loss, type SchemaNode, type Shown } from './definition.ts';
import { rootObject } from './root-object.ts';

export const mcpTool = ({ tool, wireName, input, output }: Shown): Defined => {
  const losses: Loss[] = [];
  const inputSchema = listedInput(input, losses);
  if (inputSchema === undefined) return { losses: [...losses, { path: '', lost: 'type' }] };
  const outputSchema = output && listedOutput(output);
  if (output && !outputSchema) losses.push({ path: '', lost: 'outputSchema' });
  const definition = {
    name: wireName,
    ...(tool.title !== undefined && { title: tool.title }),
    description: tool.description,
    inputSchema,
    ...(outputSchema && { outputSchema }),
    annotations: annotationsOf(tool),
  };
  return { definition, losses };
};

/**
 * Tells whether a tool runs programs or calls any other tools: what it will do is not known before
 * it runs. A composed tool calls those that it is made of, and is as strict as they are.
 */
const runsAnything = ({ tier, needs, capabilities, callsTools, composition }: Tool): boolean =>
  tier === 'execute' ||
  (callsTools === true && composition === undefined) ||
  (needs?.commands?.length ?? 0) > 0 ||
  capabilities.some((capability) => capability.tier === 'execute');

const canWrite = ({ tier, needs, capabilities, effects = [] }: Tool): boolean =>
  tier !== 'read_only' ||
  effects.length > 0 ||
  (needs?.paths ?? []).some(({ access }) => access === 'write') ||
  capabilities.some(
    (capability) => capability.destructive || (capability.tier ?? 'read_only') !== 'read_only',
  );

/**
 * Tells whether a tool can overwrite or delete; every tool that does not ship with Toolcrib counts
 * as one.
 */
const canDestroy = (tool: Tool): boolean =>
  tool.source !== 'builtin' ||
  (tool.needs?.paths ?? []).some(({ access }) => access === 'write') ||
  tool.capabilities.some(({ destructive }) => destructive === true);

/**
 * Tells clients the worst a tool can do, by its tier, its reach and all its capabilities: a client may
 * skip its own question for what is said to be harmless.
 */
const annotationsOf = (tool: Tool) => {
  const anything = runsAnything(tool);
  const readOnly = !anything && !canWrite(tool);
  const hosts = tool.needs?.hosts ?? [];
  const external =
    tool.tier === 'external_api' || tool.capabilities.some(({ tier }) => tier === 'external_api');
  return {
    readOnlyHint: readOnly,
    destructiveHint: !readOnly && (anything || canDestroy(tool)),
    idempotentHint: readOnly || (tool.idempotent === true && !anything),
    openWorldHint: anything || external || hosts.length > 0 || tool.assigned?.sink === true,
  };
};

const COMBINED = ['oneOf', 'anyOf', 'allOf', 'not', 'enum', 'const', 'if', '$ref'] as const;
const DEFINITIONS = /^#\/(?:\$defs|definitions)\//;
const DEFAULT_DIALECT = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;
const COMMON_DIALECT = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;
const TYPES: ReadonlySet<unknown> = new Set([
  ...['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'],
]);
const MAX_DEPTH = 60;

interface Moving {
  readonly root: SchemaNode;
  readonly losses: Loss[];
  /** New definitions, by the reference that they replace. */
  readonly moved: Map<string, { readonly name: string; schema: unknown }>;
}

/**
 * Moves the targets of references under `$defs`; a reference without a target is removed. What does not
 * change is not copied: the tools of a source share most of their definitions.
 */
const relocate = (value: unknown, moving: Moving, depth = 0): unknown => {
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return value;
  let moved: Map<string, unknown> | undefined;
  for (const [key, inner] of Object.entries(value) as [string, unknown][]) {
    const isReference = key === '$ref' && typeof inner === 'string' && !Array.isArray(value);
    const after = isReference ? referenceFor(inner, moving) : relocate(inner, moving, depth + 1);
    if (after !== inner) moved = (moved ?? new Map<string, unknown>()).set(key, after);
  }
  if (moved === undefined) return value;
  const fields = Object.entries({ ...value, ...Object.fromEntries(moved) });
  if (Array.isArray(value)) return fields.map(([, inner]) => inner as unknown);
  return Object.fromEntries(fields.filter(([, inner]) => inner !== undefined));
};

const referenceFor = (reference: string, moving: Moving): string | undefined => {
  const target = follow(moving.root, reference);
  if (!target) {
    moving.losses.push({ path: '', lost: '$ref' });
    return undefined;
  }
  if (reference === '#' || DEFINITIONS.test(reference)) return reference;
  const existing = moving.moved.get(reference);
  if (existing) return `#/$defs/${existing.name}`;
  const entry = { name: `listed${moving.moved.size + 1}`, schema: undefined as unknown };
  moving.moved.set(reference, entry);
  entry.schema = relocate(target, moving);
  return `#/$defs/${entry.name}`;
};

/** Makes the input schema of a listing; what it loses is still checked at the call. */
export const listedInput = (schema: JsonSchema, losses: Loss[]): SchemaNode | undefined => {
  const moving: Moving = { root: schema, losses, moved: new Map() };
  const local = relocate(schema, moving) as SchemaNode;
  const added = [...moving.moved.values()].map(({ name, schema: each }) => [name, each] as const);
  const $defs = { ...(isRecord(local.$defs) && local.$defs), ...Object.fromEntries(added) };
  const whole = added.length > 0 ? { ...local, $defs } : local;
  const isCombined = COMBINED.some((keyword) => Object.hasOwn(whole, keyword));
  if (!isCombined) return objectSchema(whole);
  const dialect = schema.$schema === undefined ? {} : { $schema: schema.$schema };
  const flat = rootObject(whole, losses);
  const definitions = {
    ...(isRecord(whole.$defs) && { $defs: whole.$defs }),
    ...(isRecord(whole.definitions) && { definitions: whole.definitions }),
  };
  return flat && { ...dialect, ...definitions, ...flat };
};

const isPattern = (source: unknown): boolean => {
  try {
    return typeof source !== 'string' || new RegExp(source, 'u') instanceof RegExp;
  } catch {
    return false;
  }
};

const isKnownType = (type: unknown): boolean =>
  (typeof type !== 'string' || TYPES.has(type)) &&
  (!Array.isArray(type) || type.every((name) => TYPES.has(name)));

const compiles = (node: SchemaNode, root: SchemaNode): boolean =>
  isKnownType(node.type) &&
  isPattern(node.pattern) &&
  (typeof node.$ref !== 'string' || follow(root, node.$ref) !== undefined) &&
  !('$dynamicRef' in node || '$recursiveRef' in node);

const allCompile = (schema: SchemaNode): boolean => {
  let level: readonly object[] = [schema];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return false;
    if (!level.every((node) => compiles(node as SchemaNode, schema))) return false;
    level = level.flatMap((node) =>
      Object.values(node).filter((value) => typeof value === 'object' && value !== null),
    );
  }
  return true;
};

/** Makes the output schema of a listing; returns nothing where a client might fail to compile it. */
export const listedOutput = (schema: JsonSchema): SchemaNode | undefined => {
  const { $schema: dialect, ...rest } = schema;
  const isDefault = dialect === undefined || DEFAULT_DIALECT.test(String(dialect));
  if (!isDefault && !COMMON_DIALECT.test(String(dialect))) return undefined;
  const object = objectSchema(isDefault ? rest : schema);
  return object && allCompile(object) ? object : undefined;
};

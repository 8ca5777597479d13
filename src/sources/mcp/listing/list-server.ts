/** Lists what a server offers, and reads its definitions with care: they are data of a stranger.  */
import type { Client } from '@modelcontextprotocol/client';
import { isRecord } from '../../../kit/data/is-record.ts';
import { objectSchema } from '../../../kit/data/object-schema.ts';

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** Hints of a server about its own tool: shown to people, and heeded only when they warn. */
export type ToolHints = Readonly<Partial<Record<(typeof HINTS)[number], boolean>>>;

/** The part of a tool's definition that is used. */
export interface ToolListing {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: ToolHints;
  /** Parts that were left out because they break the protocol. */
  readonly notes?: readonly string[];
  /** Why no call of it could succeed. */
  readonly unusable?: string;
}

export interface ServerListing {
  readonly tools: readonly ToolListing[];
  readonly resources: number;
  readonly prompts: number;
}

const MAX_TOOLS = 5000;

const readHints = (value: unknown): ToolHints | undefined => {
  if (!isRecord(value)) return undefined;
  const hints = HINTS.flatMap((name) =>
    Object.hasOwn(value, name) && typeof value[name] === 'boolean' ? [[name, value[name]]] : [],
  );
  return hints.length > 0 ? (Object.fromEntries(hints) as ToolHints) : undefined;
};

/** Reads the known fields of a definition; returns `undefined` for anything else. */
export const readToolListing = (value: unknown): ToolListing | undefined => {
  if (!isRecord(value)) return undefined;
  const { name, description, inputSchema, outputSchema } = value;
  // Older servers put it among the hints.
  const title = value.title ?? (isRecord(value.annotations) ? value.annotations.title : undefined);
  const annotations = readHints(value.annotations);
  // The cache has them in this form.
  const notes = Array.isArray(value.notes) ? value.notes.map(String) : notesOf(value._meta);
  const unusable = value.unusable ?? unusableOf(value._meta);
  if (typeof name !== 'string' || !isRecord(inputSchema)) return undefined;
  return {
    name,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    inputSchema,
    ...(isRecord(outputSchema) && { outputSchema }),
    ...(annotations && { annotations }),
    ...(notes.length > 0 && { notes }),
    ...(typeof unusable === 'string' && { unusable }),
  };
};

/** Counts a list; one that fails counts as empty, because the tools can still be used. */
const countOf = async (list: () => Promise<readonly unknown[]>): Promise<number> => {
  try {
    return (await list()).length;
  } catch {
    return 0;
  }
};

export const listServer = async (client: Client, timeout: number): Promise<ServerListing> => {
  const can = client.getServerCapabilities() ?? {};
  const options = { timeout, cacheMode: 'refresh' as const };
  const raw = can.tools ? (await client.listTools(undefined, options)).tools : [];
  const [resources, prompts] = await Promise.all([
    countOf(async () =>
      can.resources ? (await client.listResources(undefined, options)).resources : [],
    ),
    countOf(async () =>
      can.prompts ? (await client.listPrompts(undefined, options)).prompts : [],
    ),
  ]);
  const tools = raw.slice(0, MAX_TOOLS).flatMap((tool) => readToolListing(tool) ?? []);
  return { tools, resources, prompts };
};

type Fields = Readonly<Record<string, unknown>>;

/** Reserved for Toolcrib: what a server writes there is dropped. */
const NOTES_KEY = 'toolcrib.dev/notes';
const UNUSABLE_KEY = 'toolcrib.dev/unusable';

const MAX_DEPTH = 100;

const isDeep = (schema: object): boolean => {
  let level: readonly object[] = [schema];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((node) =>
      Object.values(node).filter((value) => typeof value === 'object' && value !== null),
    );
  }
  return false;
};

const inputOf = (schema: unknown, notes: string[]): Fields | undefined => {
  if (schema === undefined || schema === null || schema === true) return { type: 'object' };
  if (!isRecord(schema)) return undefined;
  if (!isDeep(schema)) return objectSchema(schema);
  notes.push(`its input schema is nested deeper than ${MAX_DEPTH} levels and is not checked here`);
  return { type: 'object' };
};

const outputOf = (schema: unknown, notes: string[]): Fields | undefined => {
  if (schema === undefined || schema === null) return undefined;
  if (isRecord(schema) && schema.type === 'object' && !isDeep(schema)) return schema;
  notes.push('its output schema does not describe an object, or is too deep, and is not used');
  return undefined;
};

const ANNOTATIONS = [...HINTS, 'title'] as const;

const annotationsOf = (value: unknown): Fields | undefined =>
  isRecord(value)
    ? Object.fromEntries(
        ANNOTATIONS.filter(
          (name) => typeof value[name] === (name === 'title' ? 'string' : 'boolean'),
        ).map((name) => [name, value[name]]),
      )
    : undefined;

const metaOf = (value: unknown, notes: readonly string[], unusable: string | undefined): Fields => {
  const { [NOTES_KEY]: _notes, [UNUSABLE_KEY]: _reason, ...meta } = isRecord(value) ? value : {};
  return {
    ...meta,
    ...(notes.length > 0 && { [NOTES_KEY]: notes }),
    ...(unusable !== undefined && { [UNUSABLE_KEY]: unusable }),
  };
};

/** Says why no call of a tool could succeed; nothing for one that can be called. */
const whyUnusable = (inputSchema: Fields | undefined, execution: unknown): string | undefined => {
  if (!inputSchema) return 'its input schema describes no object';
  return isRecord(execution) && execution.taskSupport === 'required'
    ? 'it can only be called as a task, and tasks of servers are not supported'
    : undefined;
};

/** Repairs one tool; drops it when it has no name. */
const tidyTool = (tool: unknown): readonly Fields[] => {
  if (!isRecord(tool) || typeof tool.name !== 'string') return [];
  const { name, title, description, execution, _meta } = tool;
  const notes: string[] = [];
  const inputSchema = inputOf(tool.inputSchema, notes);
  const unusable = whyUnusable(inputSchema, execution);
  const outputSchema = outputOf(tool.outputSchema, notes);
  const annotations = annotationsOf(tool.annotations);
  return [
    {
      name,
      inputSchema: inputSchema ?? { type: 'object' },
      ...(typeof title === 'string' && { title }),
      ...(typeof description === 'string' && { description }),
      ...(isRecord(execution) && { execution }),
      ...(outputSchema && { outputSchema }),
      ...(annotations && { annotations }),
      _meta: metaOf(_meta, notes, unusable),
    },
  ];
};

/**
 * Repairs a list of tools before the SDK checks it, so that one tool that breaks the protocol does not
 * break the others. What is left out of a tool is noted in its `_meta`. Returns other messages as they are.
 */
export const tidyListing = (message: unknown): unknown => {
  if (!isRecord(message) || !isRecord(message.result)) return message;
  const { result } = message;
  if (!Array.isArray(result.tools)) return message;
  return { ...message, result: { ...result, tools: result.tools.flatMap(tidyTool) } };
};

const unusableOf = (meta: unknown): unknown => (isRecord(meta) ? meta[UNUSABLE_KEY] : undefined);

/** Reads the notes about what was left out of a tool. */
const notesOf = (meta: unknown): readonly string[] => {
  const notes = isRecord(meta) ? meta[NOTES_KEY] : undefined;
  return Array.isArray(notes) ? notes.filter((note) => typeof note === 'string') : [];
};

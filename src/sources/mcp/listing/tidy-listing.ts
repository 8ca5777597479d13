/**
 * Mends a list of tools before the SDK checks it: one tool that breaks the protocol must not take the
 * others of its server with it. What is left out of a tool is noted in its `_meta`.
 */
import { isRecord } from '../../../kit/data/is-record.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Ours alone: what a server writes there is dropped. */
export const NOTES_KEY = 'toolcrib.dev/notes';

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

/** The schema as an object's, or undefined when it cannot be one. */
const objectSchema = (schema: Fields): Fields | undefined => {
  if (schema.type === undefined) return { ...schema, type: 'object' };
  return schema.type === 'object' ? schema : undefined;
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

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint', 'title'];

const annotationsOf = (value: unknown): Fields | undefined =>
  isRecord(value)
    ? Object.fromEntries(
        HINTS.filter(
          (name) => typeof value[name] === (name === 'title' ? 'string' : 'boolean'),
        ).map((name) => [name, value[name]]),
      )
    : undefined;

const metaOf = (value: unknown, notes: readonly string[]): Fields => {
  const { [NOTES_KEY]: _forged, ...meta } = isRecord(value) ? value : {};
  return { ...meta, ...(notes.length > 0 && { [NOTES_KEY]: notes }) };
};

/** Nothing for what has no name, or no input that a call could give. */
const tidyTool = (tool: unknown): readonly Fields[] => {
  if (!isRecord(tool) || typeof tool.name !== 'string') return [];
  const { name, title, description, execution, _meta } = tool;
  const notes: string[] = [];
  const inputSchema = inputOf(tool.inputSchema, notes);
  if (!inputSchema) return [];
  const outputSchema = outputOf(tool.outputSchema, notes);
  const annotations = annotationsOf(tool.annotations);
  return [
    {
      name,
      inputSchema,
      ...(typeof title === 'string' && { title }),
      ...(typeof description === 'string' && { description }),
      ...(isRecord(execution) && { execution }),
      ...(outputSchema && { outputSchema }),
      ...(annotations && { annotations }),
      _meta: metaOf(_meta, notes),
    },
  ];
};

/** The same message; where it lists tools, with those that the protocol allows. */
export const tidyListing = (message: unknown): unknown => {
  if (!isRecord(message) || !isRecord(message.result)) return message;
  const { result } = message;
  if (!Array.isArray(result.tools)) return message;
  return { ...message, result: { ...result, tools: result.tools.flatMap(tidyTool) } };
};

/** What was left out of a tool, in words. */
export const notesOf = (meta: unknown): readonly string[] => {
  const notes = isRecord(meta) ? meta[NOTES_KEY] : undefined;
  return Array.isArray(notes) ? notes.filter((note) => typeof note === 'string') : [];
};

/** Compiles the schema that a tool declares, Zod or JSON Schema, into the neutral `Schema`. */
import { createRequire } from 'node:module';
import { ToolFailure } from '../../contract/errors.ts';
import { foreignSchemaFault } from '../../contract/foreign-schema.ts';
import type {
  JsonSchema,
  Schema,
  SchemaSource,
  Validation,
  ZodSchemaLike,
} from '../../contract/schema.ts';
import type { Tool } from '../../contract/tool.ts';
import { type ZodIssue, zodIssues } from './zod-issues.ts';

/** The side of a Zod schema: input, before defaults and transforms, or output. */
export type SchemaSide = 'input' | 'output';

export const isZodSchema = (source: SchemaSource): source is ZodSchemaLike =>
  '_zod' in source && typeof source.safeParse === 'function';

/**
 * Compiles a Zod schema at once; a JSON Schema needs its validator loaded first. Throws or rejects with
 * CONFIG_INVALID when the schema cannot be used. With `onLeftOut`, for tools whose server checks the
 * input as well, it reports and leaves out what cannot be checked here instead.
 */
export const compileSchema = (
  source: SchemaSource,
  side: SchemaSide = 'input',
  onLeftOut?: (note: string) => void,
): Schema | Promise<Schema> => {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) {
    throw new ToolFailure('CONFIG_INVALID', 'A schema is a Zod schema or a JSON Schema object.');
  }
  if (isZodSchema(source)) return zodSchema(source, side);
  const fault = foreignSchemaFault(source);
  if (fault !== undefined) throw new ToolFailure('CONFIG_INVALID', `The schema ${fault}.`);
  return loadAndCompile(source, onLeftOut);
};

const loadAndCompile = async (
  source: JsonSchema,
  onLeftOut: ((note: string) => void) | undefined,
): Promise<Schema> => {
  const { compileForeignSchema, compileJsonSchema } = await import('./json-schema.ts');
  return onLeftOut ? compileForeignSchema(source, onLeftOut) : compileJsonSchema(source);
};

interface JsonSchemaOptions {
  readonly io: 'input' | 'output';
  readonly unrepresentable: 'any';
}

type Parsed =
  | { readonly success: true; readonly data: unknown }
  | { readonly success: false; readonly error: { readonly issues: readonly ZodIssue[] } };

/** Wraps a Zod 4 schema. Its JSON Schema is computed at the first read. */
const zodSchema = (source: ZodSchemaLike, io: 'input' | 'output'): Schema => {
  let json: JsonSchema | undefined;
  return {
    validate(value: unknown): Validation<unknown> {
      try {
        const parsed = source.safeParse(value) as Parsed;
        if (parsed.success) return { ok: true, value: parsed.data };
        return { ok: false, issues: zodIssues(parsed.error.issues, value) };
      } catch {
        // An asynchronous check, or a custom check that throws: neither proves the value valid.
        return { ok: false, issues: [{ path: [], message: 'The schema could not be checked.' }] };
      }
    },
    get json(): JsonSchema {
      json ??= toJsonSchema(source, io);
      return json;
    },
  };
};

const toJsonSchema = (source: ZodSchemaLike, io: 'input' | 'output'): JsonSchema => {
  const options: JsonSchemaOptions = { io, unrepresentable: 'any' };
  try {
    return ownConverter(source)?.(options) ?? sharedConverter()(source, options);
  } catch {
    throw new ToolFailure('CONFIG_INVALID', 'The Zod schema has no JSON Schema form.', {
      suggestions: [
        'Give the schema as JSON Schema, or leave out duplicate ids and dynamic parts.',
      ],
    });
  }
};

/** Gives the converter of Zod's classic schemas, which carry it, so that no import of Zod is needed. */
const ownConverter = (
  source: ZodSchemaLike & { toJSONSchema?: (options: JsonSchemaOptions) => JsonSchema },
): ((options: JsonSchemaOptions) => JsonSchema) | undefined =>
  typeof source.toJSONSchema === 'function' ? source.toJSONSchema.bind(source) : undefined;

/** Loads the converter for schemas of `zod/mini`. `json` is a synchronous property, hence `require`. */
const sharedConverter = () => {
  const zod = createRequire(import.meta.url)('zod') as {
    toJSONSchema(schema: ZodSchemaLike, options: JsonSchemaOptions): JsonSchema;
  };
  return zod.toJSONSchema;
};

/** Gives the schema as the tool declares it, calling the function where it is one. Throws CONFIG_INVALID. */
export const declaredSchema = (tool: Tool, side: SchemaSide): SchemaSource | undefined => {
  const declared = tool[side];
  if (typeof declared !== 'function') return declared;
  const source = attempt(declared);
  if (typeof source === 'object' && source !== null) return source;
  throw new ToolFailure('CONFIG_INVALID', `Tool ${tool.name}: the ${side} schema cannot be made.`);
};

const attempt = (make: () => SchemaSource): SchemaSource | undefined => {
  try {
    return make();
  } catch {
    return undefined;
  }
};

/** A Zod 4 schema as a neutral `Schema`. Its JSON Schema is worked out when somebody first asks. */
import { createRequire } from 'node:module';
import { type Issue, ToolFailure } from '../../contract/errors.ts';
import type { JsonSchema, Schema, Validation, ZodSchemaLike } from '../../contract/schema.ts';
import { MAX_ISSUES } from './issue-limit.ts';

interface JsonSchemaOptions {
  readonly io: 'input' | 'output';
  readonly unrepresentable: 'any';
}

type Parsed =
  | { readonly success: true; readonly data: unknown }
  | { readonly success: false; readonly error: { readonly issues: readonly ZodIssue[] } };

interface ZodIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

export const zodSchema = (source: ZodSchemaLike, io: 'input' | 'output'): Schema => {
  let json: JsonSchema | undefined;
  return {
    validate(value: unknown): Validation<unknown> {
      try {
        const parsed = source.safeParse(value) as Parsed;
        if (parsed.success) return { ok: true, value: parsed.data };
        return { ok: false, issues: issuesOf(parsed.error.issues, value) };
      } catch {
        // An asynchronous check, or an author's check that throws; neither proves the value good.
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

/** Zod's classic schemas bring the converter along, so the core needs no import of Zod. */
const ownConverter = (
  source: ZodSchemaLike & { toJSONSchema?: (options: JsonSchemaOptions) => JsonSchema },
): ((options: JsonSchemaOptions) => JsonSchema) | undefined =>
  typeof source.toJSONSchema === 'function' ? source.toJSONSchema.bind(source) : undefined;

/** Those of `zod/mini` do not. `json` is a synchronous property, hence `require`. */
const sharedConverter = () => {
  const zod = createRequire(import.meta.url)('zod') as {
    toJSONSchema(schema: ZodSchemaLike, options: JsonSchemaOptions): JsonSchema;
  };
  return zod.toJSONSchema;
};

const issuesOf = (issues: readonly ZodIssue[], value: unknown): readonly Issue[] =>
  issues.slice(0, MAX_ISSUES).map(({ path, message }) => ({
    path: path.map((key) => (typeof key === 'number' ? key : String(key))),
    message: withoutValue(message, valueAt(value, path)),
  }));

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );

/** An author's own message may quote what was sent; Zod's never do. */
const withoutValue = (message: string, value: unknown): string => {
  if (typeof value !== 'string' && typeof value !== 'number') return message;
  const text = String(value);
  return text.length >= 4 ? message.replaceAll(text, '[value]') : message;
};

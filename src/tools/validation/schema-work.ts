/**
 * Compiles a caller's schema and checks a value against it. The function refers to nothing outside
 * of itself: its text is also the program of the process that runs what takes long.
 */
import type { Ajv, ErrorObject, Options } from 'ajv';
import type { RE2JS } from 're2js';

export interface SchemaError {
  /** JSON Pointer. */
  readonly pointer: string;
  readonly message: string;
}

export interface SchemaLibraries {
  readonly Dialect: new (options: Options) => Ajv;
  readonly addFormats: (ajv: Ajv, options: { readonly mode: 'fast' }) => unknown;
  readonly engine: typeof RE2JS;
}

export interface SchemaJob {
  readonly schema: Readonly<Record<string, unknown>> | boolean;
  readonly value: unknown;
}

export type SchemaOutcome =
  | { readonly errors: readonly SchemaError[] }
  /** Why the schema cannot be used. */
  | { readonly problem: string };

export const schemaWork = (
  { Dialect, addFormats, engine }: SchemaLibraries,
  { schema, value }: SchemaJob,
): SchemaOutcome => {
  // Patterns are compared by their text inside ajv, so an engine has to give it.
  const regExp = Object.assign(
    (pattern: string) => {
      const compiled = engine.compile(engine.translateRegExp(pattern));
      return { test: (text: string) => compiled.test(text), toString: () => `/${pattern}/` };
    },
    { code: 'linearEngine' },
  ) as NonNullable<NonNullable<Options['code']>['regExp']>;
  const detailOf = ({ keyword, params }: ErrorObject): unknown => {
    const { additionalProperty, unevaluatedProperty, allowedValues, allowedValue } = params;
    if (keyword === 'additionalProperties') return additionalProperty;
    if (keyword === 'unevaluatedProperties') return unevaluatedProperty;
    if (keyword === 'enum') return allowedValues;
    return keyword === 'const' ? allowedValue : undefined;
  };
  const messageOf = (error: ErrorObject): string => {
    const { message = 'is not valid' } = error;
    const detail = detailOf(error);
    return detail === undefined ? message : `${message}: ${JSON.stringify(detail).slice(0, 200)}`;
  };
  const ajv = new Dialect({
    allErrors: true,
    strict: false,
    logger: false,
    // Each reference stays a call, so that the code cannot grow faster than the schema.
    inlineRefs: false,
    code: { regExp },
  });
  addFormats(ajv, { mode: 'fast' });
  let validate: ReturnType<Ajv['compile']>;
  try {
    validate = ajv.compile(schema);
  } catch (error) {
    const { name, message } = error as Error;
    // Told by whoever runs this: a full stack, and time that is over.
    if (name === 'RangeError' || typeof message !== 'string') throw error;
    const text = `${name}: ${message}`;
    if (/resolve reference/.test(text))
      return { problem: 'it refers to a schema that is not in it' };
    const isPattern = /RE2JS|regexp/i.test(text);
    return { problem: isPattern ? 'a pattern is not supported' : 'it is not valid itself' };
  }
  if (validate(value)) return { errors: [] };
  // A list of 100,000 wrong items says no more than its beginning.
  const errors = (validate.errors ?? []).slice(0, 1000);
  return {
    errors: errors.map((error) => ({ pointer: error.instancePath, message: messageOf(error) })),
  };
};

/**
 * Compiles a caller's schema and checks values against it: draft-07, 2019-09 or 2020-12, patterns in
 * linear time, references within the schema only.
 */
import type { Ajv, ErrorObject, Options } from 'ajv';
import type { RE2JS } from 're2js';
import { ToolFailure } from '../../contract/errors.ts';

export interface SchemaError {
  /** A JSON Pointer. */
  readonly pointer: string;
  readonly message: string;
}

interface SchemaLibraries {
  readonly Dialect: new (options: Options) => Ajv;
  readonly addFormats: (ajv: Ajv, options: { readonly mode: 'fast' }) => unknown;
  readonly engine: typeof RE2JS;
}

export interface SchemaJob {
  readonly schema: Readonly<Record<string, unknown>> | boolean;
  readonly value: unknown;
}

export type CallerSchema = SchemaJob['schema'];

const badSchema = (problem: string) =>
  new ToolFailure('VALIDATION_ERROR', `The schema cannot be used: ${problem}.`, {
    suggestions: ['Use JSON Schema draft-07 or 2020-12 with RE2 patterns and local references.'],
    issues: [{ path: ['schema'], message: problem }],
  });

const tooDeep = (): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', 'The schema is nested too deep.', {
    suggestions: ['Use less nesting, and no references that lead back to themselves.'],
  });

/** Adds the text of a pattern to an engine: ajv compares patterns by their text. */
const linearEngine = (engine: typeof RE2JS) =>
  Object.assign(
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

const problemOf = (error: unknown): ToolFailure => {
  const { name, message } = error as Error;
  const text = `${name}: ${message}`;
  if (/resolve reference/.test(text)) return badSchema('it refers to a schema that is not in it');
  const isPattern = /RE2JS|regexp/i.test(text);
  return badSchema(isPattern ? 'a pattern is not supported' : 'it is not valid itself');
};

const compile = ({ Dialect, addFormats, engine }: SchemaLibraries, schema: CallerSchema) => {
  const ajv = new Dialect({
    allErrors: true,
    strict: false,
    logger: false,
    // Each reference stays a call, so that the compiled code cannot grow faster than the schema.
    inlineRefs: false,
    code: { regExp: linearEngine(engine) },
  });
  addFormats(ajv, { mode: 'fast' });
  try {
    return ajv.compile(schema);
  } catch (error) {
    if ((error as Error).name === 'RangeError') throw error;
    throw problemOf(error);
  }
};

const errorsOf = (libraries: SchemaLibraries, { schema, value }: SchemaJob) => {
  const validate = compile(libraries, schema);
  if (validate(value)) return [];
  // The first errors are enough: a list of 100,000 wrong items has as many.
  return (validate.errors ?? [])
    .slice(0, 1000)
    .map((error) => ({ pointer: error.instancePath, message: messageOf(error) }));
};

const dialectOf = async (schema: CallerSchema): Promise<SchemaLibraries['Dialect']> => {
  const name =
    typeof schema === 'object' && typeof schema.$schema === 'string' ? schema.$schema : '';
  if (/draft-0[67]/.test(name)) return (await import('ajv')).Ajv;
  if (name.includes('2019-09')) return (await import('ajv/dist/2019.js')).Ajv2019;
  if (name === '' || name.includes('2020-12')) return (await import('ajv/dist/2020.js')).Ajv2020;
  throw badSchema('its dialect is not known');
};

/** Lists the errors of a value; empty when it fits. Fails for an invalid schema. */
export type CheckValue = (value: unknown) => readonly SchemaError[];

export const loadSchema = async (schema: CallerSchema): Promise<CheckValue> => {
  if (typeof schema === 'object' && Object.hasOwn(schema, '$async')) {
    throw badSchema('$async is not supported');
  }
  const [Dialect, { RE2JS: engine }, formats] = await Promise.all([
    dialectOf(schema),
    import('re2js'),
    import('ajv-formats'),
  ]);
  const libraries = { Dialect, engine, addFormats: formats.default.default };
  return (value) => {
    try {
      return errorsOf(libraries, { schema, value });
    } catch (error) {
      throw (error as Error).name === 'RangeError' ? tooDeep() : error;
    }
  };
};

export const prepare = async ({ schema, value }: SchemaJob) => {
  const check = await loadSchema(schema);
  return () => check(value);
};

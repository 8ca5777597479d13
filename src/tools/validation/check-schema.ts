/**
 * Checks a value against a JSON Schema of the caller: draft-07, 2019-09 or 2020-12, patterns in
 * linear time, references within the schema only, and never longer than the time allowed.
 */
import type { Ajv, ErrorObject, Options } from 'ajv';
import type { RE2JS } from 're2js';
import { ToolFailure } from '../../contract/errors.ts';
import { boundedRun } from './bounded-run.ts';

export type CallerSchema = Readonly<Record<string, unknown>> | boolean;

export interface SchemaError {
  /** JSON Pointer. */
  readonly pointer: string;
  readonly message: string;
}

const badSchema = (problem: string) =>
  new ToolFailure('VALIDATION_ERROR', `The schema cannot be used: ${problem}.`, {
    suggestions: ['Use JSON Schema draft-07 or 2020-12 with RE2 patterns and local references.'],
    issues: [{ path: ['schema'], message: problem }],
  });

/** Patterns are compared by their text inside ajv, so an engine has to give it. */
const linearEngine = (engine: typeof RE2JS): NonNullable<Options['code']>['regExp'] =>
  Object.assign(
    (pattern: string) => {
      const compiled = engine.compile(engine.translateRegExp(pattern));
      return { test: (text: string) => compiled.test(text), toString: () => `/${pattern}/` };
    },
    { code: 'linearEngine' },
  );

const dialectOf = (schema: CallerSchema): string =>
  typeof schema === 'object' && typeof schema.$schema === 'string' ? schema.$schema : '';

const loadAjv = async (dialect: string) => {
  if (/draft-0[67]/.test(dialect)) return (await import('ajv')).Ajv;
  if (dialect.includes('2019-09')) return (await import('ajv/dist/2019.js')).Ajv2019;
  if (dialect === '' || dialect.includes('2020-12')) {
    return (await import('ajv/dist/2020.js')).Ajv2020;
  }
  throw badSchema('its dialect is not known');
};

const createAjv = async (schema: CallerSchema): Promise<Ajv> => {
  const [Dialect, { RE2JS }, formats] = await Promise.all([
    loadAjv(dialectOf(schema)),
    import('re2js'),
    import('ajv-formats'),
  ]);
  const regExp = linearEngine(RE2JS);
  const ajv = new Dialect({
    allErrors: true,
    strict: false,
    logger: false,
    // Each reference stays a call, so that the code cannot grow faster than the schema.
    inlineRefs: false,
    ...(regExp && { code: { regExp } }),
  });
  formats.default.default(ajv, { mode: 'fast' });
  return ajv;
};

/** What ajv throws for a schema, in words that do not repeat it. */
const schemaProblem = (error: unknown): ToolFailure => {
  if (error instanceof ToolFailure) return error;
  const text = error instanceof Error ? `${error.name}: ${error.message}` : '';
  if (/resolve reference/.test(text)) return badSchema('it refers to a schema that is not in it');
  if (/RE2JS|regexp/i.test(text)) return badSchema('a pattern is not supported');
  return badSchema('it is not valid itself');
};

const DETAIL: Readonly<Record<string, string>> = {
  additionalProperties: 'additionalProperty',
  unevaluatedProperties: 'unevaluatedProperty',
  enum: 'allowedValues',
  const: 'allowedValue',
};

const messageOf = ({ keyword, message = 'is not valid', params }: ErrorObject): string => {
  const field = Object.hasOwn(DETAIL, keyword) ? DETAIL[keyword] : undefined;
  const detail = field === undefined ? undefined : (params as Record<string, unknown>)[field];
  return detail === undefined ? message : `${message}: ${JSON.stringify(detail).slice(0, 200)}`;
};

/** The errors of a value, empty when it fits. Throws for a schema that is wrong itself. */
export const checkSchema = async (
  value: unknown,
  schema: CallerSchema,
): Promise<readonly SchemaError[]> => {
  if (typeof schema === 'object' && Object.hasOwn(schema, '$async')) {
    throw badSchema('$async is not supported');
  }
  const ajv = await createAjv(schema);
  let validate: ReturnType<Ajv['compile']>;
  try {
    validate = boundedRun('schema', () => ajv.compile(schema));
  } catch (error) {
    throw schemaProblem(error);
  }
  if (boundedRun('data', () => validate(value))) return [];
  return (validate.errors ?? []).map((error) => ({
    pointer: error.instancePath,
    message: messageOf(error),
  }));
};

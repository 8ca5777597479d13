/**
 * Checks a value against a JSON Schema of the caller: draft-07, 2019-09 or 2020-12, patterns in
 * linear time, references within the schema only. What is small is tried at once; what does not end
 * within a few milliseconds goes to a process, because it would hold every other caller.
 */
import { ToolFailure } from '../../contract/errors.ts';
import { boundedRun } from './bounded-run.ts';
import { checkInProcess } from './schema-process.ts';
import { type SchemaError, type SchemaJob, type SchemaOutcome, schemaWork } from './schema-work.ts';

export type CallerSchema = SchemaJob['schema'];

/** Longer schemas take longer to compile than this process may be held. */
const MAX_INLINE_CHARS = 4000;
const MAX_INLINE_MS = 50;

const badSchema = (problem: string) =>
  new ToolFailure('VALIDATION_ERROR', `The schema cannot be used: ${problem}.`, {
    suggestions: ['Use JSON Schema draft-07 or 2020-12 with RE2 patterns and local references.'],
    issues: [{ path: ['schema'], message: problem }],
  });

const dialectOf = (schema: CallerSchema): string =>
  typeof schema === 'object' && typeof schema.$schema === 'string' ? schema.$schema : '';

const DIALECTS = {
  'draft-07': { file: 'ajv', load: async () => (await import('ajv')).Ajv },
  '2019-09': {
    file: 'ajv/dist/2019.js',
    load: async () => (await import('ajv/dist/2019.js')).Ajv2019,
  },
  '2020-12': {
    file: 'ajv/dist/2020.js',
    load: async () => (await import('ajv/dist/2020.js')).Ajv2020,
  },
} as const;

const dialectFor = (name: string) => {
  if (/draft-0[67]/.test(name)) return DIALECTS['draft-07'];
  if (name.includes('2019-09')) return DIALECTS['2019-09'];
  if (name === '' || name.includes('2020-12')) return DIALECTS['2020-12'];
  throw badSchema('its dialect is not known');
};

type Dialect = ReturnType<typeof dialectFor>;

const checkHere = async (dialect: Dialect, job: SchemaJob): Promise<SchemaOutcome | undefined> => {
  const [Dialect, { RE2JS: engine }, formats] = await Promise.all([
    dialect.load(),
    import('re2js'),
    import('ajv-formats'),
  ]);
  const libraries = { Dialect, engine, addFormats: formats.default.default };
  try {
    return boundedRun('schema', () => schemaWork(libraries, job), MAX_INLINE_MS);
  } catch (error) {
    if (error instanceof ToolFailure && error.code === 'TIMEOUT') return undefined;
    throw error;
  }
};

const checkElsewhere = (dialect: Dialect, job: SchemaJob, signal: AbortSignal) => {
  const { createRequire } = process.getBuiltinModule('node:module');
  const { resolve } = createRequire(import.meta.url);
  const files = {
    dialect: resolve(dialect.file),
    formats: resolve('ajv-formats'),
    engine: resolve('re2js'),
  };
  return checkInProcess(files, job, signal);
};

/** The errors of a value, empty when it fits. Throws for a schema that is wrong itself. */
export const checkSchema = async (
  job: SchemaJob,
  signal: AbortSignal,
): Promise<readonly SchemaError[]> => {
  const { schema } = job;
  if (typeof schema === 'object' && Object.hasOwn(schema, '$async')) {
    throw badSchema('$async is not supported');
  }
  const dialect = dialectFor(dialectOf(schema));
  const isShort = JSON.stringify(schema).length <= MAX_INLINE_CHARS;
  const outcome =
    (isShort ? await checkHere(dialect, job) : undefined) ??
    (await checkElsewhere(dialect, job, signal));
  if ('problem' in outcome) throw badSchema(outcome.problem);
  return outcome.errors;
};

/** Checks a value against a JSON Schema of the caller, where it holds nobody. */
import { runDataWork } from '../data-work.ts';
import type { SchemaError, SchemaJob } from './schema-work.ts';
import { isSmallSchema } from './small-input.ts';

const SCHEMA_WORK = {
  what: 'schema',
  file: 'schema-work',
  from: import.meta.url,
  load: () => import('./schema-work.ts'),
  isSmall: ({ schema }: SchemaJob) => isSmallSchema(schema),
};

/** The errors of a value, empty when it fits. Throws for a schema that is wrong itself. */
export const checkSchema = (job: SchemaJob, signal: AbortSignal): Promise<readonly SchemaError[]> =>
  runDataWork(SCHEMA_WORK, job, signal);

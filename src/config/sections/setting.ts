/**
 * Builds one setting of the configuration: its type, its help text, what a project may do with it and
 * its default. Notes are added to the outermost schema without a copy, because the whole configuration
 * is built at every start of the command line.
 */
import { z } from 'zod';
import type { ProjectRule } from '../project-rule.ts';

interface Notes {
  /** The sentence of the help text. */
  readonly about: string;
  /** What a project may do with it; without a rule only the user sets it. */
  readonly project?: ProjectRule;
}

const annotate = <T extends z.core.$ZodType>(schema: T, { about, project }: Notes): T => {
  const before = z.globalRegistry.get(schema);
  const rule = project !== undefined && { project };
  z.globalRegistry.add(schema, { ...before, description: about, ...rule });
  return schema;
};

/** Makes a setting with a default. */
export const setting = <T extends z.core.SomeType>(
  schema: T,
  { default: value, ...notes }: Notes & { readonly default: z.core.util.NoUndefined<z.output<T>> },
): z.ZodDefault<T> => annotate(z._default(schema, value) as z.ZodDefault<T>, notes);

/** Makes a setting that may be absent. */
export const optionalSetting = <T extends z.core.SomeType>(
  schema: T,
  notes: Notes,
): z.ZodExactOptional<T> => annotate(z.exactOptional(schema), notes);

/** Makes a required value, such as the value under a name. Copies the schema, because types are shared. */
export const described = <T extends z.ZodType>(schema: T, { about, project }: Notes): T =>
  schema.meta({ description: about, ...(project !== undefined && { project }) });

/** Makes a mapping of settings, each of which has a default or may be absent. */
export const section = <T extends z.ZodObject>(schema: T, about: string): z.ZodPrefault<T> =>
  z.prefault(annotate(schema, { about }), {} as z.input<T>);

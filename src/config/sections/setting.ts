/**
 * One setting of the configuration: its kind of value, what it is for, what a project may do with it
 * and what holds without it. Notes go on the outermost schema and copy none: the whole configuration
 * is built at every start of the command line.
 */
import { z } from 'zod';
import type { ProjectRule } from '../project-rule.ts';

interface Notes {
  /** The sentence of the help text. */
  readonly about: string;
  /** What a project may do with it; one without is the user's alone. */
  readonly project?: ProjectRule;
}

const noted = <T extends z.core.$ZodType>(schema: T, { about, project }: Notes): T => {
  const before = z.globalRegistry.get(schema);
  const rule = project !== undefined && { project };
  z.globalRegistry.add(schema, { ...before, description: about, ...rule });
  return schema;
};

/** A setting with a default. */
export const setting = <T extends z.core.SomeType>(
  schema: T,
  { default: value, ...notes }: Notes & { readonly default: z.core.util.NoUndefined<z.output<T>> },
): z.ZodDefault<T> => noted(z._default(schema, value) as z.ZodDefault<T>, notes);

/** A setting that may be left out. */
export const optionalSetting = <T extends z.core.SomeType>(
  schema: T,
  notes: Notes,
): z.ZodExactOptional<T> => noted(z.exactOptional(schema), notes);

/** A value that must be there, such as what stands under a name. Of a copy: kinds are shared. */
export const described = <T extends z.ZodType>(schema: T, { about, project }: Notes): T =>
  schema.meta({ description: about, ...(project !== undefined && { project }) });

/** A mapping of settings, each of which has a default or may be left out. */
export const section = <T extends z.ZodObject>(schema: T, about: string): z.ZodPrefault<T> =>
  z.prefault(noted(schema, { about }), {} as z.input<T>);

/** Says what is wrong with a part of a request, in the words that the library and the command line use. */
import { z } from 'zod';
import type { Issue } from '../../contract/errors.ts';
import { unknownNameText } from '../../kit/text/did-you-mean.ts';

type Path = readonly (string | number)[];

const WRAPPERS = [z.ZodOptional, z.ZodExactOptional, z.ZodDefault, z.ZodNullable] as const;

const unwrapped = (schema: unknown): unknown => {
  const wrapper = WRAPPERS.find((kind) => schema instanceof kind);
  return wrapper ? unwrapped((schema as z.ZodOptional).unwrap()) : schema;
};

/** Lists the fields of the object at a path; none where there is no plain object. */
const fieldsAt = (schema: unknown, path: Path): readonly string[] => {
  const plain = unwrapped(schema);
  if (plain instanceof z.ZodArray) return fieldsAt(plain.element, path.slice(1));
  if (!(plain instanceof z.ZodObject)) return [];
  const fields = plain.shape as Readonly<Record<string, unknown>>;
  const [name, ...rest] = path;
  if (name === undefined) return Object.keys(fields);
  return Object.hasOwn(fields, name) ? fieldsAt(fields[name], rest) : [];
};

const unknownFields = (
  keys: readonly string[],
  path: Path,
  schema: z.ZodType,
): readonly Issue[] => {
  const fields = fieldsAt(schema, path);
  return keys.map((key) => ({
    path: [...path, key],
    message: fields.length === 0 ? 'is not known' : unknownNameText(key, fields),
  }));
};

/** Lists the issues of a part of a request: one for each field that is not known, with the one that was meant. */
export const requestIssues = ({ issues }: z.ZodError, schema: z.ZodType): readonly Issue[] =>
  issues.flatMap((issue): readonly Issue[] => {
    const path = issue.path as (string | number)[];
    if (issue.code === 'unrecognized_keys') return unknownFields(issue.keys, path, schema);
    const isMissing = path.length > 0 && issue.message.endsWith('received undefined');
    return [{ path, message: isMissing ? 'is required' : issue.message }];
  });

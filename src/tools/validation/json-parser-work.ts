/** The work of `json_parser`: extracts data from a text and checks it against a schema. */
import { type ReadJson, readJson } from './read-json.ts';
import { type CallerSchema, loadSchema, type SchemaError } from './schema-work.ts';

export interface ParseJob {
  readonly text: string;
  readonly schema?: CallerSchema | undefined;
}

export interface ParsedText extends ReadJson {
  /** Errors of the data by the schema, when one was given. */
  readonly errors?: readonly SchemaError[];
}

/** Prepares the work. It returns `undefined` when nothing in the text could be meant as JSON. */
export const prepare = async ({ text, schema }: ParseJob) => {
  const { jsonrepair } = await import('jsonrepair');
  const check = schema === undefined ? undefined : await loadSchema(schema);
  return (): ParsedText | undefined => {
    const parsed = readJson(text, jsonrepair);
    return parsed && check ? { ...parsed, errors: check(parsed.data) } : parsed;
  };
};

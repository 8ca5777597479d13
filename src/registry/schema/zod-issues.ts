/** Turns the errors of Zod into issues, in the words that the validator of JSON Schemas uses. */
import type { Issue } from '../../contract/errors.ts';
import { MAX_ISSUES } from './ajv-issues.ts';

export interface ZodIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code?: string | undefined;
  readonly keys?: readonly string[] | undefined;
}

/** Zod's own words for a value of the wrong kind; a message of the schema's author reads otherwise. */
const OWN_WORDS = /^Invalid (?:input|option)(?:: (?=expected )|$)/;

export const zodIssues = (issues: readonly ZodIssue[], value: unknown): readonly Issue[] =>
  issues
    .slice(0, MAX_ISSUES)
    .flatMap(({ path, keys, code, message }): readonly Issue[] => {
      const plainPath = path.map((key) => (typeof key === 'number' ? key : String(key)));
      if (code === 'unrecognized_keys' && keys && message.startsWith('Unrecognized key')) {
        const unknown = keys.slice(0, MAX_ISSUES);
        return unknown.map((key) => ({
          path: [...plainPath, key],
          message: 'is not a known field',
        }));
      }
      const at = valueAt(value, path);
      const isMissing = path.length > 0 && at === undefined;
      return [
        { path: plainPath, message: isMissing ? required(message) : withoutValue(message, at) },
      ];
    })
    .slice(0, MAX_ISSUES);

/** Says that a field is missing and, where only some values are allowed, which. */
const required = (message: string): string => {
  if (!OWN_WORDS.test(message)) return message;
  const choices = /^Invalid option: (expected one of .*)$/s.exec(message)?.[1];
  return choices === undefined ? 'is required' : `is required; ${choices}`;
};

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );

/** Removes the value from a custom message that quotes it; Zod's own messages never do. */
const withoutValue = (message: string, value: unknown): string => {
  if (typeof value !== 'string' && typeof value !== 'number') return message;
  const text = String(value);
  return text.length >= 4 ? message.replaceAll(text, '[value]') : message;
};

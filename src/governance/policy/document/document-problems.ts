/** Reports everything that is wrong with a document at once, each problem with its position. */
import { distance } from 'fastest-levenshtein';
import type { z } from 'zod';
import { ToolFailure } from '../../../contract/errors.ts';
import type { PolicyPath } from './policy-document.ts';

export interface Problem {
  readonly path: PolicyPath;
  readonly message: string;
  /** The character inside the text at the path. */
  readonly offset?: number;
}

/** Allows two typing errors: `didYouMean` allows too few for keys as short as these. */
const unknownKey = (key: string, keys: readonly string[]): string => {
  const [closest] = keys
    .filter((name) => distance(name, key) <= 2)
    .sort((left, right) => distance(left, key) - distance(right, key));
  return `is not a known key${closest === undefined ? '' : `; did you mean ${closest}?`}`;
};

/** Narrows the type of a path: no document has a symbol for a key. */
const plain = (path: readonly PropertyKey[]): PolicyPath => path.map((part) => part as string);

/** Lists what a schema finds wrong with a value; `keys` are the names to suggest. */
export const schemaProblems = (
  schema: z.ZodType,
  value: unknown,
  keys: readonly string[],
): readonly Problem[] => {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).flatMap((issue): Problem[] => {
    const path = plain(issue.path);
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        path: [...path, key],
        message: unknownKey(key, keys),
      }));
    }
    const isMissing = issue.message.endsWith('received undefined');
    return [{ path, message: isMissing ? 'is required' : issue.message }];
  });
};

/** Lists the items of a list of a document; empty when it has no such list. */
export const itemsOf = (document: unknown, list: string): readonly unknown[] => {
  if (typeof document !== 'object' || document === null || !Object.hasOwn(document, list))
    return [];
  const items = (document as Record<string, unknown>)[list];
  return Array.isArray(items) ? items : [];
};

/** Returns the own text under a key; `undefined` for anything else. */
export const textOf = (item: unknown, key: string): string | undefined => {
  if (typeof item !== 'object' || item === null || !Object.hasOwn(item, key)) return undefined;
  const text = (item as Record<string, unknown>)[key];
  return typeof text === 'string' ? text : undefined;
};

/** Finds items of a list with the same name. */
export const repeatedNames = (items: readonly unknown[], list: string): readonly Problem[] => {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const name = textOf(item, 'name');
    if (name === undefined) return [];
    const isRepeated = seen.has(name);
    seen.add(name);
    return isRepeated
      ? [{ path: [list, index, 'name'], message: 'another one has this name' }]
      : [];
  });
};

/** Names what a path leads to: `rule no-writes: tools.1`, `test 3`, `roles.operator`. */
export const subjectOf = (document: unknown, path: PolicyPath): string => {
  const [list, index, ...rest] = path;
  if (typeof list !== 'string' || typeof index !== 'number') return path.join('.');
  const name = textOf(itemsOf(document, list)[index], 'name') ?? String(index + 1);
  // From `rules` to `rule`.
  return [`${list.slice(0, -1)} ${name}`, rest.join('.')].filter((part) => part !== '').join(': ');
};

export const invalidDocument = (problems: readonly string[]): ToolFailure =>
  new ToolFailure('CONFIG_INVALID', problems.join('\n'), {
    suggestions: ['Correct the lines named; nothing is in force before all of them are.'],
  });

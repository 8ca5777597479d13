/**
 * Explains the issues of Zod to the person who wrote the file: what was expected, what is there, and the
 * likely correction. No message contains a configured value.
 */
import type { z } from 'zod';
import { didYouMean, nearestName } from '../../kit/text/did-you-mean.ts';
import { configFields } from '../document/config-fields.ts';
import { type ConfigPath, type ShapeNode, shapeAt } from '../document/config-shape.ts';
import { valueAt } from '../document/config-tree.ts';

type Issue = z.core.$ZodIssue;

export interface Finding {
  readonly path: ConfigPath;
  readonly message: string;
  /** Whether the key or its value has the fault. */
  readonly part: 'key' | 'value';
  /** Holds for the merged configuration only: another file may have what is missing. */
  readonly whole: boolean;
}

export interface Explained {
  readonly root: unknown;
  readonly shape: ShapeNode;
}

const KINDS: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  number: 'a number',
  int: 'a whole number',
  string: 'text',
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
  null: 'nothing',
};

const kindOf = (value: unknown): string => {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return KINDS[kind] ?? kind;
};

const choices = (values: readonly unknown[]): string =>
  values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`;

const hint = (value: unknown, choices: readonly unknown[]): string =>
  typeof value === 'string' ? didYouMean(value, choices.map(String)) : '';

/** Describes the expected value of an issue about its type. */
const expectation = (issue: Issue): string =>
  issue.code === 'invalid_value'
    ? choices(issue.values)
    : issue.code === 'invalid_type'
      ? (KINDS[issue.expected] ?? issue.expected)
      : issue.message;

const bound = (issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string => {
  const limit = issue.code === 'too_small' ? issue.minimum : issue.maximum;
  const side = issue.code === 'too_small' ? ['at least', 'more than'] : ['at most', 'less than'];
  const words = issue.inclusive === false ? side[1] : side[0];
  if (issue.origin === 'string') {
    return limit === 1 ? 'must not be empty' : `must have ${words} ${limit} characters`;
  }
  return `must be ${words} ${limit}`;
};

/** Suggests the right key, also for a setting in no section or the wrong one. */
const unknownKey = (path: ConfigPath, key: string, context: Explained): string => {
  const siblings = Object.keys(shapeAt(context.shape, path)?.properties ?? {});
  const near = nearestName(key, siblings);
  if (near !== undefined) return `unknown key; did you mean ${near}?`;
  const elsewhere = configFields(context.shape)
    .filter((field) => field.path.at(-1)?.toLowerCase() === key.toLowerCase())
    .map((field) => field.path.join('.'));
  if (elsewhere.length > 0) return `unknown key here; did you mean ${elsewhere[0]}?`;
  return siblings.length > 0 ? `unknown key; known are ${siblings.join(', ')}` : 'unknown key';
};

const wrongKind = (issue: Issue, path: ConfigPath, context: Explained): Finding => {
  const { value } = valueAt(context.root, path);
  const expected = expectation(issue);
  if (value === undefined) {
    return { path, message: `is required (${expected})`, part: 'key', whole: true };
  }
  if (issue.code === 'invalid_value') {
    const message = `expected ${expected}${hint(value, issue.values)}`;
    return { path, message, part: 'value', whole: false };
  }
  // Under `tools` an unknown key counts as a tool; it may be a misspelt global setting.
  const siblings = Object.keys(shapeAt(context.shape, path.slice(0, -1))?.properties ?? {});
  const key = String(path.at(-1));
  const misspelt = expected === 'a mapping' && !siblings.includes(key);
  const got = expected === 'a whole number' && typeof value === 'number' ? '' : kindOf(value);
  const message = `expected ${expected}${got && `, got ${got}`}${misspelt ? didYouMean(key, siblings) : ''}`;
  return { path, message, part: 'value', whole: false };
};

const isAboutKind = (issue: Issue): boolean =>
  issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value');

/** Reports the issues of the alternative whose type fits: it is the one that was meant.*/
const noAlternative = (
  issue: z.core.$ZodIssueInvalidUnion,
  path: ConfigPath,
  context: Explained,
): readonly Finding[] => {
  const { value } = valueAt(context.root, path);
  const options = (issue as { options?: readonly unknown[] }).options;
  if (options) {
    const message =
      value === undefined
        ? `is required (${choices(options)})`
        : `expected ${choices(options)}${hint(value, options)}`;
    return [{ path, message, part: 'value', whole: value === undefined }];
  }
  const intended = issue.errors.find((branch) => !branch.some(isAboutKind));
  if (intended) return explainIssues(intended, path, context);
  const roots = issue.errors.map((branch) => branch[0]).filter((first) => first !== undefined);
  const values = roots.flatMap((first) => (first.code === 'invalid_value' ? first.values : []));
  const message = `expected ${roots.map(expectation).join(', or ')}${hint(value, values)}`;
  return [{ path, message, part: 'value', whole: false }];
};

const explainOne = (issue: Issue, path: ConfigPath, context: Explained): readonly Finding[] => {
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        path: [...path, key],
        message: unknownKey(path, key, context),
        part: 'key',
        whole: false,
      }));
    case 'invalid_union':
      return noAlternative(issue, path, context);
    case 'invalid_type':
    case 'invalid_value':
      return [wrongKind(issue, path, context)];
    case 'too_small':
    case 'too_big':
      return [{ path, message: bound(issue), part: 'value', whole: false }];
    case 'invalid_key':
      return [{ path, message: issue.issues[0]?.message ?? '', part: 'key', whole: false }];
    case 'custom': {
      const { part, whole } = (issue.params ?? {}) as { part?: 'key'; whole?: true };
      return [{ path, message: issue.message, part: part ?? 'value', whole: whole === true }];
    }
    default:
      return [{ path, message: issue.message, part: 'value', whole: false }];
  }
};

/** Converts issues to findings with full paths; the paths of the issues are relative to `above`. */
export const explainIssues = (
  issues: readonly Issue[],
  above: ConfigPath,
  context: Explained,
): readonly Finding[] =>
  issues.flatMap((issue) => explainOne(issue, [...above, ...(issue.path as ConfigPath)], context));

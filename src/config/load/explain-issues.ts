/**
 * What Zod found, in words for the person who wrote the file: what was expected, what is there, and
 * the likely remedy. No message ever holds a configured value.
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
  /** Whether the key itself is at fault or what it holds. */
  readonly part: 'key' | 'value';
  /** Only the merged configuration can be judged by this: another file may hold what is missing. */
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

const hint = (value: unknown, known: readonly unknown[]): string =>
  typeof value === 'string' ? didYouMean(value, known.map(String)) : '';

/** What a value would have to be to satisfy an issue about its kind. */
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

/** A setting that was put under no section or the wrong one is told where it belongs. */
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
  // Under `tools` an unknown key is taken for a tool; it may be a global setting misspelt.
  const siblings = Object.keys(shapeAt(context.shape, path.slice(0, -1))?.properties ?? {});
  const key = String(path.at(-1));
  const misspelt = expected === 'a mapping' && !siblings.includes(key);
  const got = expected === 'a whole number' && typeof value === 'number' ? '' : kindOf(value);
  const message = `expected ${expected}${got && `, got ${got}`}${misspelt ? didYouMean(key, siblings) : ''}`;
  return { path, message, part: 'value', whole: false };
};

const isAboutKind = (issue: Issue): boolean =>
  issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value');

/** Of several alternatives, the one whose kind fits is what was meant; its issues are the answer. */
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
  const meant = issue.errors.find((branch) => !branch.some(isAboutKind));
  if (meant) return explainIssues(meant, path, context);
  const roots = issue.errors.map((branch) => branch[0]).filter((first) => first !== undefined);
  const known = roots.flatMap((first) => (first.code === 'invalid_value' ? first.values : []));
  const message = `expected ${roots.map(expectation).join(', or ')}${hint(value, known)}`;
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

/** Every issue as findings with full paths. `above` is where the issues' own paths begin. */
export const explainIssues = (
  issues: readonly Issue[],
  above: ConfigPath,
  context: Explained,
): readonly Finding[] =>
  issues.flatMap((issue) => explainOne(issue, [...above, ...(issue.path as ConfigPath)], context));

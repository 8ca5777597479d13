/**
 * Says in plain words what the shape of a composition refuses, and mends a copy by stand-ins, so that the
 * other faults of the definition are found as well.
 */
import type { Issue } from '../../../contract/errors.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { didYouMean } from '../../../kit/text/did-you-mean.ts';
import {
  compositionFieldsAt,
  compositionShape,
  type ParsedComposition,
} from './composition-shape.ts';

type Path = readonly (string | number)[];

interface ShapeIssue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
}

/** What stands for a field that is needed; nothing of it is reported. */
const STAND_INS: Readonly<Record<string, unknown>> = {
  type: 'composed',
  name: 'unnamed',
  description: 'unknown',
  schema: { type: 'object' },
  tool: 'unnamed',
};

const plainPath = (path: readonly PropertyKey[]): Path =>
  path.map((key) => (typeof key === 'number' ? key : String(key)));

const valueAt = (data: unknown, path: Path): unknown =>
  path.reduce<unknown>((at, key) => {
    const owner = Object(at) as object;
    return Object.hasOwn(owner, key) ? Reflect.get(owner, key) : undefined;
  }, data);

const choiceText = (message: string, value: unknown): string => {
  const choices = [...message.matchAll(/['"]([^'"]*)['"]/g)].map(([, choice = '']) => choice);
  const hint = typeof value === 'string' ? didYouMean(value, choices) : '';
  return `expected one of ${choices.join(', ')}${hint}`;
};

/** Says where a field belongs that people often write one level too high. */
const hintAt = (path: Path): string =>
  path.at(-1) === 'parameters' ? '; a parameter stands in static, dynamic or computed' : '';

const explain = (issue: ShapeIssue, definition: unknown): readonly Issue[] => {
  const path = plainPath(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const fields = compositionFieldsAt(path);
    return (issue.keys ?? []).map((key) => ({
      path: [...path, key],
      message: `is not known here${didYouMean(key, fields) || hintAt(path)}`,
    }));
  }
  if (/^Invalid (?:discriminator value|option)/.test(issue.message)) {
    return [{ path, message: choiceText(issue.message, valueAt(definition, path)) }];
  }
  const message = issue.message.replace(/^Invalid input: /, '');
  return [{ path, message: message.endsWith('received undefined') ? 'is required' : message }];
};

/** Returns the path of the field to leave out for an issue; nothing where no other one says the same without it. */
const partOf = ([root, second, at, field]: Path): Path | undefined => {
  if (root === undefined) return undefined;
  if (root !== 'composition') return [root];
  if (second === undefined) return undefined;
  if (second !== 'steps') return [root, second];
  const isPart = at !== undefined && field !== undefined && field !== 'id';
  return isPart ? [root, second, at, field] : undefined;
};

/** Replaces one field by its stand-in, or removes it. */
const mend = (data: unknown, path: Path): void => {
  const owner = valueAt(data, path.slice(0, -1));
  const name = String(path.at(-1));
  if (!isRecord(owner)) return;
  Reflect.deleteProperty(owner, name);
  if (Object.hasOwn(STAND_INS, name)) Reflect.set(owner, name, STAND_INS[name]);
};

const copyOf = (definition: unknown): unknown => {
  try {
    return structuredClone(definition);
  } catch {
    return undefined;
  }
};

export interface ShapeReading {
  readonly issues: readonly Issue[];
  /** The definition, with stand-ins where it has issues; absent where too little of it can be read. */
  readonly definition?: ParsedComposition;
  /** The paths of the stand-ins. */
  readonly mended: readonly Path[];
}

/** Reads a definition. Never throws because of it. */
export const readShape = (source: unknown): ShapeReading => {
  const checked = compositionShape.safeParse(source);
  if (checked.success) return { issues: [], definition: checked.data, mended: [] };
  const shapeIssues: readonly ShapeIssue[] = checked.error.issues;
  const issues = shapeIssues.flatMap((issue) => explain(issue, source));
  const copy = copyOf(source);
  const mended: Path[] = [];
  for (const issue of shapeIssues) {
    const path = plainPath(issue.path);
    const isUnknown = issue.code === 'unrecognized_keys';
    const parts = isUnknown ? (issue.keys ?? []).map((key) => [...path, key]) : [partOf(path)];
    for (const part of parts) {
      if (!part) return { issues, mended };
      mend(copy, part);
      if (!isUnknown) mended.push(part);
    }
  }
  const rest = compositionShape.safeParse(copy);
  return { issues, mended, ...(rest.success && { definition: rest.data }) };
};

/**
 * A first look at a value beside its schema, so that slips show while typing. It knows the plain
 * keywords; the server checks everything. Patterns are left to it: a hostile one could stop the page.
 */
import { isRecord } from '../api/is-record.ts';
import type { Issue, JsonSchema } from '../api/tool-records.ts';
import { asSchema, resolveSchema } from './resolve-schema.ts';

/** Text in a JSON box that is not JSON; it stays there to be put right. */
export class InvalidJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  toJSON(): string {
    return this.text;
  }
}

type Path = readonly (string | number)[];
type Check = (value: unknown, at: Place) => readonly Issue[];

interface Place {
  readonly schema: JsonSchema;
  readonly root: JsonSchema;
  readonly path: Path;
}

const MAX_DEPTH = 32;

const issue = (path: Path, message: string): readonly Issue[] => [{ path, message }];

export const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
};

const fitsType = (value: unknown, type: unknown): boolean =>
  type === 'integer' ? Number.isInteger(value) : typeOf(value) === type;

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const checkType: Check = (value, { schema, path }) => {
  const types = [schema.type].flat().filter((type) => type !== undefined);
  if (types.length === 0 || types.some((type) => fitsType(value, type))) return [];
  return issue(path, `Has to be ${types.join(' or ')}.`);
};

const checkChoice: Check = (value, { schema, path }) => {
  if ('const' in schema && !same(value, schema.const)) {
    return issue(path, `Has to be ${JSON.stringify(schema.const)}.`);
  }
  if (!Array.isArray(schema.enum) || schema.enum.some((option) => same(option, value))) return [];
  return issue(path, `Has to be one of ${schema.enum.map((o) => JSON.stringify(o)).join(', ')}.`);
};

const atLeast = (size: number, limit: number): boolean => size >= limit;
const atMost = (size: number, limit: number): boolean => size <= limit;

interface Limit {
  readonly keyword: string;
  readonly type: string;
  readonly holds: (size: number, limit: number) => boolean;
  /** `#` stands for the limit. */
  readonly says: string;
}

const LIMITS: readonly Limit[] = [
  { keyword: 'minimum', type: 'number', holds: atLeast, says: 'Has to be # or more.' },
  { keyword: 'maximum', type: 'number', holds: atMost, says: 'Has to be # or less.' },
  {
    keyword: 'exclusiveMinimum',
    type: 'number',
    holds: (size, limit) => size > limit,
    says: 'Has to be more than #.',
  },
  {
    keyword: 'exclusiveMaximum',
    type: 'number',
    holds: (size, limit) => size < limit,
    says: 'Has to be less than #.',
  },
  { keyword: 'minLength', type: 'string', holds: atLeast, says: 'Characters needed: # or more.' },
  { keyword: 'maxLength', type: 'string', holds: atMost, says: 'Characters allowed: # or fewer.' },
  { keyword: 'minItems', type: 'array', holds: atLeast, says: 'Entries needed: # or more.' },
  { keyword: 'maxItems', type: 'array', holds: atMost, says: 'Entries allowed: # or fewer.' },
];

const sizeOf = (value: unknown): number => {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return [...value].length;
  return Array.isArray(value) ? value.length : 0;
};

const checkLimits: Check = (value, { schema, path }) =>
  LIMITS.flatMap(({ keyword, type, holds, says }) => {
    const limit = schema[keyword];
    const counts = typeof limit === 'number' && typeOf(value) === type;
    return counts && !holds(sizeOf(value), limit)
      ? issue(path, says.replace('#', String(limit)))
      : [];
  });

const checkProperties: Check = (value, { schema, root, path }) => {
  if (!isRecord(value)) return [];
  const properties = asSchema(schema.properties);
  const required = Array.isArray(schema.required) ? (schema.required as string[]) : [];
  const missing = required
    .filter((name) => !Object.hasOwn(value, name) || value[name] === undefined)
    .flatMap((name) => issue([...path, name], 'Is required.'));
  const inner = Object.entries(value).flatMap(([name, item]) => {
    if (item === undefined) return [];
    const at = [...path, name];
    if (Object.hasOwn(properties, name)) {
      return checkAt(item, { schema: asSchema(properties[name]), root, path: at });
    }
    if (schema.additionalProperties === false) return issue(at, 'Is not known.');
    return checkAt(item, { schema: asSchema(schema.additionalProperties), root, path: at });
  });
  return [...missing, ...inner];
};

const checkItems: Check = (value, { schema, root, path }) =>
  Array.isArray(value) && isRecord(schema.items)
    ? value.flatMap((item, index) =>
        checkAt(item, { schema: asSchema(schema.items), root, path: [...path, index] }),
      )
    : [];

/** Reports the faults of the branch that is nearest to fitting. */
const checkBranches: Check = (value, { schema, root, path }) => {
  const branches = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(branches) || branches.length === 0) return [];
  const issueLists = branches.map((branch) =>
    checkAt(value, { schema: asSchema(branch), root, path }),
  );
  return issueLists.reduce((least, issues) => (issues.length < least.length ? issues : least));
};

const CHECKS = [checkType, checkChoice, checkLimits, checkProperties, checkItems, checkBranches];

const checkAt: Check = (value, place) => {
  const { root, path } = place;
  if (value instanceof InvalidJson) return issue(path, 'This is not valid JSON.');
  if (Number.isNaN(value)) return issue(path, 'This is not a number.');
  if (path.length > MAX_DEPTH) return [];
  const schema = resolveSchema(place.schema, root);
  const wrongType = checkType(value, { schema, root, path });
  if (wrongType.length > 0) return wrongType;
  return CHECKS.flatMap((check) => check(value, { schema, root, path }));
};

/** References are looked up in `root`, which is the schema itself unless it is a part of another. */
export const checkValue = (
  value: unknown,
  schema: JsonSchema,
  root: JsonSchema = schema,
): readonly Issue[] => checkAt(value, { schema, root, path: [] });

/** Writes a path as `items[0].name`; empty for the whole. */
export const pathText = (path: Path): string =>
  path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : index === 0 ? key : `.${key}`))
    .join('');

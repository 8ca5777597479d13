/** Reads `key=value` and `key:=json` arguments, and builds the object they describe. */
import type { JsonSchema } from '../../contract/schema.ts';
import { misuse } from './misuse.ts';
import { findJsonFault, parseJson } from './parse-json.ts';
import {
  alternativesOf,
  declares,
  fixedValues,
  itemsOf,
  propertyOf,
  typesOf,
} from './schema-alternatives.ts';

const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Reads a number. `strict` is for schemas that allow a string too: then `5` is a number, but `007` is
 * not.
 */
const readNumber = (text: string, strict: boolean): number | undefined => {
  if (!NUMBER.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) && (!strict || String(value) === text) ? value : undefined;
};

const readJson = (text: string, bracket: string): { readonly value: unknown } | undefined =>
  text.trimStart().startsWith(bracket) && findJsonFault(text) === undefined
    ? { value: JSON.parse(text) as unknown }
    : undefined;

const readScalar = (
  text: string,
  types: ReadonlySet<string>,
): { readonly value: unknown } | undefined => {
  if (types.has('null') && text === 'null') return { value: null };
  if (types.has('boolean') && (text === 'true' || text === 'false'))
    return { value: text === 'true' };
  if (types.has('number') || types.has('integer')) {
    const value = readNumber(text, types.has('string'));
    if (value !== undefined) return { value };
  }
  return undefined;
};

/**
 * Converts a text to the type in its schema. A text that does not fit stays text, so that validation
 * reports what the tool expects.
 */
const typedText = (text: string, schemas: readonly JsonSchema[], root: JsonSchema): unknown => {
  const fixed = fixedValues(schemas).find((value) => String(value) === text);
  if (fixed !== undefined) return fixed;
  const types = typesOf(schemas);
  const parsed =
    readScalar(text, types) ??
    (types.has('array') ? readJson(text, '[') : undefined) ??
    (types.has('object') ? readJson(text, '{') : undefined);
  if (parsed) return parsed.value;
  if (!types.has('array') || types.has('string')) return text;
  return typedList(text === '' ? [] : text.split(','), schemas, root);
};

const typedList = (
  texts: readonly string[],
  schemas: readonly JsonSchema[],
  root: JsonSchema,
): readonly unknown[] => {
  const items = itemsOf(schemas, root);
  return texts.map((text) => typedText(text, items, root));
};

export interface Pair {
  readonly key: string;
  /** Raw JSON instead of text. */
  readonly json: boolean;
  readonly text: string;
}

const PAIR = /^([^\s={}[\]"':][^\s={}[\]"']*?)(:?=)([\s\S]*)$/;

/** Reads a pair; `undefined` for an argument that is none. */
export const readPair = (argument: string): Pair | undefined => {
  const [, key, mark, text] = PAIR.exec(argument) ?? [];
  return key === undefined || text === undefined ? undefined : { key, json: mark === ':=', text };
};

const isContainer = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Splits `a.b` into a path, unless the schema declares it as one name. */
const pathOf = (key: string, schemas: readonly JsonSchema[]): readonly string[] =>
  declares(schemas, key) ? [key] : key.split('.');

const schemaAt = (
  path: readonly string[],
  start: readonly JsonSchema[],
  root: JsonSchema,
): readonly JsonSchema[] =>
  path.reduce(
    (schemas, part) =>
      /^\d+$/.test(part) && typesOf(schemas).has('array')
        ? itemsOf(schemas, root)
        : propertyOf(schemas, part, root),
    start,
  );

const valueFrom = (
  pairs: readonly Pair[],
  schemas: readonly JsonSchema[],
  root: JsonSchema,
): unknown => {
  const [first] = pairs;
  if (pairs.length === 1 && first) {
    return first.json
      ? parseJson(first.text, `The value of ${first.key}`)
      : typedText(first.text, schemas, root);
  }
  if (schemas.length > 0 && !typesOf(schemas).has('array')) {
    throw misuse(
      `${first?.key ?? ''} is given more than once.`,
      'Only a list takes several values.',
    );
  }
  return pairs.flatMap((pair) =>
    pair.json
      ? [parseJson(pair.text, `A value of ${pair.key}`)]
      : typedList([pair.text], schemas, root),
  );
};

/** Sets an own property even for names such as `__proto__`, which the validation then refuses. */
const setOwn = (target: object, key: string, value: unknown): void => {
  Object.defineProperty(target, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
};

interface Target {
  readonly path: readonly string[];
  readonly schemas: readonly JsonSchema[];
  readonly root: JsonSchema;
}

const assign = (target: object, { path, schemas, root }: Target, value: unknown): void => {
  let parent = target;
  for (const [at, part] of path.slice(0, -1).entries()) {
    const existing: unknown = Object.hasOwn(parent, part) ? Reflect.get(parent, part) : undefined;
    const isList = typesOf(schemaAt(path.slice(0, at + 1), schemas, root)).has('array');
    const next = isContainer(existing)
      ? existing
      : isList && /^\d+$/.test(path[at + 1] ?? '')
        ? []
        : {};
    setOwn(parent, part, next);
    parent = next;
  }
  setOwn(parent, path.at(-1) ?? '', value);
};

/** Puts the pairs on top of a base, typed by the schema where there is one. */
export const applyPairs = (
  base: unknown,
  pairs: readonly Pair[],
  schema: JsonSchema | undefined,
): unknown => {
  if (pairs.length === 0) return base === undefined ? {} : base;
  if (base !== undefined && (!isContainer(base) || Array.isArray(base))) {
    throw misuse(
      'key=value can only be added to an object.',
      'Give the whole input as JSON instead.',
    );
  }
  const root = schema ?? {};
  const schemas = schema ? alternativesOf(schema, schema) : [];
  const target: object = base ?? {};
  for (const key of new Set(pairs.map((pair) => pair.key))) {
    const group = pairs.filter((pair) => pair.key === key);
    const path = pathOf(key, schemas);
    assign(target, { path, schemas, root }, valueFrom(group, schemaAt(path, schemas, root), root));
  }
  return target;
};

/**
 * Binds each of the alternatives with a discriminator to the values of the discriminating field that stand
 * for it, so that exactly one fits.
 */
import type { JsonSchema } from '../../../contract/schema.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { isPrototypeKey } from '../../../kit/data/prototype-key.ts';

const lastStep = (reference: string): string => reference.split('/').at(-1) ?? reference;

/** Lists the values that stand for a branch by the mapping. */
const mappedValues = (reference: string, mapping: unknown): readonly string[] =>
  isRecord(mapping)
    ? Object.entries(mapping).flatMap(([value, target]) =>
        target === reference || target === lastStep(reference) ? [value] : [],
      )
    : [];

/** An alternative as the document has it, and what it was converted to. */
export interface Branch {
  readonly raw: unknown;
  readonly schema: JsonSchema;
}

/** Lists what the parts of an alternative say of one of its fields. */
type FieldsOf = (raw: unknown, name: string) => readonly unknown[];

const listedValues = (field: unknown): readonly (readonly string[])[] => {
  const { const: constant, enum: values } = isRecord(field) ? field : {};
  const listed: readonly unknown[] = Array.isArray(values) ? values : [constant];
  const texts = listed.filter((value): value is string => typeof value === 'string');
  return texts.length > 0 ? [texts] : [];
};

/** Lists the values that a branch itself allows for the field; `undefined` where it allows any. */
const ownValues = (fields: readonly unknown[]): readonly string[] | undefined => {
  const [first, ...others] = fields.flatMap(listedValues);
  const values = first?.filter((value) => others.every((list) => list.includes(value)));
  return values && values.length > 0 ? values : undefined;
};

/**
 * Chooses between the values by name and those of the branch. Many documents leave the mapping out although
 * the field does not hold the names of the schemas: then no value would fit, so what a branch says of its own
 * field counts.
 */
const possibleValues = (named: readonly string[], own: readonly string[] | undefined) => {
  if (!own) return named;
  const both = named.filter((value) => own.includes(value));
  return both.length > 0 ? both : own;
};

const MAX_VALUES = 200;
const MAX_VALUE = 200;

const isSmall = (values: readonly string[]): boolean =>
  values.length <= MAX_VALUES && values.every(({ length }) => length <= MAX_VALUE);

const isDisjoint = (lists: readonly (readonly string[])[]): boolean => {
  const all = lists.flat();
  return new Set(all).size === all.length;
};

/**
 * Binds converted alternatives. Gives `undefined` where there is no discriminator, where it is not clear what
 * stands for a branch, or where one value stands for two.
 */
export const discriminated = (
  branches: readonly Branch[],
  discriminator: unknown,
  fieldsOf: FieldsOf,
): readonly JsonSchema[] | undefined => {
  if (branches.length === 0 || !isRecord(discriminator)) return undefined;
  const { propertyName, mapping } = discriminator;
  if (typeof propertyName !== 'string' || propertyName === '' || isPrototypeKey(propertyName)) {
    return undefined;
  }
  const bound = branches.flatMap(({ raw, schema }) => {
    const reference: unknown = isRecord(raw) ? raw.$ref : undefined;
    if (typeof reference !== 'string' || schema.$ref === undefined) return [];
    const mapped = mappedValues(reference, mapping);
    const described = fieldsOf(raw, propertyName);
    // A branch that does not describe the field has alternatives of its own, which may do so.
    if (mapped.length === 0 && described.length === 0) return [];
    const named = mapped.length > 0 ? mapped : [lastStep(reference)];
    const values = possibleValues(named, ownValues(described));
    return isSmall(values) ? [{ schema, values }] : [];
  });
  const isBound = bound.length === branches.length;
  if (!isBound || !isDisjoint(bound.map(({ values }) => values))) return undefined;
  return bound.map(({ schema, values }) => ({
    ...schema,
    properties: {
      [propertyName]: values.length === 1 ? { const: values[0] } : { enum: values },
    },
    required: [propertyName],
  }));
};

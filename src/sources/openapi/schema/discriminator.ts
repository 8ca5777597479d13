/**
 * Converts alternatives with a discriminator so that exactly one fits: each alternative is bound to the
 * values of the discriminating field that stand for it.
 */
import type { JsonSchema } from '../../../contract/schema.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { isPrototypeKey } from '../../../kit/data/prototype-key.ts';

const lastStep = (reference: string): string => reference.split('/').at(-1) ?? reference;

/** The values that stand for a branch: those of the mapping, or the name of its schema. */
const valuesOf = (reference: string, mapping: unknown): readonly string[] => {
  const values = isRecord(mapping)
    ? Object.entries(mapping).flatMap(([value, target]) =>
        target === reference || target === lastStep(reference) ? [value] : [],
      )
    : [];
  return values.length > 0 ? values : [lastStep(reference)];
};

/** Gives `undefined` where there is no discriminator, or where a branch is no reference. */
export const discriminated = (
  branches: readonly unknown[],
  discriminator: unknown,
  convert: (branch: unknown) => JsonSchema,
): readonly JsonSchema[] | undefined => {
  if (branches.length === 0 || !isRecord(discriminator)) return undefined;
  const { propertyName, mapping } = discriminator;
  if (typeof propertyName !== 'string' || propertyName === '' || isPrototypeKey(propertyName)) {
    return undefined;
  }
  const converted = branches.map((branch) => {
    const reference: unknown = isRecord(branch) ? branch.$ref : undefined;
    const schema = convert(branch);
    if (typeof reference !== 'string' || schema.$ref === undefined) return undefined;
    const values = valuesOf(reference, mapping);
    const bound = values.length === 1 ? { const: values[0] } : { enum: values };
    return { ...schema, properties: { [propertyName]: bound }, required: [propertyName] };
  });
  return converted.every((one) => one !== undefined) ? converted : undefined;
};

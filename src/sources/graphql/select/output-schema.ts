/**
 * Writes what an operation returns as JSON Schema. Fields are not required, because a call may ask for
 * others; those that are there have to be of their type. Fields of single possible types are left open.
 */
import type { JsonSchema } from '../../../contract/schema.ts';
import { isRequired, isTooDeep, itemType, namedType } from '../schema/definition.ts';
import type { SelectionSet } from './selection.ts';

const SCALARS: ReadonlyMap<string, readonly string[]> = new Map([
  ['String', ['string']],
  // Some services send numbers.
  ['ID', ['string', 'integer']],
  ['Boolean', ['boolean']],
  ['Float', ['number']],
  ['Int', ['integer']],
]);

const typed = (types: readonly string[], type: string): JsonSchema => {
  const all = isRequired(type) ? types : [...types, 'null'];
  return { type: all.length === 1 ? all[0] : all };
};

/**
 * Makes the schema of a value. `isEnum` says whether a name is that of an enum: new values of one are no
 * fault.
 */
const valueSchema = (
  type: string,
  set: SelectionSet | undefined,
  isEnum: (name: string) => boolean,
): JsonSchema => {
  if (isTooDeep(type)) return {};
  const item = itemType(type);
  if (item !== undefined) {
    return { ...typed(['array'], type), items: valueSchema(item, set, isEnum) };
  }
  if (set) {
    const properties = set.fields.map(({ key, type: of, set: below }) => [
      key,
      valueSchema(of, below, isEnum),
    ]);
    return { ...typed(['object'], type), properties: Object.fromEntries(properties) };
  }
  const name = namedType(type);
  const scalar = SCALARS.get(name) ?? (isEnum(name) ? ['string'] : undefined);
  return scalar ? typed(scalar, type) : {};
};

export const outputSchema = (
  type: string,
  set: SelectionSet | undefined,
  isEnum: (name: string) => boolean,
): JsonSchema => ({
  type: 'object',
  properties: {
    data: valueSchema(type, set, isEnum),
    errors: {
      type: 'array',
      items: { type: 'object' },
      description: 'What could not be answered; absent when all was.',
    },
  },
  required: ['data'],
});

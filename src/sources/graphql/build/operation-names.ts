/**
 * Names the tools of a schema, within the limits of clients and the same at every reading, and decides
 * by `include` and `exclude` which operations become tools.
 */
import { shortDigestOf } from '../../../kit/data/canonical-json.ts';
import { wildcard } from '../../../kit/text/wildcard.ts';
import type { FieldEntry } from '../schema/definition.ts';

/** Some clients accept no longer names. */
const MAX_NAME = 64;
const DIGEST_LENGTH = 8;

export interface Operation {
  readonly kind: 'query' | 'mutation';
  readonly field: FieldEntry;
}

export interface NamedOperation extends Operation {
  readonly name: string;
}

/** Makes a digest of letters and digits only, so that the name stays valid. */
const digest = (text: string): string =>
  shortDigestOf(text)
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(0, DIGEST_LENGTH);

const within = (name: string): string =>
  name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME - DIGEST_LENGTH - 1)}_${digest(name)}`;

const nameOf = ({ field }: Operation): string => {
  const bare = field.name.replace(/^_+/, '');
  return within(bare === '' ? `field_${digest(field.name)}` : bare);
};

/**
 * Names the operations. A mutation that shares its name with a query is called `<name>_mutation`. Names that
 * still meet get a digest of what they stand for, so that the order of the schema does not matter.
 */
export const nameOperations = (operations: readonly Operation[]): readonly NamedOperation[] => {
  const queries = new Set(
    operations.flatMap((each) => (each.kind === 'query' ? [nameOf(each)] : [])),
  );
  const first = operations.map((each) => {
    const name = nameOf(each);
    const isTaken = each.kind === 'mutation' && queries.has(name);
    return { ...each, name: isTaken ? within(`${name}_mutation`) : name };
  });
  const counts = new Map<string, number>();
  for (const { name } of first) counts.set(name, (counts.get(name) ?? 0) + 1);
  return first.map((each) => {
    if (counts.get(each.name) === 1) return each;
    const mark = digest(`${each.kind}.${each.field.name}`);
    return { ...each, name: `${each.name.slice(0, MAX_NAME - DIGEST_LENGTH - 1)}_${mark}` };
  });
};

interface NameFilter {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

/** Makes the filter. A pattern is a name, or `query.` or `mutation.` and a name. Exclusion wins. */
export const nameFilter = ({ include, exclude = [] }: NameFilter) => {
  const included = include?.map(wildcard);
  const excluded = exclude.map(wildcard);
  return (kind: string, name: string): boolean => {
    const isIn = (tests: typeof excluded): boolean =>
      tests.some((test) => test(name) || test(`${kind}.${name}`));
    return (included === undefined || isIn(included)) && !isIn(excluded);
  };
};

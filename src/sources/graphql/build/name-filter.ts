/** Decides by `include` and `exclude` which operations become tools. */
import { wildcard } from '../../../kit/text/wildcard.ts';

export interface NameFilter {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

/** A pattern is a name, or `query.` or `mutation.` and a name. Exclusion wins. */
export const nameFilter = ({ include, exclude = [] }: NameFilter) => {
  const included = include?.map(wildcard);
  const excluded = exclude.map(wildcard);
  return (kind: string, name: string): boolean => {
    const isIn = (tests: typeof excluded): boolean =>
      tests.some((test) => test(name) || test(`${kind}.${name}`));
    return (included === undefined || isIn(included)) && !isIn(excluded);
  };
};

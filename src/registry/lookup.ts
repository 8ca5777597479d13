/** The reading half of the catalog: get, list, search, versions and dependencies. */
import type { Catalog, CatalogEntry, ToolFilter } from '../contract/catalog.ts';
import { ToolFailure } from '../contract/errors.ts';
import { resolveDependencies } from './dependencies.ts';
import { matcher } from './filter.ts';
import type { Search } from './search/search.ts';
import { suggest } from './search/suggest.ts';
import type { ToolFamilies } from './tool-families.ts';
import { type Family, highest, listVersions } from './versions.ts';

export type Lookup = Pick<
  Catalog,
  'get' | 'has' | 'list' | 'search' | 'suggest' | 'versions' | 'dependencies'
>;

export const createLookup = (families: ToolFamilies, search: Search): Lookup => ({
  get(name, version) {
    const family = families.find(name);
    const registered = version === undefined ? family?.active : family?.versions.get(version);
    return family && registered && families.entry(family, registered);
  },
  has: (name) => families.find(name) !== undefined,
  list: (filter) => listEntries(families, filter),
  search: (query) => search.find(query),
  suggest: (name) => suggest(name, families.usableNames()),
  versions(name) {
    const family = families.find(name);
    return family ? listVersions(family) : [];
  },
  dependencies(name) {
    const roots = name === undefined ? [...families.all()] : [familyOf(families, name)];
    return resolveDependencies(
      roots.map(({ active }) => active.tool),
      (needed) => families.find(needed)?.active.tool,
    );
  },
});

/** Finds the family of that name. Throws TOOL_NOT_FOUND with similar names. */
export const familyOf = (families: ToolFamilies, name: string): Family => {
  const family = families.find(name);
  if (family) return family;
  const near = suggest(name, families.usableNames());
  throw new ToolFailure('TOOL_NOT_FOUND', 'There is no tool of that name.', {
    suggestions: near.length > 0 ? [`Did you mean ${near.join(' or ')}?`] : [],
  });
};

/** Lists active versions; where a range excludes one, the highest version that fits instead. */
export const listEntries = (
  families: ToolFamilies,
  filter: ToolFilter = {},
): readonly CatalogEntry[] => {
  const fits = matcher(filter);
  const entries: CatalogEntry[] = [];
  for (const family of families.all()) {
    const active = families.entry(family);
    if (fits(active)) entries.push(active);
    else if (filter.range !== undefined && family.versions.size > 1) {
      const others = [...family.versions.values()].filter((one) =>
        fits(families.entry(family, one)),
      );
      const best = highest(others);
      if (best) entries.push(families.entry(family, best));
    }
  }
  return entries;
};

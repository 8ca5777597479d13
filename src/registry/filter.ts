/** Compiles a filter into one test over catalog entries. */
import type { CatalogEntry, ToolFilter } from '../contract/catalog.ts';
import { ToolFailure } from '../contract/errors.ts';
import { isRange, satisfier } from './versions.ts';

/** Compiles a filter. Throws VALIDATION_ERROR for an invalid version range. */
export const matcher = (filter: ToolFilter = {}): ((entry: CatalogEntry) => boolean) => {
  const { source, category, tier, tags, capabilities, enabled } = filter;
  const inRange = filter.range === undefined ? undefined : rangeTest(filter.range);
  return (entry) => {
    const { tool } = entry;
    return (
      (source === undefined || source.includes(tool.source)) &&
      (category === undefined || category.includes(tool.category)) &&
      (tier === undefined || tier.includes(tool.tier)) &&
      (enabled === undefined || entry.enabled === enabled) &&
      (tags === undefined || tags.every((tag) => tool.tags?.includes(tag) === true)) &&
      (capabilities === undefined ||
        tool.capabilities.some(({ action }) => capabilities.includes(action))) &&
      (inRange === undefined || inRange(tool.version))
    );
  };
};

const rangeTest = (range: string): ((version: string) => boolean) => {
  if (isRange(range)) return satisfier(range);
  throw new ToolFailure('VALIDATION_ERROR', 'The version range of the filter is not valid.', {
    suggestions: ['Write it like ">=1.2 <3" or "^2.0.0".'],
  });
};

/** The filter options that commands over many tools share. */
import type { Command } from 'commander';
import type { ToolFilter } from '../../../contract/catalog.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { CATEGORIES, SOURCES, TIERS } from '../../../contract/tool.ts';
import { collect } from '../../command-actions.ts';

export interface FilterOptions {
  readonly source?: readonly string[];
  readonly category?: readonly string[];
  readonly tier?: readonly string[];
  readonly tag?: readonly string[];
}

export const withFilters = (command: Command): Command =>
  command
    .option('--source <source>', `only tools from: ${SOURCES.join(', ')}`, collect)
    .option('--category <category>', `only of: ${CATEGORIES.join(', ')}`, collect)
    .option('--tier <tier>', `only of: ${TIERS.join(', ')}`, collect)
    .option('--tag <tag>', 'only tools with this tag; repeat it for all of several', collect);

/** The values given, once they are known to be among those allowed. */
const among = <T extends string>(
  option: string,
  given: readonly string[],
  allowed: readonly T[],
): readonly T[] =>
  given.map((value) => {
    const found = allowed.find((one) => one === value);
    if (found !== undefined) return found;
    throw new ToolFailure('VALIDATION_ERROR', `${option} does not know that value.`, {
      suggestions: [`Use one of: ${allowed.join(', ')}.`],
    });
  });

export const filterOf = ({ source, category, tier, tag }: FilterOptions): ToolFilter => ({
  ...(source && { source: among('--source', source, SOURCES) }),
  ...(category && { category: among('--category', category, CATEGORIES) }),
  ...(tier && { tier: among('--tier', tier, TIERS) }),
  ...(tag && { tags: tag }),
});

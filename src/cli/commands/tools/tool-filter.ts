/** The filter options that commands over many tools share. */
import type { Command } from 'commander';
import type { ToolFilter } from '../../../contract/catalog.ts';
import { CATEGORIES, SOURCES, TIERS } from '../../../contract/tool.ts';
import { collect } from '../../command-actions.ts';
import { misuse } from '../../input/misuse.ts';

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
    .option('--tag <tag>', 'only tools with this tag; repeat it to require several', collect);

/** Checks the values of an option. */
const allowedValues = <T extends string>(
  option: string,
  values: readonly string[],
  allowed: readonly T[],
): readonly T[] =>
  values.map((value) => {
    const match = allowed.find((one) => one === value);
    if (match !== undefined) return match;
    throw misuse(`${option} does not accept that value.`, `Use one of: ${allowed.join(', ')}.`);
  });

export const filterOf = ({ source, category, tier, tag }: FilterOptions): ToolFilter => ({
  ...(source && { source: allowedValues('--source', source, SOURCES) }),
  ...(category && { category: allowedValues('--category', category, CATEGORIES) }),
  ...(tier && { tier: allowedValues('--tier', tier, TIERS) }),
  ...(tag && { tags: tag }),
});

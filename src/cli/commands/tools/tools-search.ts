/** `toolcrib tools search`: ranked, typo-tolerant search over the catalog. */
import type { Command } from 'commander';
import { leaving, withExamples, withJson } from '../../command-parts.ts';
import { wholeNumber } from '../../input/whole-number.ts';
import { type Io, print, printJson, widthOf } from '../../io.ts';
import { table } from '../../output/table.ts';
import {
  badgeOf,
  firstSentence,
  markCell,
  tierCell,
  toolSummary,
} from '../../output/tool-summary.ts';
import { withCrib } from '../../session/open-crib.ts';
import { type FilterOptions, filterOf, withFilters } from './tool-filter.ts';

interface SearchOptions extends FilterOptions {
  readonly limit: number;
}

const searchTools = (io: Io, words: readonly string[], options: SearchOptions): Promise<number> =>
  withCrib(io, async ({ crib }) => {
    const text = words.join(' ');
    const hits = crib.tools.search({ text, limit: options.limit, filter: filterOf(options) });
    if (io.json) {
      printJson(io, {
        query: text,
        hits: hits.map(({ entry, score }) => ({ ...toolSummary(entry), score })),
      });
      return 0;
    }
    if (hits.length === 0) {
      print(io, 'No tool matches.', 'See them all: toolcrib tools');
      return 0;
    }
    const rows = hits.map(({ entry: { tool, enabled } }) => [
      markCell(enabled, io.ink),
      { text: tool.name, paint: io.ink.bold },
      { text: badgeOf(tool.source), paint: io.ink.cyan },
      tierCell(tool.tier, io.ink),
      { text: firstSentence(tool.description), paint: io.ink.dim },
    ]);
    print(io, ...table(rows, widthOf(io)));
    return 0;
  });

export const toolsSearchCommand = (tools: Command, io: Io): Command => {
  const command = withFilters(
    withJson(tools.command('search <words...>').description('search by what a tool does')),
  )
    .option('--limit <count>', 'show this many at most', wholeNumber('--limit', 1), 10)
    .action(
      leaving(io, (words: readonly string[], options: SearchOptions) =>
        searchTools(io, words, options),
      ),
    );
  return withExamples(
    command,
    'toolcrib tools search read a file',
    'toolcrib tools search calcualtor --limit 3 --json',
  );
};

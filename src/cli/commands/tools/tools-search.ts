/** `toolcrib tools search`: ranked, typo-tolerant search over the catalog. */
import type { Command } from 'commander';
import type { Catalog } from '../../../contract/catalog.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { wholeNumber } from '../../input/misuse.ts';
import { type Io, note, print, printJson, warn, widthOf } from '../../io.ts';
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

/** Lists matching tools in quarantine: the search leaves them out, and the page has to mention them. */
const heldMatches = (tools: Catalog, words: readonly string[]): readonly string[] => {
  const terms = words.flatMap((word) => word.toLowerCase().split(/\s+/)).filter(Boolean);
  return tools
    .list()
    .filter(({ tool, quarantine }) => {
      const text = `${tool.name} ${tool.description}`.toLowerCase();
      return quarantine !== undefined && terms.some((word) => text.includes(word));
    })
    .map(({ tool }) => tool.name);
};

const MAX_NAMED = 5;

const noteHeld = (io: Io, held: readonly string[]): void => {
  const [first] = held;
  if (first === undefined) return;
  const more = held.length > MAX_NAMED ? ` and ${held.length - MAX_NAMED} more` : '';
  const names = visibleText(`${held.slice(0, MAX_NAMED).join(', ')}${more}`);
  warn(io, `In quarantine and left out: ${names}`);
  note(
    io,
    `  ${io.noteInk.cyan('→')} Review and accept one: toolcrib tools accept ${visibleText(first)}`,
  );
};

const searchTools = (io: Io, words: readonly string[], options: SearchOptions): Promise<number> =>
  withCrib(io, async ({ crib }) => {
    const text = words.join(' ');
    const hits = crib.tools.search({ text, limit: options.limit, filter: filterOf(options) });
    const held = heldMatches(crib.tools, words);
    if (io.json) {
      printJson(io, {
        query: text,
        quarantined: held,
        hits: hits.map(({ entry, score }) => ({ ...toolSummary(entry), score })),
      });
      return 0;
    }
    if (hits.length === 0) {
      print(io, 'No tool matches.', 'See them all: toolcrib tools');
      noteHeld(io, held);
      return 0;
    }
    const rows = hits.map(({ entry: { tool, enabled } }) => [
      markCell(enabled, io.ink),
      { text: tool.name, paint: io.ink.bold, whole: true },
      { text: badgeOf(tool.source), paint: io.ink.cyan },
      tierCell(tool.tier, io.ink),
      { text: firstSentence(tool.description), paint: io.ink.dim },
    ]);
    print(io, ...table(rows, widthOf(io)));
    noteHeld(io, held);
    return 0;
  });

export const toolsSearchCommand = (tools: Command, io: Io): Command => {
  const command = withFilters(withJson(tools.command('search <words...>')))
    .option('--limit <count>', 'show at most this many', wholeNumber('--limit', 1), 10)
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

/** `toolcrib tools tokens`: how many prompt tokens each definition takes, as bars. */
import type { Command } from 'commander';
import type { TokenReport } from '../../../contract/catalog.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { SOURCES } from '../../../contract/tool.ts';
import { cutToWidth } from '../../../kit/text/text-width.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, print, printJson } from '../../io.ts';
import { bar, formatCount } from '../../output/format-units.ts';
import { badgeOf } from '../../output/tool-summary.ts';
import { withCrib } from '../../session/open-crib.ts';
import { type FilterOptions, filterOf, withFilters } from './tool-filter.ts';

interface TokensOptions extends FilterOptions {
  readonly price?: number;
  readonly all?: boolean;
}

const NAME_WIDTH = 32;
const MAX_BAR = 60;

const priceOf = (text: string): number => {
  const price = Number(text);
  if (text.trim() !== '' && Number.isFinite(price) && price >= 0) return price;
  throw new ToolFailure('VALIDATION_ERROR', '--price takes US dollars for a million tokens.');
};

/** Draws a line for each tool: name, bar, count. */
const barLines = (io: Io, { byTool }: TokenReport): readonly string[] => {
  const sorted = byTool.toSorted((a, b) => b.tokens - a.tokens || (a.tool < b.tool ? -1 : 1));
  const max = sorted[0]?.tokens ?? 0;
  const names = Math.min(NAME_WIDTH, Math.max(0, ...sorted.map(({ tool }) => tool.length)));
  const counts = formatCount(max).length;
  const room = (io.stdout.columns || 80) - names - counts - 3;
  const width = Math.min(MAX_BAR, Math.max(10, room));
  return sorted.map(({ tool, tokens }) => {
    const name = cutToWidth(visibleText(tool), names).padEnd(names);
    return `${name} ${io.ink.cyan(bar(tokens, max, width))} ${formatCount(tokens).padStart(counts)}`;
  });
};

const totalLines = (report: TokenReport, price: number | undefined): readonly string[] => {
  const cost =
    price === undefined ? '' : ` (~$${((report.total / 1e6) * price).toFixed(4)} a request)`;
  const sources = SOURCES.filter((source) => report.bySource[source] !== undefined);
  return [
    ...sources.map(
      (source) => `${badgeOf(source)} ${formatCount(report.bySource[source] ?? 0)} tokens`,
    ),
    `Total: ${formatCount(report.total)} tokens${cost}`,
  ];
};

const showTokens = (io: Io, options: TokensOptions): Promise<number> =>
  withCrib(io, async ({ crib }) => {
    const filter = { ...filterOf(options), ...(options.all !== true && { enabled: true }) };
    const report = await crib.tools.tokenReport(filter);
    if (io.json) printJson(io, report);
    else {
      const lines = barLines(io, report);
      print(io, 'Token Cost Breakdown:', '', ...lines, '', ...totalLines(report, options.price));
    }
    return 0;
  });

export const toolsTokensCommand = (tools: Command, io: Io): Command => {
  const command = withFilters(withJson(tools.command('tokens')))
    .option('--all', 'count disabled tools too')
    .option('--price <usd>', 'US dollars for a million input tokens, to show the cost', priceOf)
    .action(leaving(io, (options: TokensOptions) => showTokens(io, options)));
  return withExamples(
    command,
    'toolcrib tools tokens',
    'toolcrib tools tokens --category filesystem --price 3',
  );
};

/** `toolcrib tools list`: one line for each tool. Counts tokens only on request, because that takes time. */
import type { Command } from 'commander';
import type { Catalog, CatalogEntry } from '../../../contract/catalog.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, note, print, printJson, warn, widthOf } from '../../io.ts';
import { counted, formatCount } from '../../output/format-units.ts';
import { type Cell, table } from '../../output/table.ts';
import {
  badgeOf,
  firstSentence,
  markCell,
  tierCell,
  toolSummary,
} from '../../output/tool-summary.ts';
import { unknownSubcommand } from '../../program.ts';
import { type OpenCrib, withCrib } from '../../session/open-crib.ts';
import { type FilterOptions, filterOf, withFilters } from './tool-filter.ts';

interface ListOptions extends FilterOptions {
  readonly tokens?: boolean;
  readonly names?: boolean;
}

const USAGE = [
  '',
  'Usage:',
  '  toolcrib tools info <name>       show everything about a tool',
  '  toolcrib tools enable <name>     switch a tool on',
  '  toolcrib tools disable <name>    switch a tool off',
  '  toolcrib tools tokens            show what the definitions cost in prompt tokens',
  '  toolcrib tools health            check whether they would work now',
];

type Tokens = ReadonlyMap<string, number>;

const rowOf = (io: Io, entry: CatalogEntry, tokens: Tokens | undefined): readonly Cell[] => {
  const { tool, enabled, deprecated, quarantine } = entry;
  const count = tokens?.get(tool.name);
  return [
    markCell(enabled, io.ink),
    { text: tool.name, paint: enabled ? io.ink.bold : io.ink.dim, whole: true },
    { text: badgeOf(tool.source), paint: io.ink.cyan },
    tierCell(tool.tier, io.ink),
    ...(tokens ? [{ text: `~${formatCount(count ?? 0)} tokens`, align: 'right' as const }] : []),
    {
      text: `${quarantine ? `(in quarantine: ${quarantine.reason}) ` : ''}${deprecated ? '(deprecated) ' : ''}${firstSentence(tool.description)}`,
      paint: io.ink.dim,
    },
  ];
};

const noteLoads = (io: Io, tools: Catalog): void => {
  for (const { source, error, refused, renamed } of tools.loads) {
    const lines = [
      ...(error === undefined ? [] : [`could not be loaded: ${error}`]),
      ...refused.map(({ tool, reason }) => `${tool} was refused: ${reason}`),
      ...renamed.map(({ from, to }) => `${from} is called ${to} here, its name was taken`),
    ];
    for (const line of lines) warn(io, visibleText(`${source}: ${line}`));
  }
};

const tokensOf = async (
  io: Io,
  { crib, loaded }: OpenCrib,
  options: ListOptions,
): Promise<Tokens | undefined> => {
  if (options.tokens !== true) return undefined;
  if (!loaded.config.tools.showTokenCosts) {
    note(io, 'Token costs are switched off: tools.showTokenCosts.');
    return undefined;
  }
  const { byTool } = await crib.tools.tokenReport(filterOf(options));
  return new Map(byTool.map(({ tool, tokens }) => [tool, tokens]));
};

const listTools = async (io: Io, open: OpenCrib, options: ListOptions): Promise<number> => {
  const entries = open.crib.tools.list(filterOf(options));
  if (options.names === true) {
    for (const { tool } of entries) print(io, tool.name);
    return 0;
  }
  const tokens = await tokensOf(io, open, options);
  if (io.json) {
    const tools = entries.map((entry) => ({
      ...toolSummary(entry),
      ...(tokens && { tokens: tokens.get(entry.tool.name) ?? 0 }),
    }));
    printJson(io, { tools, loads: open.crib.tools.loads });
    return 0;
  }
  print(io, 'Available Tools:', '');
  print(
    io,
    ...table(
      entries.map((entry) => rowOf(io, entry, tokens)),
      widthOf(io),
    ),
  );
  const on = entries.filter(({ enabled }) => enabled);
  print(io, '', `${counted(entries.length, 'tool')}, ${on.length} enabled`);
  if (tokens) {
    const total = on.reduce((sum, { tool }) => sum + (tokens.get(tool.name) ?? 0), 0);
    print(io, `Total system prompt cost: ~${formatCount(total)} tokens`);
  }
  print(io, ...USAGE);
  noteLoads(io, open.crib.tools);
  return 0;
};

export const toolsListCommand = (tools: Command, io: Io): Command => {
  const command = withFilters(withJson(tools.command('list', { isDefault: true })))
    .allowExcessArguments()
    .option('--tokens', 'count the prompt tokens of each definition (takes a moment)')
    .option('--names', 'print the names only, one a line')
    .action(
      leaving(io, (options: ListOptions, { args: [word] }: Command) =>
        withCrib(
          io,
          async (open) => {
            if (word !== undefined) {
              const isTool = open.crib.tools.has(word);
              const hints = isTool ? [`To see that tool: toolcrib tools info ${word}`] : [];
              throw await unknownSubcommand(tools, word, hints);
            }
            return listTools(io, open, options);
          },
          // Shells complete names while a person types, so nothing may wait for a server.
          { startServers: options.names !== true },
        ),
      ),
    );
  return withExamples(
    command,
    'toolcrib tools',
    'toolcrib tools --tier read_only --tokens',
    'toolcrib tools list --category filesystem --json',
  );
};

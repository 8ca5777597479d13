/** The pages of `/help` and `/tools`. */
import type { CatalogEntry } from '../../contract/catalog.ts';
import { cutToWidth } from '../../kit/text/text-width.ts';
import { visibleText } from '../../kit/text/visible-text.ts';
import { type Io, print, printJson, widthOf } from '../io.ts';
import { table } from '../output/table.ts';
import { badgeOf } from '../output/tool-summary.ts';
import type { CommandEntry } from '../program.ts';
import type { OpenCrib } from '../session/open-crib.ts';
import { OWN_COMMANDS, usableCommands } from './shell-commands.ts';

interface HelpDeps {
  readonly commands: readonly CommandEntry[];
  /** The name of the configured model. */
  readonly model: string | undefined;
}

/** Prints `/help`: what can be typed here. */
export const printHelp = (io: Io, { commands, model }: HelpDeps): void => {
  const all = [...usableCommands(commands), ...OWN_COMMANDS];
  if (io.json) {
    const entries = all.map(({ name, summary }) => ({ name: `/${name}`, summary }));
    printJson(io, { commands: entries, model: model ?? null });
    return;
  }
  const rows = all.map(({ name, summary }) => [
    { text: `  /${name}`, paint: io.ink.bold },
    summary,
  ]);
  print(
    io,
    'Call a tool:',
    "  calculator expression='sqrt(16)+2^3'",
    '  read_file {"path": "notes.txt"}',
    '  Options: --dry-run, --yes, --quiet, --json, --timeout <ms>, --input <file>',
    '',
    model === undefined
      ? 'Chat: no model is configured. Add a `model` section to your configuration to chat with one.'
      : `Chat: anything else goes to ${model}, which may use the tools.`,
    '',
    'Commands:',
    ...table(rows, widthOf(io)),
    '',
    'A line continues after \\ at its end, an open quote or an open bracket. Tab completes names.',
    'Ctrl-C cancels what runs; press it twice to leave. A leading space keeps a line out of the history.',
  );
};

const NAME_WIDTH = 24;
const BADGE_WIDTH = 12;
/** The width of the mark, the blanks and the count of tokens. */
const BESIDE = 2 + 1 + BADGE_WIDTH + 1 + 13;

const USAGE = [
  '',
  'Usage:',
  '  /tools enable <name>   - Enable a tool',
  '  /tools disable <name>  - Disable a tool',
  '  /tools info <name>     - Show tool details',
  '  /tools tokens          - Show token breakdown',
];

type Tokens = ReadonlyMap<string, number>;

const countTokens = async ({ crib, loaded }: OpenCrib): Promise<Tokens | undefined> => {
  if (!loaded.config.tools.showTokenCosts) return undefined;
  const { byTool } = await crib.tools.tokenReport();
  return new Map(byTool.map(({ tool, tokens }) => [tool, tokens]));
};

const lineOf = (
  io: Io,
  { tool, enabled }: CatalogEntry,
  { tokens, width }: { readonly tokens: Tokens | undefined; readonly width: number },
): string => {
  const mark = enabled ? io.ink.green('✓') : io.ink.red('✗');
  const name = cutToWidth(visibleText(tool.name), width).padEnd(width);
  const badge = io.ink.cyan(badgeOf(tool.source).padEnd(BADGE_WIDTH));
  const cost = tokens ? `~${tokens.get(tool.name) ?? 0} tokens` : '';
  return `${mark} ${enabled ? name : io.ink.dim(name)} ${badge} ${cost}`.trimEnd();
};

/** Prints `/tools`: every tool, with its prompt tokens. */
export const printToolsPage = async (io: Io, open: OpenCrib): Promise<void> => {
  const entries = open.crib.tools.list();
  const tokens = await countTokens(open);
  const nameWidth = Math.max(NAME_WIDTH, ...entries.map(({ tool }) => tool.name.length));
  const width = Math.max(10, Math.min(nameWidth, widthOf(io) - BESIDE));
  print(io, 'Available Tools:', '');
  print(io, ...entries.map((entry) => lineOf(io, entry, { tokens, width })));
  if (tokens) {
    const total = entries
      .filter(({ enabled }) => enabled)
      .reduce((sum, { tool }) => sum + (tokens.get(tool.name) ?? 0), 0);
    print(io, '', `Total system prompt cost: ~${total} tokens`);
  }
  print(io, ...USAGE);
};

/** `/help`: what can be typed here. */
import type { CommandEntry } from '../command-entry.ts';
import { type Io, print, printJson, widthOf } from '../io.ts';
import { table } from '../output/table.ts';
import { OWN_COMMANDS, usableCommands } from './shell-commands.ts';

export interface HelpFacts {
  readonly commands: readonly CommandEntry[];
  /** The name of the configured model. */
  readonly model: string | undefined;
}

export const printHelp = (io: Io, { commands, model }: HelpFacts): void => {
  const all = [...usableCommands(commands), ...OWN_COMMANDS];
  if (io.json) {
    const named = all.map(({ name, summary }) => ({ name: `/${name}`, summary }));
    printJson(io, { commands: named, model: model ?? null });
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
      ? 'Talk: no model is configured. Add a `model` section to your configuration to talk to one.'
      : `Talk: anything else goes to ${model}, which may use the tools.`,
    '',
    'Commands:',
    ...table(rows, widthOf(io)),
    '',
    'A line goes on after \\ at its end, an open quote or an open bracket. Tab completes names.',
    'Ctrl-C cancels what runs, twice leaves. A blank in front keeps a line out of the history.',
  );
};

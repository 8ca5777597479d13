/** The commands of the shell: those of the command line that make sense inside, and a few of its own. */
import type { CommandEntry } from '../program.ts';

const FROM_THE_COMMAND_LINE: ReadonlySet<string> = new Set([
  'tools',
  'approvals',
  'permissions',
  'policy',
  'usage',
  'audit',
  'secrets',
  'servers',
  'undo',
  'trust',
  'doctor',
]);

export interface OwnCommand {
  readonly name: string;
  readonly summary: string;
}

export const OWN_COMMANDS: readonly OwnCommand[] = [
  { name: 'help', summary: 'this page' },
  { name: 'clear', summary: 'clear the screen and forget the conversation' },
  { name: 'quit', summary: 'leave; so does Ctrl-D' },
];

export const usableCommands = (commands: readonly CommandEntry[]): readonly CommandEntry[] =>
  commands.filter(({ name }) => FROM_THE_COMMAND_LINE.has(name));

/** For completion: each command with its subcommands. */
export const commandNames = (
  commands: readonly CommandEntry[],
): ReadonlyMap<string, readonly string[]> => {
  const names = new Map<string, readonly string[]>();
  for (const entry of usableCommands(commands)) {
    names.set(entry.name, 'commands' in entry ? entry.commands.map(({ name }) => name) : []);
  }
  for (const { name } of OWN_COMMANDS) names.set(name, []);
  return names;
};

/** After these the tools, or what may be done with them, are others than before. */
const CHANGING: ReadonlySet<string> = new Set([
  ...['tools new', 'tools accept', 'tools lock', 'trust'],
  ...['servers add', 'servers remove', 'servers enable', 'servers disable', 'servers import'],
  ...['servers login', 'servers logout', 'secrets set', 'secrets remove'],
]);

export const changesTools = ([name = '', sub = '']: readonly string[]): boolean =>
  CHANGING.has(name) || CHANGING.has(`${name} ${sub}`);

/**
 * These go by what is open and change nothing it was opened with. Any other has a crib of its own: it
 * reads files anew, or writes them and must know them as they are.
 */
const SHARING: ReadonlySet<string> = new Set([
  ...['tools', 'tools list', 'tools info', 'tools search', 'tools tokens', 'tools health'],
  ...['policy explain', 'policy shadow'],
  ...['servers', 'servers list', 'servers test', 'servers logs', 'servers restart'],
]);

/** All that stands behind these shares as well. */
const SHARING_WHOLE: ReadonlySet<string> = new Set([
  ...['approvals', 'permissions', 'usage', 'audit', 'undo'],
]);

export const sharesCrib = ([name = '', sub = '-']: readonly string[]): boolean =>
  SHARING_WHOLE.has(name) || SHARING.has(sub.startsWith('-') ? name : `${name} ${sub}`);

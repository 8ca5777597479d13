/** The commands of the shell: those of the command line that are useful inside, and a few of its own. */
import type { CommandEntry } from '../program.ts';

const SHARED_COMMANDS: ReadonlySet<string> = new Set([
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

interface OwnCommand {
  readonly name: string;
  readonly summary: string;
}

export const OWN_COMMANDS: readonly OwnCommand[] = [
  { name: 'help', summary: 'show this page' },
  { name: 'clear', summary: 'clear the screen and forget the conversation' },
  { name: 'quit', summary: 'leave the shell; so does Ctrl-D' },
];

export const usableCommands = (commands: readonly CommandEntry[]): readonly CommandEntry[] =>
  commands.filter(({ name }) => SHARED_COMMANDS.has(name));

/** Lists each command with its subcommands, for completion. */
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

/** Commands after which the crib is reopened: they change tools, or what tools may do. */
const CHANGING: ReadonlySet<string> = new Set([
  ...['tools new', 'tools accept', 'tools lock', 'trust'],
  ...['servers add', 'servers remove', 'servers enable', 'servers disable', 'servers import'],
  ...['servers login', 'servers logout', 'secrets set', 'secrets remove'],
]);

export const changesTools = ([name = '', sub = '']: readonly string[]): boolean =>
  CHANGING.has(name) || CHANGING.has(`${name} ${sub}`);

/**
 * Commands that use the open crib of the shell: they change nothing that it was opened with. The others
 * open their own crib, because they read or write files.
 */
const SHARING: ReadonlySet<string> = new Set([
  ...['tools', 'tools list', 'tools info', 'tools search', 'tools tokens', 'tools health'],
  ...['policy explain', 'policy shadow'],
  ...['servers', 'servers list', 'servers test', 'servers logs', 'servers restart'],
]);

/** Commands that use the open crib with all their subcommands. */
const SHARING_WHOLE: ReadonlySet<string> = new Set([
  'approvals',
  'permissions',
  'usage',
  'audit',
  'undo',
]);

export const sharesCrib = ([name = '', sub = '-']: readonly string[]): boolean =>
  SHARING_WHOLE.has(name) || SHARING.has(sub.startsWith('-') ? name : `${name} ${sub}`);

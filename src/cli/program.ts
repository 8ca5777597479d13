/** Builds the commander program: loads the command that is used, and lists the others by name only. */
import { Command } from 'commander';
import type { ToolFailure } from '../contract/errors.ts';
import { withExamples } from './command-actions.ts';
import { misuse } from './input/misuse.ts';
import type { Io } from './io.ts';

/** Creates the program without its commands. It writes to the streams of `io` and throws instead of exiting. */
export const bareProgram = (io: Io): Command =>
  new Command('toolcrib')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: () => undefined,
      getOutHelpWidth: () => io.stdout.columns || 80,
      getOutHasColors: () => io.ink.isColorSupported,
      outputError: () => undefined,
    });

/** Makes the error for an unknown subcommand: commander passes the word to the default command of the group. */
export const unknownSubcommand = async (
  group: Command,
  word: string,
  hints: readonly string[] = [],
): Promise<ToolFailure> => {
  const { closest, distance } = await import('fastest-levenshtein');
  const names = group.commands.map((command) => command.name());
  const close = closest(word, names);
  return misuse(
    `${group.name()} has no such subcommand.`,
    ...hints,
    ...(distance(word, close) <= 2 ? [`Did you mean ${close}?`] : []),
    `Subcommands: ${names.join(', ')}.`,
  );
};

/** Makes the default command of a group refuse arguments: it takes none. */
const refuseWords = (command: Command, group: Command): Command =>
  command.allowExcessArguments().hook('preAction', async (_, { args: [word] }) => {
    if (word !== undefined) throw await unknownSubcommand(group, word);
  });

/** Adds the command to its parent. `commands` is the whole table, for `completion`. */
export type Register = (parent: Command, io: Io, commands: readonly CommandEntry[]) => Command;

interface LoadedEntry {
  readonly name: string;
  readonly summary: string;
  /** Other words for it. */
  readonly aliases?: readonly string[];
  /** Runs when no subcommand of its group is named. */
  readonly isDefault?: boolean;
  /** True when the command handles unknown words itself. */
  readonly judgesWords?: boolean;
  load(): Promise<Register>;
}

export interface GroupEntry {
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly string[];
  readonly commands: readonly LoadedEntry[];
}

export type CommandEntry = LoadedEntry | GroupEntry;

interface CommandChoice {
  readonly commands: readonly CommandEntry[];
  /** The command line; without it every command is loaded. */
  readonly args: readonly string[] | undefined;
}

const isWord = (arg: string): boolean => !arg.startsWith('-');

/** Loads a command. It is described by its summary, unless it has a longer description. */
const loadCommand = async (
  parent: Command,
  io: Io,
  { entry, all }: { entry: LoadedEntry; all: CommandChoice },
): Promise<Command> => {
  const command = (await entry.load())(parent, io, all.commands);
  command.aliases([...command.aliases(), ...(entry.aliases ?? [])]);
  return command.description() === '' ? command.description(entry.summary) : command;
};

const addGroup = async (
  group: Command,
  io: Io,
  { entries, all }: { entries: readonly LoadedEntry[]; all: CommandChoice },
): Promise<void> => {
  const word = all.args?.filter(isWord)[1];
  const named = entries.find(
    ({ name, aliases = [] }) => word !== undefined && [name, ...aliases].includes(word),
  );
  for (const entry of entries) {
    const used = all.args === undefined || (named ? entry === named : entry.isDefault === true);
    if (used) {
      const command = await loadCommand(group, io, { entry, all });
      if (entry.isDefault === true && !entry.judgesWords) refuseWords(command, group);
    } else group.command(entry.name).description(entry.summary);
  }
};

export const addCommands = async (program: Command, io: Io, all: CommandChoice): Promise<void> => {
  const word = all.args?.find(isWord);
  for (const entry of all.commands) {
    const used = all.args === undefined || entry.name === word;
    if (used && 'load' in entry) {
      await loadCommand(program, io, { entry, all });
      continue;
    }
    const command = program.command(entry.name).description(entry.summary);
    if (used && 'commands' in entry) {
      withExamples(command.helpCommand(false), ...entry.examples);
      await addGroup(command, io, { entries: entry.commands, all });
    }
  }
};

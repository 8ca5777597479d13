/** Puts the commands into the program: the one that is used in full, the others by name only. */
import type { Command } from 'commander';
import { withExamples } from './command-actions.ts';
import type { CommandEntry, LoadedEntry } from './command-entry.ts';
import type { Io } from './io.ts';
import { refuseWords } from './unknown-subcommand.ts';

export interface Wanted {
  readonly commands: readonly CommandEntry[];
  /** What was typed; without it every command is loaded. */
  readonly args: readonly string[] | undefined;
}

const isWord = (arg: string): boolean => !arg.startsWith('-');

const addGroup = async (
  group: Command,
  io: Io,
  wanted: { entries: readonly LoadedEntry[]; all: Wanted },
): Promise<void> => {
  const { entries, all } = wanted;
  const word = all.args?.filter(isWord)[1];
  const named = entries.find(({ name }) => name === word);
  for (const entry of entries) {
    const used = all.args === undefined || (named ? entry === named : entry.isDefault === true);
    if (used) {
      const command = (await entry.load())(group, io, all.commands);
      if (entry.isDefault === true && !entry.judgesWords) refuseWords(command, group);
    } else group.command(entry.name).description(entry.summary);
  }
};

export const addCommands = async (program: Command, io: Io, all: Wanted): Promise<void> => {
  const word = all.args?.find(isWord);
  for (const entry of all.commands) {
    const used = all.args === undefined || entry.name === word;
    if (used && 'load' in entry) {
      (await entry.load())(program, io, all.commands);
      continue;
    }
    const command = program.command(entry.name).description(entry.summary);
    if (used && 'commands' in entry) {
      withExamples(command.helpCommand(false), ...entry.examples);
      await addGroup(command, io, { entries: entry.commands, all });
    }
  }
};

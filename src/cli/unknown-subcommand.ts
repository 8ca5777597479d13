/** A word that is no subcommand lands at what its group does by itself; this says so. */
import type { Command } from 'commander';
import { ToolFailure } from '../contract/errors.ts';

export const unknownSubcommand = async (
  group: Command,
  word: string,
  hints: readonly string[] = [],
): Promise<ToolFailure> => {
  const { closest, distance } = await import('fastest-levenshtein');
  const names = group.commands.map((command) => command.name());
  const close = closest(word, names);
  return new ToolFailure('VALIDATION_ERROR', `${group.name()} has no such subcommand.`, {
    suggestions: [
      ...hints,
      ...(distance(word, close) <= 2 ? [`Did you mean ${close}?`] : []),
      `Subcommands: ${names.join(', ')}.`,
    ],
  });
};

/** For the command that a group runs by itself, and that takes no words. */
export const refuseWords = (command: Command, group: Command): Command =>
  command.allowExcessArguments().hook('preAction', async (_, { args: [word] }) => {
    if (word !== undefined) throw await unknownSubcommand(group, word);
  });

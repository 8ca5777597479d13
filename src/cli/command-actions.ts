/** What all commands share: the `--json` option, examples below the help, and how an action ends. */
import type { Command } from 'commander';
import type { Io } from './io.ts';

export const withJson = (command: Command): Command =>
  command.option('--json', 'print one JSON document and nothing else');

export const withExamples = (command: Command, ...examples: readonly string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`);

/** Makes a commander action of a function that answers with the exit code. */
export const leaving =
  <A extends readonly unknown[]>(io: Io, action: (...args: A) => Promise<number>) =>
  async (...args: A): Promise<void> => {
    io.exitCode = await action(...args);
  };

/** Collects the values of a repeated option as they are: file names may hold commas. */
export const collectEach = (value: string, previous: readonly string[] = []): readonly string[] => [
  ...previous,
  value,
];

/** Collects the values of an option that can be repeated or hold several between commas. */
export const collect = (value: string, previous: readonly string[] = []): readonly string[] => [
  ...previous,
  ...value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
];

/** What all commands share: the `--json` option, examples below the help, and how an action ends. */
import type { Command } from 'commander';
import type { Io } from './io.ts';

export const withJson = (command: Command): Command =>
  command.option('--json', 'print one JSON document and nothing else');

export const withExamples = (command: Command, ...examples: readonly string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`);

/** A commander action whose answer is the exit code. */
export const leaving =
  <A extends readonly unknown[]>(io: Io, action: (...args: A) => Promise<number>) =>
  async (...args: A): Promise<void> => {
    io.exitCode = await action(...args);
  };

/** For options that can be repeated or hold several values between commas. */
export const collect = (value: string, previous: readonly string[] = []): readonly string[] => [
  ...previous,
  ...value.split(',').filter((part) => part !== ''),
];

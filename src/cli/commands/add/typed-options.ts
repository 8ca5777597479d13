/** The options that were typed with a command, to print the command that runs without `--dry-run`. */
import type { Command } from 'commander';
import { shellQuote } from '../../output/format-units.ts';

/** Options that the printed command does not repeat. */
const LEFT_OUT: ReadonlySet<string> = new Set(['dryRun', 'json']);

/** Returns the words, quoted for a shell, in the order of the help. */
export const typedOptions = (command: Command): readonly string[] =>
  command.options.flatMap((option) => {
    const key = option.attributeName();
    if (LEFT_OUT.has(key) || command.getOptionValueSource(key) !== 'cli') return [];
    const flag = option.long ?? option.flags;
    const value: unknown = command.getOptionValue(key);
    if (typeof value === 'boolean') return value === option.negate ? [] : [flag];
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.flatMap((one) => [flag, shellQuote(String(one))]);
  });

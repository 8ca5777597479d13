/** Builds the command `toolcrib add <kind>` from the description of a kind. */
import type { Command } from 'commander';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import type { Io } from '../../io.ts';
import type { Register } from '../../program.ts';
import type { AddInstaller, AddKind } from './add-kind.ts';
import { type AddArguments, addSource } from './add-source.ts';
import { typedOptions } from './typed-options.ts';

/** Adds the options that all kinds have. */
export const withAddOptions = (command: Command): Command =>
  withJson(command)
    .option('--name <name>', 'the name it gets here; by default one made of the address')
    .option('--dry-run', 'only show what it would add; nothing is written')
    .option('--project', 'add it to the configuration of this project instead of your own')
    .option('--replace', 'replace a source of this name')
    .option('--no-accept', 'ask nothing about its tools');

/**
 * Adds the source at an address: an installer installs it, every other kind is written into the
 * configuration.
 */
export const addOfKind = (
  io: Io,
  kind: AddKind | AddInstaller,
  args: AddArguments,
): Promise<number> =>
  'install' in kind
    ? kind.install(io, { source: args.address, options: args.options })
    : addSource(io, kind, args);

/**
 * Adds the options of a kind. An installer keeps its own record, so it gets none of the options for
 * configured sources.
 */
const withOptionsOf = (kind: AddKind | AddInstaller, command: Command): Command =>
  'install' in kind
    ? kind.options(
        withJson(command).option('--dry-run', 'only show what it would add; nothing is written'),
      )
    : kind.options(withAddOptions(command));

export const addCommandOf =
  (kind: AddKind | AddInstaller): Register =>
  (add: Command, io: Io): Command => {
    const command = add
      .command(kind.kind)
      .description(kind.summary)
      .argument('<address>', kind.address)
      .action(
        leaving(io, (address: string, options: AddArguments['options'], self: Command) =>
          addOfKind(io, kind, { address, options, typed: typedOptions(self) }),
        ),
      );
    return withExamples(withOptionsOf(kind, command), ...kind.examples);
  };

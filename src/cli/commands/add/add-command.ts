/** Makes the command `toolcrib add <kind>` of what a kind says of itself. */
import type { Command } from 'commander';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import type { Io } from '../../io.ts';
import type { Register } from '../../program.ts';
import type { AddInstaller, AddKind } from './add-kind.ts';
import { type AddWish, addSource } from './add-source.ts';
import { typedOptions } from './typed-options.ts';

/** Adds the options that all kinds have. */
export const withAddOptions = (command: Command): Command =>
  withJson(command)
    .option('--name <name>', 'the name it gets here; by default one made of the address')
    .option('--dry-run', 'only show what it would add; nothing is written')
    .option('--project', 'add it to the configuration of this project instead of your own')
    .option('--replace', 'replace a source of this name')
    .option('--no-accept', 'ask nothing about its tools');

/** Adds what is at an address, in the way of its kind. */
export const addOfKind = (io: Io, kind: AddKind | AddInstaller, wish: AddWish): Promise<number> =>
  'install' in kind
    ? kind.install(io, { source: wish.address, options: wish.options })
    : addSource(io, kind, wish);

/** An installer has a record of its own: what is said of sources of the configuration is not for it. */
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
        leaving(io, (address: string, options: AddWish['options'], self: Command) =>
          addOfKind(io, kind, { address, options, typed: typedOptions(self) }),
        ),
      );
    return withExamples(withOptionsOf(kind, command), ...kind.examples);
  };

/** Describes a kind of source to `toolcrib add`. */
import type { Command } from 'commander';
import type { Io } from '../../io.ts';

/** Where a source is written in the configuration, and with which settings. */
export interface NewSource {
  /** The name the user chose, or one made from the address. */
  readonly name: string;
  /** As `sources.<kind>.<name>` takes them. Secrets are references: `${secret:KEY}` or a key. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Keys of secrets that the settings refer to and that may still have to be set. */
  readonly secrets: readonly string[];
}

export interface AddRequest<O> {
  readonly io: Io;
  /** What the user typed: an address, a path. */
  readonly address: string;
  /** From `--name`. */
  readonly name: string | undefined;
  readonly options: O;
}

export interface AddKind<O = Readonly<Record<string, unknown>>> {
  /** The word on the command line, and the key below `sources`. */
  readonly kind: string;
  readonly summary: string;
  /** What the address is, for the help. */
  readonly address: string;
  readonly examples: readonly string[];
  /** Tells from the text alone whether an address is of this kind; false when in doubt. */
  recognises(address: string): boolean;
  /** Adds the options that only this kind has. */
  options(command: Command): Command;
  /** Makes the settings. Throws a misuse that says what to type. */
  source(request: AddRequest<O>): Promise<NewSource>;
}

/** A kind that keeps its own record instead of a section of the configuration: packages, a team. */
export interface AddInstaller
  extends Pick<AddKind, 'kind' | 'summary' | 'address' | 'examples' | 'recognises'> {
  /** Adds the options that it has besides `--json` and `--dry-run`. */
  options(command: Command): Command;
  /** Installs it and returns the exit code; with `dryRun` only shows what it would add. */
  install(
    io: Io,
    request: { readonly source: string; readonly options: Readonly<Record<string, unknown>> },
  ): Promise<number>;
}

/** A command as the program knows it before its file is loaded. */
import type { Command } from 'commander';
import type { Io } from './io.ts';

/** Adds the command to its parent. The last argument is all there are, for `completion`. */
export type Register = (parent: Command, io: Io, commands: readonly CommandEntry[]) => Command;

export interface LoadedEntry {
  readonly name: string;
  readonly summary: string;
  /** What its group does when no subcommand is named. */
  readonly isDefault?: boolean;
  /** Has more to say about a word that is no subcommand than its group has. */
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

/** Every command with its one-line summary. The file of a command is loaded when it is used. */
import type { Command } from 'commander';
import type { Io } from './io.ts';

/** Adds the command to the program. */
export type Register = (program: Command, io: Io) => Command;

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<Register>;
}

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'init',
    summary: 'set up a project: .toolcrib/config.yml',
    load: async () => (await import('./commands/init.ts')).initCommand,
  },
  {
    name: 'run',
    summary: 'call a tool',
    load: async () => (await import('./commands/run.ts')).runCommand,
  },
  {
    name: 'tools',
    summary: 'list, search, inspect and switch tools',
    load: async () => (await import('./commands/tools.ts')).toolsCommand,
  },
  {
    name: 'audit',
    summary: 'read and verify the record of every call',
    load: async () => (await import('./commands/audit.ts')).auditCommand,
  },
  {
    name: 'undo',
    summary: 'restore the files a call changed',
    load: async () => (await import('./commands/undo.ts')).undoCommand,
  },
  {
    name: 'doctor',
    summary: 'check this machine and project, and say how to fix what is wrong',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  {
    name: 'completion',
    summary: 'print a completion script for bash, zsh or fish',
    load: async () => (await import('./commands/completion.ts')).completionCommand,
  },
];

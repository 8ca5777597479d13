/** The program without its commands: it writes where it is told to, and throws instead of leaving. */
import { Command } from 'commander';
import type { Io } from './io.ts';

export const bareProgram = (io: Io): Command =>
  new Command('toolcrib')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: () => undefined,
      getOutHelpWidth: () => io.stdout.columns || 80,
      getOutHasColors: () => io.ink.isColorSupported,
      outputError: () => undefined,
    });

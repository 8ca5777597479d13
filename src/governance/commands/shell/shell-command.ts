/** The parts of a shell string: its simple commands and the files it opens for them. */
import type { Token } from '../token.ts';

export interface SetVariable {
  readonly name: string;
  readonly value: readonly Token[];
}

export interface ShellCommand {
  readonly type: 'command';
  /** All possible values of each word; the first word is the program. */
  readonly words: readonly (readonly Token[])[];
  /** Variables set for this command alone. */
  readonly environment: readonly SetVariable[];
}

export interface ShellRedirect {
  readonly type: 'redirect';
  readonly access: 'read' | 'write';
  readonly target: readonly Token[];
}

export type ShellStep = ShellCommand | ShellRedirect;

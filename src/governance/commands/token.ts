/**
 * The words of a command and what is known about them before it runs; the steps of a shell string.
 */

export interface Token {
  /** Its value when static, its source text otherwise. */
  readonly text: string;
  /**
   * `static`: known. `dynamic`: one word of unknown value. `glob`: any number of file names.
   * `stream`: the path of a process substitution that is read.
   */
  readonly kind: 'static' | 'dynamic' | 'glob' | 'stream';
  /** What the value is known to start with. */
  readonly head: string;
}

export const staticToken = (text: string): Token => ({ text, kind: 'static', head: text });

/** Tells whether no program can take the word for an option. */
export const isSurelyOperand = ({ head, kind }: Token): boolean =>
  kind === 'static' ? !head.startsWith('-') || head === '-' : head !== '' && head[0] !== '-';

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

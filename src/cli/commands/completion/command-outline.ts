/** A command as completion scripts need to know it. */

export interface OptionOutline {
  readonly long: string;
  readonly short: string;
  readonly description: string;
  readonly takesValue: boolean;
}

export interface CommandOutline {
  readonly name: string;
  /** With the names of the commands above it: `tools info`. */
  readonly path: string;
  readonly summary: string;
  readonly options: readonly OptionOutline[];
  /** Its first argument is the name of a tool. */
  readonly takesTool: boolean;
  /** Fixed values of its argument. */
  readonly words: readonly string[];
  readonly commands: readonly CommandOutline[];
}

/** The command that gives the names of tools, one a line. */
export const TOOL_NAMES = 'toolcrib tools list --names 2>/dev/null';

/** The commands and all below them. */
export const flatten = (commands: readonly CommandOutline[]): readonly CommandOutline[] =>
  commands.flatMap((command) => [command, ...flatten(command.commands)]);

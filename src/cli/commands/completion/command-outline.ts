/** A command as completion scripts need to know it. */

export interface OptionOutline {
  readonly long: string;
  readonly short: string;
  readonly description: string;
  readonly takesValue: boolean;
  /** The values it can have, where they are fixed. */
  readonly choices: readonly string[];
}

export interface CommandOutline {
  readonly name: string;
  /** With the names of the commands above it: `tools info`. */
  readonly path: string;
  readonly summary: string;
  readonly options: readonly OptionOutline[];
  /** The command that prints the possible first arguments, one a line; empty when there is none. */
  readonly names: string;
  /** Fixed values of its argument. */
  readonly words: readonly string[];
  readonly commands: readonly CommandOutline[];
}

/** The command that prints the names of tools, one a line. */
const TOOL_NAMES = 'toolcrib tools list --names 2>/dev/null';

const ids = (kind: IdKind): string => `toolcrib completion ids ${kind} 2>/dev/null`;

/** The kinds of ids that can be completed besides tools. */
export const ID_KINDS = [
  'approvals',
  'executions',
  'permissions',
  'secrets',
  'servers',
  'tokens',
] as const;
export type IdKind = (typeof ID_KINDS)[number];

const NAMES: readonly (readonly [RegExp, string])[] = [
  [
    /^(run|policy explain|tools (info|enable|disable|accept|health)|health (show|check|schedule))$/,
    TOOL_NAMES,
  ],
  [/^approvals (show|approve|deny|link)$/, ids('approvals')],
  [/^(undo|audit show)$/, ids('executions')],
  [/^permissions revoke$/, ids('permissions')],
  [/^secrets remove$/, ids('secrets')],
  [/^servers (remove|enable|disable|test|logs|restart|login|logout)$/, ids('servers')],
  [/^tokens revoke$/, ids('tokens')],
];

/** Finds the command that prints the possible first arguments of a command. */
export const namesFor = (path: string): string =>
  NAMES.find(([pattern]) => pattern.test(path))?.[1] ?? '';

/** Lists the commands and all their subcommands. */
export const flatten = (commands: readonly CommandOutline[]): readonly CommandOutline[] =>
  commands.flatMap((command) => [command, ...flatten(command.commands)]);

/** The format of the rules of programs: which options, which operands. */

/**
 * The kind of a value. `any`: harmless, whether its value is known or not. `text`: harmless unless
 * it is an option. `fixed`: known text. `read` and `write`: a path. The others are checked by name.
 */
export type ValueKind =
  | 'any'
  | 'text'
  | 'fixed'
  | 'read'
  | 'write'
  | 'number'
  | 'word'
  | 'revision'
  | 'remote'
  | 'refspec'
  | 'empty'
  | 'fields'
  | 'mode'
  | 'url'
  | 'header'
  | 'format'
  | 'stamp'
  | 'filter'
  | 'package'
  | 'dependencies'
  | 'archive'
  | 'sed'
  | 'awk'
  | 'jq';

/** An option or subcommand that is not named is refused: so are abbreviations of long options. */
export interface ProgramRule {
  /** Options without a value, separated by blanks. */
  readonly flags?: string;
  /** Long options that may have a value after `=`, and only there. */
  readonly optional?: string;
  readonly values?: Readonly<Record<string, ValueKind>>;
  /** By position; the last one repeats. None when absent. */
  readonly operands?: readonly ValueKind[];
  /** The number of operands it takes at most, when the last does not repeat. */
  readonly maxOperands?: number;
  readonly minOperands?: number;
  /** One of these options must be given. */
  readonly needs?: string;
  /** The same, when there are operands: without the option they would be made, not listed. */
  readonly needsWithOperands?: string;
  /** With one of these options the first kind of operand is left out. */
  readonly instead?: string;
  /** Every word is an operand: the program has no options that matter. */
  readonly isPlain?: boolean;
  /** Options of one dash are whole words, as in find. */
  readonly isWhole?: boolean;
  /** `-5` is an option. */
  readonly takesCounts?: boolean;
  /** The first word may be a bundle of options without its dash, as in tar. */
  readonly oldBundle?: RegExp;
  readonly subcommands?: Readonly<Record<string, ProgramRule>>;
  /** A command follows its operands; that command is judged instead of the program. */
  readonly wraps?: 'command' | 'command-with-input';
  /** Words of the form NAME=value before the command set variables, as for env. */
  readonly setsVariables?: boolean;
  /** It trusts configuration in its folder, so it may not be started elsewhere. */
  readonly isAtRoot?: boolean;
  /** Nevertheless it may be started in a folder that belongs to the repository of the root. */
  readonly isInRepository?: boolean;
  /** Needs a folder other than the root as an operand when this option is given. */
  readonly descends?: string;
  readonly check?: 'test';
}

export type RuleTable = Readonly<Record<string, ProgramRule>>;

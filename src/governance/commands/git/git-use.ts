/** How the commands of a line use git: whether at all, alone, and which names of objects they give. */
import { plainProgramName } from '../program-rules/refused-programs.ts';

type Commands = readonly (readonly string[])[];

export interface GitUse {
  /** Git is one of the words that could be a program, also behind `timeout` or `env`. */
  readonly runsGit: boolean;
  /** No other program runs that could read or write a file. */
  readonly isAlone: boolean;
  /** What commands that print content name and that could be a file by its hash alone. */
  readonly objects: readonly string[];
}

const isGit = (word: string): boolean => plainProgramName(word) === 'git';

/** Builtins of the shell that touch no file. */
const SILENT: ReadonlySet<string> = new Set(['echo', 'printf', 'true', 'false', ':']);

/** They pass on what they are given, as long as they are told no file. */
const FILTERS: ReadonlySet<string> = new Set(['cat', 'head', 'tail', 'wc', 'sort', 'uniq', 'tac']);
const PLAIN_OPTION = /^(?:-[A-Za-z]*\+?\d*|\+?\d+)$/;
/** None that looks into folders, or takes patterns from a file. */
const GREP_OPTION = /^-[abchinosvwxABCEFHLlmq]+\d*$/;

const isFilter = ([program = '', ...args]: readonly string[]): boolean => {
  if (FILTERS.has(program)) return args.every((arg) => PLAIN_OPTION.test(arg));
  if (program !== 'grep') return false;
  const operands = args.filter((arg) => !GREP_OPTION.test(arg));
  return operands.length === 1 && !/^-/.test(operands[0] as string);
};

/** Subcommands that print the content of an object they are given. */
const PRINTS: ReadonlySet<string> = new Set(['show', 'cat-file', 'diff', 'grep', 'log', 'stash']);

/** A name with a colon holds a path, which the guard has judged. */
const objectsIn = (words: readonly string[]): readonly string[] => {
  const at = words.findIndex(isGit);
  const rest = words.slice(at + 1).filter((word) => !word.startsWith('-'));
  if (!PRINTS.has(rest[0] ?? '')) return [];
  return rest
    .slice(1)
    .flatMap((word) => word.split(/\.{2,3}/))
    .map((word) => word.replace(/^\^/, ''))
    .filter((word) => word !== '' && !/[:\s]/.test(word));
};

export const gitUseOf = (commands: Commands): GitUse => {
  const withGit = commands.filter((words) => words.some(isGit));
  return {
    runsGit: withGit.length > 0,
    isAlone:
      withGit.length > 0 &&
      commands.every(
        (words) => isGit(words[0] ?? '') || SILENT.has(words[0] ?? '') || isFilter(words),
      ),
    objects: [...new Set(withGit.flatMap(objectsIn))],
  };
};

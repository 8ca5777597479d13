/**
 * Describes how the commands of a line use git: whether at all, alone, and which objects they name.
 */
import { plainProgramName } from '../program-rules/refused-programs.ts';

type Commands = readonly (readonly string[])[];

export interface GitUse {
  /** Git is one of the words that could be a program, also behind `timeout` or `env`. */
  readonly runsGit: boolean;
  /** No other program runs that could read or write a file. */
  readonly isAlone: boolean;
  /** What commands that print content name and that could be a file by its hash alone. */
  readonly objects: readonly string[];
  /** What a comparison names as `commit:path`: a folder named so loses the path that protects it. */
  readonly compared: readonly string[];
  /** Searches that depend on the content of files, including files that are not printed. */
  readonly searches: GitSearches;
}

/** Searches of git that tell about files that hold secrets, though the attributes hide their content. */
export interface GitSearches {
  /** `log -S` and its like count occurrences in every file. `-G` leaves out what counts as binary. */
  readonly history: boolean;
  /** `grep` without `-I` says whether a file matches that counts as binary. */
  readonly files: boolean;
  /** One of these `grep`s looks into the index. */
  readonly index: boolean;
  /** Their words that could name a folder of a commit, such as `HEAD:src`. */
  readonly trees: readonly string[];
}

const isGit = (word: string): boolean => plainProgramName(word) === 'git';

/** Builtins of the shell that touch no file. */
const SILENT: ReadonlySet<string> = new Set(['echo', 'printf', 'true', 'false', ':']);

/** Programs that pass their input on, with options that name, write and run nothing. */
interface Filter {
  readonly flags: RegExp;
  /** Options whose number may be the next word. */
  readonly counts?: RegExp;
}

const ENDS: Filter = { flags: /^-(?:[qvz]+|[qvz]*[nc]?[+-]?\d+)$/, counts: /^-[qvz]*[nc]$/ };
const FILTERS: ReadonlyMap<string, Filter> = new Map([
  ['cat', { flags: /^-[AbeEnstTuv]*$/ }],
  ['tac', { flags: /^-$/ }],
  ['head', ENDS],
  ['tail', ENDS],
  ['wc', { flags: /^-[clmLw]*$/ }],
  ['sort', { flags: /^-(?:[bcCdfghiMmnRrsuVz]*|[bfnru]*k\d+(?:,\d+)?[bfnr]*)$/, counts: /^-k$/ }],
  ['uniq', { flags: /^-(?:[cDdiuz]*|[fsw]\d+)$/, counts: /^-[fsw]$/ }],
]);
const COUNT = /^[+-]?\d+$/;

const namesNoFile = (args: readonly string[], { flags, counts }: Filter): boolean =>
  args.every(
    (arg, at) =>
      flags.test(arg) ||
      counts?.test(arg) === true ||
      (COUNT.test(arg) && counts?.test(args[at - 1] ?? '') === true),
  );

/** Matches options that neither search folders nor take patterns from a file. */
const GREP_OPTION = /^-[abchinosvwxABCEFHLlmq]+\d*$/;

const isFilter = ([program = '', ...args]: readonly string[]): boolean => {
  const filter = FILTERS.get(program);
  if (filter !== undefined) return namesNoFile(args, filter);
  if (program !== 'grep') return false;
  const operands = args.filter((arg) => !GREP_OPTION.test(arg));
  return operands.length === 1 && !/^-/.test(operands[0] as string);
};

/** Subcommands that print the content of an object they are given. */
const PRINTS: ReadonlySet<string> = new Set(['show', 'cat-file', 'diff', 'grep', 'log', 'stash']);

/** Lists the objects that a command names; the guard has judged the path in a name with a colon. */
const objectsIn = (words: readonly string[]): readonly string[] => {
  const at = words.findIndex(isGit);
  const rest = words.slice(at + 1).filter((word) => !word.startsWith('-'));
  const isOtherStash = rest[0] === 'stash' && rest[1] !== 'show';
  if (!PRINTS.has(rest[0] ?? '') || isOtherStash) return [];
  return rest
    .slice(1)
    .flatMap((word) => word.split(/\.{2,3}/))
    .map((word) => word.replace(/^\^/, ''))
    .filter((word) => word !== '' && !/[:\s]/.test(word));
};

/** Lists what `git diff` compares by `commit:path`. */
const comparedIn = (words: readonly string[]): readonly string[] => {
  const [subcommand, ...args] = subcommandOf(words);
  if (subcommand !== 'diff') return [];
  return args
    .flatMap((word) => word.split(/\.{2,3}/))
    .filter((word) => /^[^-:][^:]*:./.test(word) && !/\s/.test(word));
};

/** Gives the subcommand and its arguments: the words after `git` and its own options. */
const subcommandOf = (words: readonly string[]): readonly string[] => {
  const rest = words.slice(words.findIndex(isGit) + 1);
  const at = rest.findIndex((word) => !word.startsWith('-'));
  return at < 0 ? [] : rest.slice(at);
};

const isSwitch = (word: string): boolean => /^-q?b/.test(word);
const isOnlyStaged = (args: readonly string[]): boolean =>
  args.some((word) => /^-(?:q*S|-staged)/.test(word)) &&
  !args.some((word) => /^-(?:[qS]*W|-worktree)/.test(word));

/** Subcommands that can replace or remove uncommitted work, and when they do. */
const OVERWRITES = new Map<string, (args: readonly string[]) => boolean>([
  // Without -b a word can be a file as well as a branch. `git switch` takes branches alone.
  ['checkout', (args) => !args.some(isSwitch)],
  ['restore', (args) => !isOnlyStaged(args)],
  ['reset', (args) => args.includes('--hard')],
  ['merge', (args) => args.includes('--abort')],
  ['clean', () => true],
]);

/** Finds the first subcommand that overwrites uncommitted work, or `undefined`. */
export const overwritingSubcommand = (commands: Commands): string | undefined =>
  commands
    .filter((words) => words.some(isGit))
    .map(subcommandOf)
    .find(([name = '', ...args]) => OVERWRITES.get(name)?.(args))?.[0];

const SEARCHES_HISTORY: ReadonlySet<string> = new Set(['log', 'show', 'diff', 'stash', 'rev-list']);
const GREP_FLAGS_WITH_I = /^-[iwvhHlLncEFGPoqpW]*I/;
const GREP_TAKES_VALUE = /^-[A-Za-z]*[eABCm]$/;

/** Reads the options as git does: the value of `-e` can look like an option. */
const grepOptions = (args: readonly string[]): readonly string[] => {
  const end = args.indexOf('--');
  const before = end < 0 ? args : args.slice(0, end);
  return before.filter((_word, at) => !GREP_TAKES_VALUE.test(before[at - 1] ?? ''));
};

const searchesOf = (withGit: Commands): GitSearches => {
  const lines = withGit.map(subcommandOf);
  const greps = lines
    .filter(([name]) => name === 'grep')
    .map(([, ...args]) => grepOptions(args))
    .filter((options) => !options.some((word) => GREP_FLAGS_WITH_I.test(word)));
  return {
    history: lines.some(
      ([name = '', ...args]) =>
        SEARCHES_HISTORY.has(name) && args.some((word) => /^-(?!-)[^-]*S/.test(word)),
    ),
    files: greps.length > 0,
    index: greps.some((options) => options.includes('--cached')),
    trees: greps.flat().filter((word) => word.includes(':') && !/\s/.test(word)),
  };
};

export const gitUseOf = (commands: Commands): GitUse => {
  const withGit = commands.filter((words) => words.some(isGit));
  return {
    runsGit: withGit.length > 0,
    isAlone:
      withGit.length > 0 &&
      commands.every(
        // By its plain name: a path could lead to another program that is called git.
        (words) => words[0] === 'git' || SILENT.has(words[0] ?? '') || isFilter(words),
      ),
    objects: [...new Set(withGit.flatMap(objectsIn))],
    compared: [...new Set(withGit.flatMap(comparedIn))],
    searches: searchesOf(withGit),
  };
};

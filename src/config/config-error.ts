/** The error that invalid configuration throws, with every problem and its position. */

export interface ConfigProblem {
  /** The file, or the environment variable, at fault. */
  readonly file: string;
  /** Counted from 1; absent where there is no file to point into. */
  readonly line?: number;
  readonly column?: number;
  /** The setting, e.g. `execution.breaker.failures`; empty for the file as a whole. */
  readonly path: string;
  /** Never holds a configured value, which may be a secret. */
  readonly message: string;
}

/** Formats a problem as `file:line:column: path: message`, which editors can follow. */
export const formatProblem = ({ file, line, column, path, message }: ConfigProblem): string => {
  const position = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  return [position, path, message].filter((part) => part !== '').join(': ');
};

const byPosition = (a: ConfigProblem, b: ConfigProblem): number =>
  a.file < b.file
    ? -1
    : a.file > b.file
      ? 1
      : (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);

/** Removes duplicates: a layer and the merged configuration may have the same problem. */
const distinct = (problems: readonly ConfigProblem[]): readonly ConfigProblem[] => [
  ...new Map(problems.map((problem) => [formatProblem(problem), problem])).values(),
];

export class ConfigError extends Error {
  readonly code = 'CONFIG_INVALID';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const sorted = distinct(problems).toSorted(byPosition);
    super(['The configuration is not valid:', ...sorted.map(formatProblem)].join('\n'));
    this.name = 'ConfigError';
    this.problems = sorted;
  }
}

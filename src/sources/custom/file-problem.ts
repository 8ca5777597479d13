/** What is wrong with one file of custom tools, at the user's own line and column. */

export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface FileProblem extends Place {
  /** Below the folder of custom tools, with forward slashes. */
  readonly file: string;
  readonly message: string;
}

export const START: Place = { line: 1, column: 1 };

export const formatFileProblem = ({ file, line, column, message }: FileProblem): string =>
  `${file}:${line}:${column}: ${message}`;

/** Thrown inside the source, and turned into a report: one bad file never stops the others. */
export class BadToolFile extends Error {
  readonly problems: readonly FileProblem[];

  constructor(problems: readonly FileProblem[]) {
    super(problems.map(formatFileProblem).join('\n'));
    this.name = 'BadToolFile';
    this.problems = problems;
  }
}

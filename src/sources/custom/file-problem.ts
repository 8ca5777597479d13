/** Faults in files of custom tools, at the line and column of the user's file. */

export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface FileProblem extends Position {
  /** Relative to the folder of custom tools, with forward slashes. */
  readonly file: string;
  readonly message: string;
}

export const START: Position = { line: 1, column: 1 };

export const formatFileProblem = ({ file, line, column, message }: FileProblem): string =>
  `${file}:${line}:${column}: ${message}`;

/** Thrown inside the source and turned into a report: one bad file never stops the others. */
export class BadToolFile extends Error {
  readonly problems: readonly FileProblem[];

  constructor(problems: readonly FileProblem[]) {
    super(problems.map(formatFileProblem).join('\n'));
    this.name = 'BadToolFile';
    this.problems = problems;
  }
}

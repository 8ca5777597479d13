/** The messages of the process that checks types: its job, its questions, and its report. */
import type ts from 'typescript-api';
import type { Compiler } from './load-compiler.ts';

export interface CheckJob {
  /** Absolute, with forward slashes, like all paths here. */
  readonly root: string;
  readonly configFile: string;
  readonly strict?: boolean;
  readonly maxErrors: number;
}

export interface TypeProblem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly code: number;
  readonly message: string;
}

export interface CheckReport {
  readonly errors: readonly TypeProblem[];
  readonly warnings: readonly TypeProblem[];
  readonly total: number;
  readonly filesChecked: number;
  /** The version of the compiler. */
  readonly compiler: string;
}

export type Question = 'list' | 'stat' | 'read' | 'realpath';
/** A listing, a kind, a text or a path; `undefined` when the file is hidden or does not exist. */
export type Answer = readonly (readonly [name: string, kind: string])[] | string | undefined;
export type Ask = (question: Question, path: string) => Answer;

/** A line to the process: a job, or the answer to a question. */
export type ToCheck = { readonly job: CheckJob } | { readonly answer: Answer };

/** A line from it. `missing`: none of the given files is a compiler. */
export interface FromCheck {
  readonly question?: Question;
  readonly path?: string;
  readonly report?: CheckReport;
  readonly missing?: true;
}

/** What a process keeps between jobs: nothing that comes from a project. */
export interface Workbench {
  readonly compiler: Compiler;
  /** The compiler's folder of `lib.*.d.ts`; the only files read without asking. */
  readonly libFolder: string;
  /** The parsed declarations, by the settings that a parse depends on, then by name. */
  readonly libs: Map<string, Map<string, ts.SourceFile>>;
}

/** What the process that checks types is asked, what it asks back, and what it answers. */

import type ts from 'typescript-api';
import type { Compiler } from './load-compiler.ts';

export interface CheckJob {
  /** Absolute, with forward slashes; so are all paths here. */
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
/** A listing, a kind, a text or a path; `undefined` when it may not be seen or is not there. */
export type Answer = readonly (readonly [name: string, kind: string])[] | string | undefined;
export type Ask = (question: Question, path: string) => Answer;

/** A line to the process: a job, or the answer to what it asked. */
export type ToCheck = { readonly job: CheckJob } | { readonly answer: Answer };

/** A line from it. `missing`: none of the files that it was given is a compiler. */
export interface FromCheck {
  readonly question?: Question;
  readonly path?: string;
  readonly report?: CheckReport;
  readonly missing?: true;
}

/** What a process keeps from one job to the next: nothing that comes from a project. */
export interface Workbench {
  readonly compiler: Compiler;
  /** Where the compiler keeps `lib.*.d.ts`; the only files read without asking. */
  readonly libFolder: string;
  /** Those, parsed: by the settings that a parse depends on, then by name. */
  readonly libs: Map<string, Map<string, ts.SourceFile>>;
}

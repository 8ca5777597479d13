/** The work of the code tools on source texts: outlines, measures or imports of each, in order. */
import { ToolFailure } from '../../contract/errors.ts';
import type { CompilerOptions } from '../compiler-files.ts';
import { type Compiler, loadCompiler } from './load-compiler.ts';
import { type FunctionMeasure, measureComplexity } from './measure-complexity.ts';
import { outlineSource, type SourceOutline } from './outline-source.ts';
import { parseSource, type SyntaxProblem } from './parse-source.ts';

export interface SourceText {
  readonly path: string;
  readonly text: string;
}

/** What each task answers for one source. */
export interface SourceAnswers {
  readonly outline: SourceOutline & { readonly errors: readonly SyntaxProblem[] };
  readonly measure: readonly FunctionMeasure[];
  /** The modules it imports. */
  readonly imports: readonly string[];
}

export type SourceTask = keyof SourceAnswers;

export interface SourceJob {
  readonly task: SourceTask;
  readonly sources: readonly SourceText[];
  readonly compiler: CompilerOptions;
}

type Work<T extends SourceTask> = (ts: Compiler, source: SourceText) => SourceAnswers[T];

const outline: Work<'outline'> = (ts, { path, text }) => {
  const { file, errors } = parseSource(ts, path, text);
  return { ...outlineSource(ts, file), errors };
};

const measure: Work<'measure'> = (ts, { path, text }) => {
  try {
    return measureComplexity(ts, parseSource(ts, path, text).file);
  } catch (error) {
    // Text that no parser takes has no functions; the linter says what is wrong with it.
    if (error instanceof ToolFailure) return [];
    throw error;
  }
};

const imports: Work<'imports'> = (ts, { text }) =>
  ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);

const TASKS: { readonly [T in SourceTask]: Work<T> } = { outline, measure, imports };

export const prepare = async ({ task, sources, compiler }: SourceJob) => {
  const { ts } = await loadCompiler(compiler);
  return (): readonly SourceAnswers[SourceTask][] =>
    sources.map((source) => TASKS[task](ts, source));
};

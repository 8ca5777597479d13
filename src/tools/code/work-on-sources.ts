/** Hands source texts to a process of their own: a caller's text must not hold the main thread. */

import { runDataWork } from '../../kit/work/data-work.ts';
import type { CompilerOptions } from '../compiler-files.ts';
import type { SourceAnswers, SourceTask, SourceText } from './source-work.ts';

export interface SourceRequest<T extends SourceTask> {
  readonly task: T;
  readonly sources: readonly SourceText[];
  readonly compiler: CompilerOptions;
}

const WORK = {
  what: 'source text',
  // A megabyte takes about a second: the limit is for machines that are busy.
  maxMs: 50_000,
  file: 'source-work',
  from: import.meta.url,
  load: () => import('./source-work.ts'),
  // Loading the compiler alone takes longer than this process may be held.
  isSmall: () => false,
};

/** Answers for each source, in order. Fails like `runDataWork`, or with DEPENDENCY_MISSING. */
export const workOnSources = async <T extends SourceTask>(
  request: SourceRequest<T>,
  signal: AbortSignal,
): Promise<readonly SourceAnswers[T][]> => {
  const { task, sources, compiler } = request;
  // Only data can be sent, and options may hold functions.
  const { compilerFolders } = compiler;
  const job = { task, sources, compiler: compilerFolders ? { compilerFolders } : {} };
  return (await runDataWork(WORK, job, signal)) as readonly SourceAnswers[T][];
};

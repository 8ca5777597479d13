/** Runs the work on source texts in a separate process: a caller's text must not block the main thread. */
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
  // A megabyte takes about a second; the limit leaves room for busy machines.
  maxMs: 50_000,
  file: 'source-work',
  from: import.meta.url,
  load: () => import('./source-work.ts'),
  // Never in this process: loading the compiler alone would block it for too long.
  isSmall: () => false,
};

/** Returns an answer for each source, in order. Fails like `runDataWork`, or with DEPENDENCY_MISSING. */
export const workOnSources = async <T extends SourceTask>(
  request: SourceRequest<T>,
  signal: AbortSignal,
): Promise<readonly SourceAnswers[T][]> => {
  const { task, sources, compiler } = request;
  // Functions among the options cannot be sent to a process.
  const { compilerFolders } = compiler;
  const job = { task, sources, compiler: compilerFolders ? { compilerFolders } : {} };
  return (await runDataWork(WORK, job, signal)) as readonly SourceAnswers[T][];
};

/** Finds the source files below a folder, without dependencies (`node_modules`) and generated files. */
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { MAX_SOURCE, SOURCE_NAME } from './parse-source.ts';
import type { SourceText } from './source-work.ts';

const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([
  'node_modules',
  'dist',
  'build',
  'coverage',
  'vendor',
  'out',
]);

export interface SourceFile {
  readonly path: string;
  readonly size: number;
}

export interface SourceFiles {
  readonly files: readonly SourceFile[];
  /** True when there are more files than were requested. */
  readonly truncated: boolean;
}

const isWanted = (path: string): boolean => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return !(name.startsWith('.') || SKIPPED_FOLDERS.has(name));
};

const isSource = (path: string): boolean => SOURCE_NAME.test(path) && !/\.min\.js$/i.test(path);

/** Lists the files. Fails with NOT_FOUND when there is nothing at the path. */
export const findSources = async (
  { fs, signal }: ToolContext,
  path: string,
  maxFiles: number,
): Promise<SourceFiles> => {
  const start = await fs.stat(path);
  if (!start) {
    throw new ToolFailure('NOT_FOUND', 'There is no such file or folder.', {
      suggestions: ['List the workspace first.'],
    });
  }
  if (start.kind === 'file') return { files: [start], truncated: false };
  const files: SourceFile[] = [];
  const waiting = [start.path];
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
    if (signal.aborted) throw new ToolFailure('CANCELLED');
    for (const info of await fs.list(folder)) {
      if (info.kind === 'directory' && isWanted(info.path)) waiting.push(info.path);
      if (info.kind !== 'file' || !isSource(info.path)) continue;
      if (files.length === maxFiles) return { files, truncated: true };
      files.push(info);
    }
  }
  return { files, truncated: false };
};

/** Reads a file; `undefined` when it is gone, secret, or too large to be written by people. */
const readSource = async (
  { fs, signal }: ToolContext,
  file: SourceFile,
): Promise<string | undefined> => {
  if (signal.aborted) throw new ToolFailure('CANCELLED');
  if (file.size > MAX_SOURCE) return undefined;
  try {
    return new TextDecoder().decode(await fs.read(file.path));
  } catch (error) {
    if (error instanceof ToolFailure && error.code !== 'CANCELLED') return undefined;
    throw error;
  }
};

/** About what a process handles in a second. */
const MAX_BATCH_CHARS = 2_000_000;

/** Reads the files a few megabytes at a time, so that they are never all in memory. */
export async function* readSources(
  context: ToolContext,
  files: readonly SourceFile[],
): AsyncGenerator<readonly SourceText[]> {
  let batch: SourceText[] = [];
  let chars = 0;
  for (const file of files) {
    const text = await readSource(context, file);
    if (text === undefined) continue;
    batch.push({ path: file.path, text });
    chars += text.length;
    if (chars < MAX_BATCH_CHARS) continue;
    yield batch;
    batch = [];
    chars = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Walks a folder through the broker: sorted, without links, without what the filter leaves out. */
import type { FileAccess } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { FileFilter } from './file-filter.ts';

export interface Walk {
  readonly fs: FileAccess;
  readonly filter: Pick<FileFilter, 'wantsFolder' | 'wantsFile'>;
  readonly signal: AbortSignal;
  /** The folder as a path of the workspace, such as `src` or `.`. */
  readonly folder: string;
}

/** Lists a folder; empty when it was removed or closed during the walk, so that the rest is still found. */
const listQuietly = async (fs: FileAccess, path: string) => {
  try {
    return await fs.list(path);
  } catch (error) {
    if (error instanceof ToolFailure) return [];
    throw error;
  }
};

/** Yields paths relative to the folder. */
export const walkFiles = async function* (walk: Walk, below = ''): AsyncGenerator<string> {
  const { fs, filter, signal, folder } = walk;
  if (signal.aborted) throw new ToolFailure('CANCELLED');
  for (const info of await listQuietly(fs, below === '' ? folder : `${folder}/${below}`)) {
    const name = info.path.slice(info.path.lastIndexOf('/') + 1);
    const path = below === '' ? name : `${below}/${name}`;
    if (info.kind === 'directory' && filter.wantsFolder(path)) yield* walkFiles(walk, path);
    if (info.kind === 'file' && filter.wantsFile(path)) yield path;
  }
};

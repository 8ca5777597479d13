/**
 * Changes the files of other programs one by one. One that cannot be changed does not stop the
 * others, and what became of each is known in the end.
 */

import { ERRORS, ToolFailure } from '../../../contract/errors.ts';
import { errorCodeOf, reasonOf } from '../../../kit/data/reason-of.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { type Io, note } from '../../io.ts';

export interface LeftFile {
  readonly file: string;
  readonly reason: string;
}

export interface FileChanges<T> {
  readonly done: readonly T[];
  readonly left: readonly LeftFile[];
}

const MAY_NOT = 'it, or the folder it lies in, may not be written to';

const WORDS: Readonly<Record<string, string>> = {
  EACCES: MAY_NOT,
  EPERM: MAY_NOT,
  EROFS: 'it lies on a disk that is read-only',
  ENOSPC: 'the disk is full',
  ENAMETOOLONG: 'the name of its copy would be too long',
};

const adviceFor = (thrown: unknown): string => {
  if (thrown instanceof ToolFailure) {
    return [thrown.message, ...(thrown.extras.suggestions ?? [])].join(' ');
  }
  const code = errorCodeOf(thrown);
  if (Object.hasOwn(WORDS, code)) return WORDS[code] as string;
  return reasonOf(thrown);
};

/** Never throws. What `change` answers with `undefined` is neither done nor left. */
export const changeEachFile = async <F extends { readonly file: string }, T>(
  files: readonly F[],
  change: (found: F) => Promise<T | undefined>,
): Promise<FileChanges<T>> => {
  const done: T[] = [];
  const left: LeftFile[] = [];
  for (const found of files) {
    try {
      const changed = await change(found);
      if (changed !== undefined) done.push(changed);
    } catch (error) {
      left.push({ file: found.file, reason: adviceFor(error) });
    }
  }
  return { done, left };
};

/** Says which files are as they were, and why; the answer is the exit code. */
export const tellLeft = (
  io: Io,
  left: readonly LeftFile[],
  { verb, again }: { readonly verb: string; readonly again: string },
): number => {
  if (left.length === 0) return 0;
  if (!io.json) {
    for (const { file, reason } of left) {
      note(io, `${io.noteInk.red('✗')} Not ${verb}: ${visibleText(file)}`);
      note(io, `  ${visibleText(reason)}`);
    }
    note(io, `${io.noteInk.cyan('→')} Once that is mended: ${again}`);
  }
  return ERRORS.EXECUTION_FAILED.exit;
};

/** Puts content under a name in one step: a reader sees the old file or the new one, never a part. */
import { link, mkdir, mkdtemp, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCodeOf } from '../data/reason-of.ts';

const OWNER_ONLY = 0o600;

type Content = string | Uint8Array;

const whenAbsent =
  <T>(fallback: T) =>
  (error: unknown): T => {
    if (errorCodeOf(error) === 'ENOENT') return fallback;
    throw error;
  };

/** Writes a file that must not be there yet, and waits until it is on disk. */
const writeNewFile = async (path: string, content: Content, mode: number): Promise<void> => {
  const handle = await open(path, 'wx', mode);
  try {
    await handle.writeFile(content);
    // The mode above is narrowed by the umask.
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Makes a rename durable, which it is once its folder is; Windows does not let one open a folder. */
export const syncFolder = async (folder: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Writes a draft beside the target, passes it to `publish`, and removes what is left of it. */
const withDraft = async <T>(
  target: string,
  { content, mode }: { readonly content: Content; readonly mode: number },
  publish: (draft: string) => Promise<T>,
): Promise<T> => {
  const scratch = await mkdtemp(join(dirname(target), '.toolcrib-'));
  try {
    const draft = join(scratch, 'file');
    await writeNewFile(draft, content, mode);
    return await publish(draft);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
};

export interface PutOptions {
  /** 0600 by default. */
  readonly mode?: number;
  /** Called when the new file is ready; nothing is replaced when it gives false. */
  readonly confirm?: () => Promise<boolean>;
}

/** Puts a file under exactly this name: a link there is replaced, not followed. Resolves to whether it did. */
export const putFile = (
  file: string,
  content: Content,
  { mode = OWNER_ONLY, confirm }: PutOptions = {},
): Promise<boolean> =>
  withDraft(file, { content, mode }, async (draft) => {
    if (confirm && !(await confirm())) return false;
    await rename(draft, file);
    return true;
  });

/** Makes a file unless there is one of that name. Of several processes one wins; resolves to whether this did. */
export const createFile = (file: string, content: Content, mode = OWNER_ONLY): Promise<boolean> =>
  withDraft(file, { content, mode }, async (draft) => {
    try {
      // A link to a finished file appears whole or not at all, and only the first one can be made.
      await link(draft, file);
      return true;
    } catch (error) {
      if (errorCodeOf(error) === 'EEXIST') return false;
      throw error;
    }
  });

/** Replaces the file that a name leads to, through a link, and keeps its mode; a new file gets `mode`. */
export const replaceFile = async (file: string, content: Content, mode = 0o644): Promise<void> => {
  const target = await realpath(file).catch(whenAbsent(file));
  const currentMode = await stat(target).then((stats) => stats.mode & 0o777, whenAbsent(mode));
  await mkdir(dirname(target), { recursive: true });
  await putFile(target, content, { mode: currentMode });
};

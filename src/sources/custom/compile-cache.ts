/**
 * Caches compiled code by the hash of its sources, so that a start needs no compiler. Cached code runs, so
 * the folder must belong to the user: a file that is a link, belongs to another user or can be written
 * by others is ignored.
 */
import type { Stats } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isText } from '../../kit/data/is-text.ts';
import {
  othersReach,
  ownUid,
  readCheckedFile,
  UNWRITABLE_BY_OTHERS,
} from '../../kit/file/private-file.ts';
import { putFile } from '../../kit/file/replace-file.ts';
import type { CompiledCode } from './compile-tool.ts';

/** Compiled code, with the description of a module's tools that the sandbox returned for it. */
export interface CacheEntry extends CompiledCode {
  readonly description?: unknown;
}

export interface CompileCache {
  get(key: string): Promise<CacheEntry | undefined>;
  /** Stores an entry. Never fails: the cache is optional. */
  put(key: string, entry: CacheEntry): Promise<void>;
}

const MAX_FILES = 500;
const MAX_BYTES = 32 * 1024 * 1024;

const entryOf = (text: string, key: string): CacheEntry | undefined => {
  const value = JSON.parse(text) as Partial<CacheEntry & { key: string }> | null;
  if (value?.key !== key || !isText(value.code) || !isText(value.map)) return undefined;
  if (!Array.isArray(value.exports) || !value.exports.every(isText)) return undefined;
  const { code, map, exports, description } = value;
  return { code, map, exports, ...(description !== undefined && { description }) };
};

const assertOwn = (stats: Stats): void => {
  if (othersReach(stats, { forbidden: UNWRITABLE_BY_OTHERS }, ownUid()))
    throw new Error('not our own');
};

const readOwn = async (file: string): Promise<string | undefined> => {
  const rules = { maxBytes: MAX_BYTES, noLink: true, check: assertOwn };
  const read = await readCheckedFile(file, rules);
  return typeof read === 'string' ? undefined : new TextDecoder().decode(read);
};

/** Removes the oldest files once there are too many. */
const prune = async (folder: string): Promise<void> => {
  const names = await readdir(folder);
  if (names.length <= MAX_FILES) return;
  const aged = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })),
  );
  const old = aged.toSorted((a, b) => a.at - b.at).slice(0, names.length - MAX_FILES / 2);
  await Promise.all(old.map(({ name }) => rm(join(folder, name), { force: true })));
};

const NOTHING: CompileCache = { get: async () => undefined, put: async () => undefined };

/** Caches nothing without a folder. */
export const createCompileCache = (folder: string | undefined): CompileCache => {
  if (folder === undefined) return NOTHING;
  const write = async (key: string, entry: CacheEntry): Promise<void> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await putFile(join(folder, `${key}.json`), JSON.stringify({ key, ...entry }));
    await prune(folder);
  };
  return {
    get: async (key) => {
      try {
        const text = await readOwn(join(folder, `${key}.json`));
        return text === undefined ? undefined : entryOf(text, key);
      } catch {
        return undefined;
      }
    },
    put: (key, entry) => write(key, entry).catch(() => undefined),
  };
};

/** Keeps what was read of each source in the user's folder, so that a start reads nothing. */
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExternalSettings, SourceReading } from '../../contract/source-driver.ts';
import { digestOf } from '../../kit/data/canonical-json.ts';
import { isObject } from '../../kit/data/is-record.ts';
import { putFile } from '../../kit/file/replace-file.ts';

const FORMAT = 2;
const MAX_BYTES = 200_000_000;

export interface CachedReading extends SourceReading<unknown> {
  readonly readAt: number;
}

export interface ReadingCache {
  /** Returns `undefined` when there is none that can be read. */
  read(settings: ExternalSettings): Promise<CachedReading | undefined>;
  /** Writes an entry. Never rejects: without a cache the next start is only slower. */
  write(settings: ExternalSettings, reading: CachedReading): Promise<void>;
  remove(settings: ExternalSettings): Promise<void>;
}

const NO_CACHE: ReadingCache = {
  read: async () => undefined,
  write: async () => undefined,
  remove: async () => undefined,
};

/** Returns what changes when a file changes; rejects for one that is gone. */
const stampOf = async (path: string): Promise<string> => {
  const { mtimeMs, size, ino } = await stat(path);
  return `${mtimeMs} ${size} ${ino}`;
};

const stampsOf = (files: readonly string[]): Promise<readonly string[]> =>
  Promise.all(files.map(stampOf));

/** Gives nothing where a file that was read has changed since. */
const parse = async (text: string): Promise<CachedReading | undefined> => {
  const value: unknown = JSON.parse(text);
  if (!isObject(value) || value.format !== FORMAT || !Array.isArray(value.files)) return undefined;
  const { definition, files, stamps, readAt } = value;
  if (typeof readAt !== 'number') return undefined;
  const now = await stampsOf(files as readonly string[]);
  return digestOf(stamps) === digestOf(now) ? { definition, files, readAt } : undefined;
};

const readOne = async (path: string): Promise<CachedReading | undefined> => {
  try {
    if ((await stat(path)).size > MAX_BYTES) return undefined;
    return await parse(await readFile(path, 'utf8'));
  } catch {
    return undefined;
  }
};

/**
 * Names the cache file of a source. Its settings are part of the name, because other settings mean other
 * definitions.
 */
const fileName = ({ kind, name, headers, own }: ExternalSettings, project: string): string =>
  `${kind}-${name}-${digestOf([headers, own, project]).slice(0, 16)}.json`;

/**
 * Makes the cache. Entries read from files are kept per project, because another project may use the same
 * names and paths; entries read over the network are shared.
 */
export const createReadingCache = (folder: string | undefined, project: string): ReadingCache => {
  if (folder === undefined) return NO_CACHE;
  const pathOf = (settings: ExternalSettings, place: string): string =>
    join(folder, fileName(settings, place));
  return {
    read: async (settings) =>
      (await readOne(pathOf(settings, project))) ?? readOne(pathOf(settings, '')),
    async write(settings, reading) {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const path = pathOf(settings, reading.files.length > 0 ? project : '');
        const stamps = await stampsOf(reading.files);
        await putFile(path, JSON.stringify({ format: FORMAT, ...reading, stamps }));
      } catch {
        // The next start reads it again.
      }
    },
    async remove(settings) {
      for (const place of [project, '']) await rm(pathOf(settings, place), { force: true });
    },
  };
};

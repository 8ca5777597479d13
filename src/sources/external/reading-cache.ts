/** Keeps what was read of each source in the user's folder, so that a start reads nothing. */
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExternalSettings, SourceReading } from '../../contract/source-driver.ts';
import { digestOf } from '../../kit/data/canonical-json.ts';
import { isObject } from '../../kit/data/is-record.ts';
import { putFile } from '../../kit/file/replace-file.ts';

const FORMAT = 1;
const MAX_BYTES = 200_000_000;

export interface CachedReading extends SourceReading<unknown> {
  readonly readAt: number;
}

export interface ReadingCache {
  /** Returns `undefined` when there is none that can be read. */
  read(settings: ExternalSettings): Promise<CachedReading | undefined>;
  /** Never rejects: without a cache the next start is only slower. */
  write(settings: ExternalSettings, reading: CachedReading): Promise<void>;
  remove(settings: ExternalSettings): Promise<void>;
}

const NO_CACHE: ReadingCache = {
  read: async () => undefined,
  write: async () => undefined,
  remove: async () => undefined,
};

const parse = (text: string): CachedReading | undefined => {
  const value: unknown = JSON.parse(text);
  if (!isObject(value) || value.format !== FORMAT || !Array.isArray(value.files)) return undefined;
  const { definition, files, readAt } = value;
  return typeof readAt === 'number' ? { definition, files, readAt } : undefined;
};

/** A source with other settings of its own kind has other definitions. */
const fileName = ({ kind, name, headers, own }: ExternalSettings): string =>
  `${kind}-${name}-${digestOf([headers, own]).slice(0, 16)}.json`;

export const createReadingCache = (folder: string | undefined): ReadingCache => {
  if (folder === undefined) return NO_CACHE;
  const pathOf = (settings: ExternalSettings): string => join(folder, fileName(settings));
  return {
    async read(settings) {
      try {
        const path = pathOf(settings);
        return (await stat(path)).size > MAX_BYTES
          ? undefined
          : parse(await readFile(path, 'utf8'));
      } catch {
        return undefined;
      }
    },
    async write(settings, reading) {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await putFile(pathOf(settings), JSON.stringify({ format: FORMAT, ...reading }));
      } catch {
        // The next start reads it again.
      }
    },
    remove: (settings) => rm(pathOf(settings), { force: true }),
  };
};

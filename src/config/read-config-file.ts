/** Reads one configuration file into a layer. Anything but a readable YAML file is a problem. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { MOST_BYTES } from './compose-yaml.ts';
import type { ConfigProblem } from './config-error.ts';
import type { Layer } from './layer.ts';
import { parseConfigText } from './parse-config-text.ts';

export interface FileReading {
  /** `undefined` when the file does not exist or cannot be used. */
  readonly layer: Layer | undefined;
  readonly problems: readonly ConfigProblem[];
}

/** Judges the opened file before it is read; returns what is wrong with it, or nothing. */
export type OwnerCheck = (uid: number) => string | undefined;

class Unreadable extends Error {}

const ABSENT = new Set(['ENOENT', 'ENOTDIR']);

const readText = async (handle: FileHandle, check: OwnerCheck | undefined): Promise<string> => {
  const { size, uid, isFile } = await handle
    .stat()
    .then((stat) => ({ size: stat.size, uid: stat.uid, isFile: stat.isFile() }));
  const fault = check?.(uid);
  if (fault !== undefined) throw new Unreadable(fault);
  if (!isFile) throw new Unreadable('is not a regular file');
  if (size > MOST_BYTES) throw new Unreadable(`is larger than ${MOST_BYTES} bytes`);
  const bytes = await handle.readFile();
  if (bytes.length > MOST_BYTES) throw new Unreadable(`is larger than ${MOST_BYTES} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Unreadable('is not UTF-8 text');
  }
};

/** The text of the file, or `undefined` when there is none. */
const textOf = async (file: string, check: OwnerCheck | undefined): Promise<string | undefined> => {
  let handle: FileHandle | undefined;
  try {
    // Not blocking, or a named pipe in the place of the file would hang the start.
    handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    return await readText(handle, check);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined && ABSENT.has(code)) return undefined;
    if (error instanceof Unreadable) throw error;
    throw new Unreadable(`cannot be read (${code ?? 'unknown error'})`);
  } finally {
    await handle?.close();
  }
};

/** A missing file is no problem here; whether one had to exist is for the caller to say. */
export const readConfigFile = async (file: string, check?: OwnerCheck): Promise<FileReading> => {
  try {
    const text = await textOf(file, check);
    if (text === undefined) return { layer: undefined, problems: [] };
    const { value, problems, position } = await parseConfigText(text);
    return {
      layer: problems.length > 0 ? undefined : { path: file, value, position },
      problems: problems.map((problem) => ({ file, ...problem })),
    };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { layer: undefined, problems: [{ file, path: '', message: error.message }] };
  }
};

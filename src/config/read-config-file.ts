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
  const stats = await handle.stat();
  const fault = check?.(stats.uid);
  if (fault !== undefined) throw new Unreadable(fault);
  if (!stats.isFile()) throw new Unreadable('is not a regular file');
  if (stats.size > MOST_BYTES) throw new Unreadable(`is larger than ${MOST_BYTES} bytes`);
  const bytes = await handle.readFile();
  if (bytes.length > MOST_BYTES) throw new Unreadable(`is larger than ${MOST_BYTES} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Unreadable('is not UTF-8 text');
  }
};

export interface TextReading {
  /** `undefined` when the file does not exist or cannot be used. */
  readonly text: string | undefined;
  /** Why it cannot be used; a missing file has no fault. */
  readonly fault: string | undefined;
}

/** The text of the file. Never throws: what is wrong comes back as `fault`. */
export const readConfigText = async (file: string, check?: OwnerCheck): Promise<TextReading> => {
  let handle: FileHandle | undefined;
  try {
    // Not blocking, or a named pipe in the place of the file would hang the start.
    handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    return { text: await readText(handle, check), fault: undefined };
  } catch (error) {
    if (error instanceof Unreadable) return { text: undefined, fault: error.message };
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    return { text: undefined, fault: ABSENT.has(code) ? undefined : `cannot be read (${code})` };
  } finally {
    await handle?.close();
  }
};

/** A missing file is no problem here; whether one had to exist is for the caller to say. */
export const readConfigFile = async (file: string, check?: OwnerCheck): Promise<FileReading> => {
  const { text, fault } = await readConfigText(file, check);
  if (fault !== undefined) {
    return { layer: undefined, problems: [{ file, path: '', message: fault }] };
  }
  if (text === undefined) return { layer: undefined, problems: [] };
  const { value, problems, position } = await parseConfigText(text);
  return {
    layer: problems.length > 0 ? undefined : { path: file, value, position },
    problems: problems.map((problem) => ({ file, ...problem })),
  };
};

/** Reads one configuration file as a layer. Anything but a readable YAML file is a problem. */
import type { Stats } from 'node:fs';
import { errorCodeOf } from '../../kit/data/reason-of.ts';
import { readCheckedFile } from '../../kit/file/private-file.ts';
import type { ConfigProblem } from '../config-error.ts';
import type { Layer } from './layer.ts';
import { MAX_BYTES, parseConfigText } from './parse-config-text.ts';

export interface FileReading {
  /** `undefined` when the file does not exist or cannot be used. */
  readonly layer: Layer | undefined;
  readonly problems: readonly ConfigProblem[];
}

/** Checks the opened file before it is read; returns the fault, if any. */
export type FileCheck = (stats: Stats) => string | undefined;

export interface ReadRules {
  readonly check?: FileCheck | undefined;
  readonly maxBytes?: number;
  /** Refuses a symbolic link. */
  readonly noLink?: boolean;
}

class Unreadable extends Error {}

const ABSENT = new Set(['ENOENT', 'ENOTDIR']);

const WORDS = {
  'not-regular': () => 'is not a regular file',
  'too-large': (maxBytes: number) => `is larger than ${maxBytes} bytes`,
  changed: () => 'changed while it was read',
};

export interface BytesReading {
  /** `undefined` when the file does not exist or cannot be used. */
  readonly bytes: Uint8Array | undefined;
  /** Why it cannot be used; a missing file has no fault. */
  readonly fault: string | undefined;
}

/** Reads a file. Never throws: returns a `fault`. */
export const readBytes = async (file: string, rules: ReadRules = {}): Promise<BytesReading> => {
  const { maxBytes = MAX_BYTES, noLink } = rules;
  const check = (stats: Stats): void => {
    const fault = rules.check?.(stats);
    if (fault !== undefined) throw new Unreadable(fault);
  };
  try {
    const read = await readCheckedFile(file, { maxBytes, noLink, check });
    if (typeof read !== 'string') return { bytes: read, fault: undefined };
    return { bytes: undefined, fault: WORDS[read](maxBytes) };
  } catch (error) {
    if (error instanceof Unreadable) return { bytes: undefined, fault: error.message };
    const code = errorCodeOf(error) || 'unknown error';
    return { bytes: undefined, fault: ABSENT.has(code) ? undefined : `cannot be read (${code})` };
  }
};

export interface TextReading {
  /** `undefined` when the file does not exist or cannot be used. */
  readonly text: string | undefined;
  /** Why it cannot be used; a missing file has no fault. */
  readonly fault: string | undefined;
}

export const textOf = (bytes: Uint8Array): TextReading => {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), fault: undefined };
  } catch {
    return { text: undefined, fault: 'is not UTF-8 text' };
  }
};

/** Reads the text of a file. Never throws: returns a `fault`. */
export const readConfigText = async (file: string, rules?: ReadRules): Promise<TextReading> => {
  const { bytes, fault } = await readBytes(file, rules);
  return bytes === undefined ? { text: undefined, fault } : textOf(bytes);
};

/** Parses text that was read before; problems name `file`. */
export const readLayer = async (
  file: string,
  { text, fault }: TextReading,
): Promise<FileReading> => {
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

/** Reads a file as a layer. A missing file is no problem here. */
export const readConfigFile = async (file: string, rules?: ReadRules): Promise<FileReading> =>
  readLayer(file, await readConfigText(file, rules));

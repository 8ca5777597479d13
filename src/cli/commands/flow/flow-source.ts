/** Finds the flow that a command is about: a file, or the name of a flow of the project. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { errorCodeOf } from '../../../kit/data/reason-of.ts';
import { misuse } from '../../input/misuse.ts';
import type { Io } from '../../io.ts';

/** Tells a file from the name of a flow. */
export const isFile = (typed: string): boolean => /\.ya?ml$/i.test(typed) || typed.includes('/');

/** Larger files are refused: a flow has a page or two. */
const MAX_BYTES = 1024 * 1024;

/** Reads a flow file. Fails with VALIDATION_ERROR. */
export const readFlowFile = async (io: Io, path: string): Promise<string> => {
  try {
    const bytes = await readFile(resolve(io.cwd, path));
    if (bytes.byteLength <= MAX_BYTES) return bytes.toString('utf8');
  } catch (error) {
    const code = errorCodeOf(error);
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code || 'unknown'})`;
    const advice = isFile(path)
      ? 'Check the path; it is relative to this directory.'
      : `Name the file, not the flow, such as .toolcrib/flows/${path}.yml.`;
    throw misuse(`The file ${path} ${why}.`, advice);
  }
  throw misuse(`The file ${path} is too large for a flow.`, 'A flow has at most 1 MiB.');
};

/** Takes `name@1.0.0` apart. */
export const namedVersion = (
  typed: string,
): { readonly name: string; readonly version?: string } => {
  const at = typed.indexOf('@');
  return at < 0 ? { name: typed } : { name: typed.slice(0, at), version: typed.slice(at + 1) };
};

/** Returns the text of a file, or the name of a registered flow. */
export const flowSource = (io: Io, typed: string): Promise<string> =>
  isFile(typed) ? readFlowFile(io, typed) : Promise.resolve(typed);

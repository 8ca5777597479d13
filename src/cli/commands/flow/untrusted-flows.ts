/** Names the flow files of a project that do not count yet, because nobody trusts them as they are. */
import { realpath } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { ToolFailure } from '../../../contract/errors.ts';
import type { ProjectTrust } from '../../../trust/project-trust.ts';
import type { Io } from '../../io.ts';
import type { OpenCrib } from '../../session/open-crib.ts';

const FLOW_FILE = /^flows\/[^/]+\.ya?ml$/i;

const isInForce = ({ inForce }: ProjectTrust, path: string, bytes: Uint8Array): boolean => {
  const trusted = inForce?.contents.get(path);
  return trusted !== undefined && Buffer.compare(trusted, bytes) === 0;
};

/** Lists them as `.toolcrib/flows/<name>.yml`. */
export const untrustedFlows = (trust: ProjectTrust): readonly string[] =>
  [...(trust.folder?.contents ?? [])]
    .filter(([path, bytes]) => FLOW_FILE.test(path) && !isInForce(trust, path, bytes))
    .map(([path]) => `.toolcrib/${path}`)
    .toSorted();

/** Says of files that they are there, and what makes them count. */
export const trustHint = (files: readonly string[]): string =>
  files.length === 1
    ? `${files[0]} is there, but not trusted as it is: toolcrib trust`
    : `${files.join(', ')} are there, but not trusted as they are: toolcrib trust`;

/** Tells whether a file is one of the project's flow files that do not count yet. */
export const isUntrusted = async (
  io: Io,
  { loaded, root }: Pick<OpenCrib, 'loaded' | 'root'>,
  file: string,
): Promise<boolean> => {
  const place = await realpath(resolve(io.cwd, file)).catch(() => undefined);
  for (const each of untrustedFlows(loaded.trust)) {
    const folder = loaded.trust.projectDir ?? root;
    if (place === (await realpath(join(folder, each)).catch(() => undefined))) return true;
  }
  return false;
};

/** Runs work that looks a flow up; where its file is there and not trusted, the failure says so. */
export const withTrustHint = async <T>(
  { loaded }: Pick<OpenCrib, 'loaded'>,
  typed: string,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ToolFailure) || error.code !== 'NOT_FOUND') throw error;
    const [name = typed] = typed.split('@');
    const files = untrustedFlows(loaded.trust).filter(
      (file) => basename(file).replace(/\.ya?ml$/i, '') === name,
    );
    if (files.length === 0) throw error;
    throw new ToolFailure('NOT_FOUND', error.message, { suggestions: [trustHint(files)] });
  }
};

/** The files of rules that a command goes by: those in force, or one in the place of the user's. */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { PolicyFile } from '../../../config/load/policy-files.ts';
import type { Catalog } from '../../../contract/catalog.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { Servers } from '../../../contract/servers.ts';
import { errorCodeOf } from '../../../kit/data/reason-of.ts';
import type { LoadedConfig } from '../../../trust/load-config.ts';
import type { Io } from '../../io.ts';

interface KnownTools {
  readonly tools: Catalog;
  readonly servers: Servers;
}

/** A server that does not run may have tools that nobody knows of yet. */
const mayGrow = ({ servers }: KnownTools): boolean =>
  servers.list().some(({ state }) => state !== 'ready' && state !== 'disabled');

/** Finds the rules that name tools which are not there, for the commands that judge rules. */
export const ruleToolWarnings = async (
  policyFiles: readonly PolicyFile[],
  known: KnownTools,
): Promise<readonly string[]> => {
  if (policyFiles.length === 0) return [];
  const { ruleWarnings } = await import('../../../crib/policy-checks.ts');
  return ruleWarnings({ policyFiles }, { tools: known.tools, mayGrow: mayGrow(known) });
};

interface NamedText {
  /** As it was typed: it is what the reader knows the file by. */
  readonly path: string;
  readonly text: string;
}

/** Fails with VALIDATION_ERROR when it cannot be read. */
export const readPolicyFile = async (io: Io, path: string): Promise<NamedText> => {
  try {
    return { path, text: await readFile(resolve(io.cwd, path), 'utf8') };
  } catch (error) {
    const code = errorCodeOf(error);
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code || 'unknown'})`;
    throw new ToolFailure('VALIDATION_ERROR', `The file ${why}.`, {
      suggestions: ['Check the path; it is taken from where you are now.'],
    });
  }
};

/** The rules of a project stay: they hold whatever the user writes. */
export const policyFilesFor = async (
  io: Io,
  { policyFiles }: Pick<LoadedConfig, 'policyFiles'>,
  instead: string | undefined,
): Promise<readonly PolicyFile[]> => {
  if (instead === undefined) return policyFiles;
  const named = await readPolicyFile(io, instead);
  return [{ ...named, kind: 'user' }, ...policyFiles.filter(({ kind }) => kind === 'project')];
};

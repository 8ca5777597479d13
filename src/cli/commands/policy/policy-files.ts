/** Finds and reads the policy files that a command uses. */
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

/** Tells whether a server that is not running may still bring tools. */
const mayGrow = ({ servers }: KnownTools): boolean =>
  servers.list().some(({ state }) => state !== 'ready' && state !== 'disabled');

/** Warns of rules that name tools which do not exist. */
export const ruleToolWarnings = async (
  policyFiles: readonly PolicyFile[],
  crib: KnownTools,
): Promise<readonly string[]> => {
  if (policyFiles.length === 0) return [];
  const { ruleWarnings } = await import('../../../crib/policy-checks.ts');
  return ruleWarnings({ policyFiles }, { tools: crib.tools, mayGrow: mayGrow(crib) });
};

interface NamedText {
  /** As it was typed. */
  readonly path: string;
  readonly text: string;
}

/** Reads a file of rules or test cases. Fails with VALIDATION_ERROR when it cannot be read. */
export const readPolicyFile = async (io: Io, path: string): Promise<NamedText> => {
  try {
    return { path, text: await readFile(resolve(io.cwd, path), 'utf8') };
  } catch (error) {
    const code = errorCodeOf(error);
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code || 'unknown'})`;
    throw new ToolFailure('VALIDATION_ERROR', `The file ${why}.`, {
      suggestions: ['Check the path; it is relative to the current directory.'],
    });
  }
};

/**
 * Lists the policy files in force. `replacement` replaces the user's files; the rules of a project stay in
 * force.
 */
export const policyFilesFor = async (
  io: Io,
  { policyFiles }: Pick<LoadedConfig, 'policyFiles'>,
  replacement: string | undefined,
): Promise<readonly PolicyFile[]> => {
  if (replacement === undefined) return policyFiles;
  const named = await readPolicyFile(io, replacement);
  return [{ ...named, kind: 'user' }, ...policyFiles.filter(({ kind }) => kind === 'project')];
};

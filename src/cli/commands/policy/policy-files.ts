/** Finds and reads the policy files that a command uses. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { PolicyFile } from '../../../config/load/policy-files.ts';
import type { Catalog } from '../../../contract/catalog.ts';
import type { Servers } from '../../../contract/servers.ts';
import { errorCodeOf } from '../../../kit/data/reason-of.ts';
import type { LoadedConfig } from '../../../trust/load-config.ts';
import { misuse } from '../../input/misuse.ts';
import type { Io } from '../../io.ts';
import { mayBringTools } from '../../session/find-tool.ts';

interface KnownTools {
  readonly tools: Catalog;
  readonly servers: Servers;
}

/** Warns of rules that name tools which do not exist. */
export const ruleToolWarnings = async (
  policyFiles: readonly PolicyFile[],
  crib: KnownTools,
): Promise<readonly string[]> => {
  if (policyFiles.length === 0) return [];
  const { ruleWarnings } = await import('../../../crib/policy-checks.ts');
  return ruleWarnings({ policyFiles }, { tools: crib.tools, mayGrow: mayBringTools(crib) });
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
    throw misuse(`The file ${why}.`, 'Check the path; it is relative to the current directory.');
  }
};

/** Lists the policy files in force. `replacement` replaces the user's files; the rules of a project stay in force. */
export const policyFilesFor = async (
  io: Io,
  { policyFiles }: Pick<LoadedConfig, 'policyFiles'>,
  replacement: string | undefined,
): Promise<readonly PolicyFile[]> => {
  if (replacement === undefined) return policyFiles;
  const named = await readPolicyFile(io, replacement);
  return [{ ...named, kind: 'user' }, ...policyFiles.filter(({ kind }) => kind === 'project')];
};

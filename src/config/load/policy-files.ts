/** Reads the rules beside a configuration: the files that `policy.files` names. */
import { join, resolve } from 'node:path';
import type { ConfigProblem } from '../config-error.ts';
import { type Tree, valueAt } from '../document/config-tree.ts';
import { DEFAULT_POLICY_FILE, FOLDER } from './find-config-files.ts';
import { MAX_BYTES } from './parse-config-text.ts';
import { readConfigText, type TextReading, textOf } from './read-config-file.ts';

/** The text of a policy file. Rules of a project can narrow those of the user, never widen them. */
export interface PolicyFile {
  readonly path: string;
  readonly text: string;
  readonly kind: 'user' | 'project';
}

export interface PolicyReading {
  readonly files: readonly PolicyFile[];
  readonly problems: readonly ConfigProblem[];
}

/** Lists the configured names; the schema reports anything that is not a list of names. */
const namesIn = (tree: Tree | undefined): readonly string[] => {
  const { isSet, value } = valueAt(tree, ['policy', 'files']);
  if (!isSet || !Array.isArray(value)) return [DEFAULT_POLICY_FILE];
  return value.filter((name) => typeof name === 'string');
};

interface NamedReading extends TextReading {
  readonly name: string;
  readonly path: string;
}

const collect = (
  readings: readonly NamedReading[],
  { kind, missing }: { readonly kind: PolicyFile['kind']; readonly missing: string },
): PolicyReading => {
  const files: PolicyFile[] = [];
  const problems: ConfigProblem[] = [];
  for (const { name, path, text, fault } of readings) {
    if (text !== undefined) files.push({ path, text, kind });
    else if (fault !== undefined || name !== DEFAULT_POLICY_FILE) {
      problems.push({ file: path, path: 'policy.files', message: fault ?? missing });
    }
  }
  return { files, problems };
};

/** Reads files relative to a folder. Only the default one may be absent. */
export const readPolicyBeside = async (
  folder: string,
  tree: Tree | undefined,
  kind: PolicyFile['kind'] = 'user',
): Promise<PolicyReading> => {
  const readings = namesIn(tree).map(async (name): Promise<NamedReading> => {
    const path = resolve(folder, name);
    return { name, path, ...(await readConfigText(path)) };
  });
  return collect(await Promise.all(readings), {
    kind,
    missing: 'does not exist, but policy.files names it',
  });
};

/** The files of a project as they were hashed, by their path below `.toolcrib`. */
export interface PinnedFiles {
  readonly projectDir: string;
  readonly contents: ReadonlyMap<string, Uint8Array>;
}

/** Gives a file of the project as it was hashed; `undefined` text when there is none of that name. */
export const pinnedText = ({ contents }: PinnedFiles, name: string): TextReading => {
  const bytes = contents.get(name.replace(/^(?:\.\/)+/, ''));
  if (bytes === undefined) return { text: undefined, fault: undefined };
  return bytes.length > MAX_BYTES
    ? { text: undefined, fault: `is larger than ${MAX_BYTES} bytes` }
    : textOf(bytes);
};

/** Reads the files of a trusted project: only those that were hashed. */
export const readPinnedPolicy = (folder: PinnedFiles, tree: Tree | undefined): PolicyReading => {
  const readings = namesIn(tree).map((name) => ({
    name,
    path: join(folder.projectDir, FOLDER, name),
    ...pinnedText(folder, name),
  }));
  return collect(readings, {
    kind: 'project',
    missing: `is not among the rules of the project: YAML files in ${FOLDER}, or below ${FOLDER}/policy`,
  });
};

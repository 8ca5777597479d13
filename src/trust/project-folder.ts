/**
 * Reads once the files in a project's `.toolcrib` that the runtime would obey. What is hashed here
 * is parsed later, so nothing can change in between.
 */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConfigProblem } from '../config/config-error.ts';
import { FOLDER } from '../config/load/find-config-files.ts';
import { type FileCheck, readBytes } from '../config/load/read-config-file.ts';
import { sha256Hex } from '../kit/data/canonical-json.ts';

/** Everything in these is obeyed; elsewhere only YAML files in the folder itself and the locks. */
const TREES: ReadonlySet<string> = new Set(['tools', 'flows', 'policy']);
export const LOCK = 'tools.lock';
/** Names the installed packages, with the digest of their files: it stands for all of them. */
export const PACKAGES_LOCK = 'packages.lock';
const LOCKS: readonly string[] = [LOCK, PACKAGES_LOCK];
const YAML = /\.ya?ml$/i;

const MAX_FILES = 2000;
const MAX_BYTES_EACH = 8 * 1024 * 1024;
const MAX_BYTES_ALL = 32 * 1024 * 1024;
const MAX_DEPTH = 16;

export interface ProjectFolder {
  /** As it was found; links in it are not resolved. */
  readonly projectDir: string;
  /** Where it really lies: trust is given to this place. */
  readonly realDir: string;
  /** SHA-256 over the list of files and their hashes. */
  readonly hash: string;
  /** The SHA-256 of every file, by its path below `.toolcrib` with `/` between. */
  readonly files: Readonly<Record<string, string>>;
  /** The bytes of the YAML files, the locks and everything in the trees, as they were hashed. */
  readonly contents: ReadonlyMap<string, Uint8Array>;
  /** What keeps the folder from being trusted at all. */
  readonly problems: readonly ConfigProblem[];
}

interface Reading {
  readonly deps: FolderDeps;
  readonly hashes: Map<string, string>;
  readonly contents: Map<string, Uint8Array>;
  readonly problems: ConfigProblem[];
  left: number;
}

export interface FolderDeps {
  readonly projectDir: string;
  readonly realDir: string;
  readonly check?: FileCheck | undefined;
}

/** Ignores case: some file systems take `Tools` for `tools`. */
const isTree = (name: string): boolean => TREES.has(name.toLowerCase());

const isObeyed = (path: readonly string[]): boolean => {
  const [first = ''] = path;
  if (path.length > 1) return isTree(first);
  return isTree(first) || YAML.test(first) || LOCKS.includes(first.toLowerCase());
};

const complain = (reading: Reading, path: readonly string[], message: string): void => {
  const file = join(reading.deps.projectDir, FOLDER, ...path);
  reading.problems.push({ file, path: '', message });
};

const readOne = async (reading: Reading, path: readonly string[]): Promise<void> => {
  const { check, realDir } = reading.deps;
  const file = join(realDir, FOLDER, ...path);
  const { bytes, fault } = await readBytes(file, {
    check,
    noLink: true,
    maxBytes: Math.min(MAX_BYTES_EACH, Math.max(reading.left, 0)),
  });
  if (bytes === undefined) return complain(reading, path, fault ?? 'vanished while it was read');
  reading.left -= bytes.length;
  const name = path.join('/');
  reading.hashes.set(name, sha256Hex(bytes));
  // What is parsed or compiled later is what was hashed here.
  if (YAML.test(name) || isTree(path[0] ?? '') || LOCKS.includes(name))
    reading.contents.set(name, bytes);
};

const readTree = async (reading: Reading, path: readonly string[]): Promise<void> => {
  if (path.length > MAX_DEPTH) return complain(reading, path, 'is nested too deep');
  const folder = join(reading.deps.realDir, FOLDER, ...path);
  const entries = await readdir(folder, { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      complain(reading, path, `cannot be read (${error.code})`);
      return [];
    },
  );
  for (const entry of entries) {
    const below = [...path, entry.name];
    if (!isObeyed(below)) continue;
    if (reading.hashes.size >= MAX_FILES) {
      return complain(reading, path, `holds more than ${MAX_FILES} files`);
    }
    // A link could lead to something that is not the project's to show.
    if (entry.isSymbolicLink()) complain(reading, below, 'is a link; put what it leads to here');
    else if (entry.isDirectory()) await readTree(reading, below);
    else await readOne(reading, below);
  }
};

type Entries = readonly (readonly [string, string])[];

const sorted = (files: Entries): Entries => files.toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Lists are unambiguous as JSON; the version says what was listed, and how. */
const hashOf = (files: Entries): string => sha256Hex(JSON.stringify(['toolcrib project 1', files]));

/** Computes the hash of a folder from the hashes of its files. */
export const hashOfFiles = (files: Readonly<Record<string, string>>): string =>
  hashOf(sorted(Object.entries(files)));

/** Reads the folder. Never throws: a folder with problems is not to be trusted. */
export const readProjectFolder = async (deps: FolderDeps): Promise<ProjectFolder> => {
  const reading: Reading = {
    deps,
    hashes: new Map(),
    contents: new Map(),
    problems: [],
    left: MAX_BYTES_ALL,
  };
  const stats = await lstat(join(deps.realDir, FOLDER)).catch(() => undefined);
  if (stats?.isDirectory()) await readTree(reading, []);
  else if (stats) complain(reading, [], 'is a link or no folder; put the folder itself here');
  else
    complain(reading, [], 'is not there any more; to give its rules up: toolcrib trust --revoke');
  const files = sorted([...reading.hashes]);
  return {
    projectDir: deps.projectDir,
    realDir: deps.realDir,
    hash: hashOf(files),
    files: Object.fromEntries(files),
    contents: reading.contents,
    problems: reading.problems,
  };
};

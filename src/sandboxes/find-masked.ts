/**
 * Finds what must not be seen, or not be written, below a granted folder. Walks the folder before each
 * run, because a mount can only cover what is there.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { ToolFailure } from '../contract/errors.ts';

export interface NamedPath {
  /** The segments of the granted path. */
  readonly above: readonly string[];
  readonly below: readonly string[];
  readonly isFolder: boolean;
}

export interface Masks {
  /** Tells whether a path holds secrets: it reads as empty. */
  isSecret(path: NamedPath): boolean;
  /**
   * Tells whether programs run or trust what is at a path: it is read-only below a path granted for writing.
   * `above` are the segments of that path, which may be a protected folder granted for itself.
   */
  isProtected(below: readonly string[], above: readonly string[]): boolean;
  /** Tells whether git takes a folder with these names in it for a repository. */
  isRepository?(names: readonly string[]): boolean;
  /** What holds where nothing but git runs. */
  readonly git?: Masks;
}

export interface Masked {
  readonly path: string;
  /** `in-place`: a folder that is written as before, but not moved, because its name covers what is in it. */
  readonly as: 'empty-file' | 'empty-folder' | 'read-only' | 'in-place';
}

/** Walking more folders would cost more than the program itself. */
export const MAX_FOLDERS = 20_000;

/** Installed packages: many, and published by others, so users keep no secrets in them. */
export const NOT_WALKED: ReadonlySet<string> = new Set(['node_modules']);

interface Walk {
  readonly root: string;
  readonly writable: boolean;
  readonly masks: Masks;
}

const tooMany = () =>
  new ToolFailure('SANDBOX_ERROR', 'A folder granted to the sandbox holds too many folders.', {
    suggestions: [`Grant a folder with at most ${MAX_FOLDERS} folders below it.`],
  });

const entriesOf = (folder: string) => {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // What we cannot list, the sandbox cannot list either: it has the same rights or fewer.
    return [];
  }
};

const nodeOf = (path: string): { readonly node: string; readonly names: number } => {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return { node: `${stats?.dev}:${stats?.ino}`, names: stats?.nlink ?? 0 };
};

/** Finds hard links to the covered files. Looks only when a secret has several names. */
const otherNames = (covered: readonly Masked[], files: readonly string[]): readonly Masked[] => {
  const secrets = covered
    .filter(({ as }) => as === 'empty-file')
    .map(({ path }) => nodeOf(path))
    .filter(({ names }) => names > 1);
  if (secrets.length === 0) return [];
  const nodes = new Set(secrets.map(({ node }) => node));
  const hidden = new Set(covered.map(({ path }) => path));
  return files
    .filter((path) => !hidden.has(path) && nodes.has(nodeOf(path).node))
    .map((path) => ({ path, as: 'empty-file' }));
};

/**
 * Finds the folders without whose names something covered would be a file like others: moved away,
 * `.docker` would leave a `config.json` that anybody reads in the next run. Leaves out those that are
 * read-only or lie below one that is: nothing moves there, and a mount on top would make them writable.
 */
const namingFolders = (
  covered: readonly Masked[],
  { root, masks }: Walk,
  above: readonly string[],
): readonly Masked[] => {
  const readOnly = new Set(covered.filter(({ as }) => as === 'read-only').map(({ path }) => path));
  const folders = new Set<string>();
  for (const { path, as } of covered) {
    const below = path.slice(root.length).split(sep).filter(Boolean);
    const paths = below.map((_name, at) => join(root, ...below.slice(0, at + 1)));
    const isCovered = (names: readonly string[]): boolean =>
      as === 'read-only'
        ? masks.isProtected(names, above)
        : masks.isSecret({ above, below: names, isFolder: as === 'empty-folder' });
    const needed = below.findIndex((_name, at) => isCovered(below.slice(-at - 1)));
    const fixedFrom = paths.findIndex((folder) => readOnly.has(folder));
    const end = fixedFrom < 0 ? below.length - 1 : Math.min(fixedFrom, below.length - 1);
    // None at all where no name covers it, as with a socket.
    const start = needed < 0 ? end : below.length - 1 - needed;
    for (const folder of paths.slice(start, end)) folders.add(folder);
  }
  return [...folders].sort().map((path) => ({ path, as: 'in-place' }));
};

/**
 * Lists every path to cover below `root`, outermost first, and before them the folders that have to stay
 * in place. Links are left out: they grant nothing.
 */
export const findMasked = ({ root, writable, masks }: Walk): readonly Masked[] => {
  const above = root.split(sep).filter(Boolean);
  const masked: Masked[] = [];
  const files: string[] = [];
  const open: (readonly string[])[] = [[]];
  // One mount covers a protected folder; one for each of the thousands of files of .git would not do.
  const covered = new Set<readonly string[]>();
  for (let at = 0; at < open.length; at += 1) {
    if (at >= MAX_FOLDERS) throw tooMany();
    const folder = open[at] as readonly string[];
    const entries = entriesOf(join(root, ...folder));
    const isRepository =
      writable && folder.length > 0 && masks.isRepository?.(entries.map(({ name }) => name));
    if (isRepository && !covered.has(folder)) {
      masked.push({ path: join(root, ...folder), as: 'read-only' });
      covered.add(folder);
    }
    for (const entry of entries) {
      if (entry.isSymbolicLink()) continue;
      const below = [...folder, entry.name];
      const isFolder = entry.isDirectory();
      const path = join(root, ...below);
      if (masks.isSecret({ above, below, isFolder })) {
        masked.push({ path, as: isFolder ? 'empty-folder' : 'empty-file' });
        continue;
      }
      // A socket answers even on a read-only mount, and its server is not sandboxed.
      if (entry.isSocket()) masked.push({ path, as: 'empty-file' });
      const isCovered = covered.has(folder);
      const isProtected = !isCovered && writable && masks.isProtected(below, above);
      if (isProtected && !entry.isSocket()) masked.push({ path, as: 'read-only' });
      if (!isFolder) files.push(path);
      if (!isFolder || NOT_WALKED.has(entry.name)) continue;
      if (isCovered || isProtected) covered.add(below);
      open.push(below);
    }
  }
  const inPlace = writable ? namingFolders(masked, { root, writable, masks }, above) : [];
  return [...inPlace, ...masked, ...otherNames(masked, files)];
};

/**
 * Decides which files can be reached: below a root segment by segment, through no link that leaves
 * it, under no secret name, and for writing under no name that programs trust. An opened file is
 * checked again, so that a swap between check and use is noticed.
 */
import type { Stats } from 'node:fs';
import { type FileHandle, lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import { createOneAtATime, type OneAtATime } from '../../kit/data/bounded-work.ts';
import { onFiles, systemCode } from './file-failure.ts';
import {
  bestVerification,
  type Folder,
  openFolder,
  openVerified,
  type Verification,
} from './open-verified.ts';
import { assertPlainPath, isOddPath } from './path-text.ts';
import { dropLeftovers } from './replace-file.ts';
import { type Access, openWorkspaceRoots, type WorkspaceRoots } from './workspace-roots.ts';

export interface PathGuardOptions {
  /** Must exist. */
  readonly root: string;
  /** Further folders that absolute paths may lie in. Must exist. */
  readonly extraRoots?: readonly string[];
  /** More names that are never written, such as `.husky` or `deploy/*.yml`. */
  readonly protectedNames?: readonly string[];
  /** How an open file is checked; the strongest way of this machine by default. */
  readonly verification?: Verification;
}

/** A path that was judged, and what it leads to. */
export interface LocatedPath {
  /** The path as spelled, absolute; links are not followed. */
  readonly asked: string;
  /** Every link resolved. */
  readonly absolute: string;
  /** Relative to the workspace root with forward slashes; absolute in another root. */
  readonly shown: string;
  /** `undefined` when nothing is there. */
  readonly stats: Stats | undefined;
  /** The deepest part that exists, and the names below it that do not. */
  readonly existing: string;
  readonly missing: readonly string[];
  /** The name asked for is itself a link. */
  readonly isLink: boolean;
  readonly isRoot: boolean;
  /** The root it lies in, and its segments below that. */
  readonly root: string;
  readonly below: readonly string[];
}

export interface PathGuard {
  readonly root: string;
  /** Gives the absolute path of a name, links not resolved. Throws for a path in no root. */
  spellOut(path: string): string;
  /** Judges a path. Throws for one that may not be accessed that way. */
  locate(path: string, access: Access): Promise<LocatedPath>;
  /** Gives the absolute path of a file or folder, existing or not. Throws for special files. */
  resolve(path: string, access: Access): Promise<string>;
  /** Gives the root of a resolved path, and its segments below it. Throws when it has none. */
  rootOf(absolute: string): Pick<LocatedPath, 'root' | 'below'>;
  openFile(absolute: string): Promise<FileHandle>;
  openFolder(absolute: string): Promise<Folder>;
  /** Tells whether the text of an absolute path lies in a root. Links may still lead elsewhere. */
  isInside(path: string): boolean;
  /** Tells whether the name of an absolute path in a root makes it a secret. */
  isSecret(path: string): boolean;
  /** Tells whether a listing shows an entry of a folder. */
  shows(folder: string, name: string, isFolder: boolean): boolean;
  /** Serializes work that changes the same file. */
  readonly oneAtATime: OneAtATime;
}

const dangling = () =>
  new ToolFailure('SECURITY_VIOLATION', 'The path leads through a link to nothing.', {
    suggestions: ['Name the file itself instead of a link.'],
  });

/** Throws for pipes, sockets and devices, and for a file to be written that has several names. */
export const assertOrdinary = (stats: Stats, access: Access): void => {
  if (!stats.isFile() && !stats.isDirectory()) {
    throw new ToolFailure('SECURITY_VIOLATION', 'The path is a pipe, socket or device.', {
      suggestions: ['Only regular files and directories can be used.'],
    });
  }
  if (access === 'write' && stats.isFile() && stats.nlink > 1) {
    throw new ToolFailure(
      'SECURITY_VIOLATION',
      'The file has more than one hard link, so a write could change a file elsewhere.',
      { suggestions: ['Remove its other names, or write a copy under a new name.'] },
    );
  }
};

const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(systemCode(error));

/** Tells whether a path is a link; false when it cannot be read, since opening it reports why. */
const isLink = (path: string): Promise<boolean> =>
  lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );

/** Resolves the deepest part of a path that exists, and lists the names below it that do not. */
const followLinks = async (path: string): Promise<Pick<LocatedPath, 'existing' | 'missing'>> => {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      return { existing: await realpath(at), missing };
    } catch (error) {
      if (!isMissing(error)) throw error;
      if (await isLink(at)) throw dangling();
      missing.unshift(basename(at));
    }
  }
};

interface Judge {
  readonly roots: WorkspaceRoots;
  readonly verification: Verification;
}

/** Removes names that a crash of ours gave the file, and reads its stats again. */
const withoutLeftovers = async (judge: Judge, path: string, file: Stats): Promise<Stats> => {
  const folder = await openFolder({ path: dirname(path), verification: judge.verification });
  try {
    await dropLeftovers(folder, file);
    return await lstat(folder.at(basename(path)));
  } finally {
    await folder.close();
  }
};

const locateIn = async (judge: Judge, path: string, access: Access): Promise<LocatedPath> => {
  const { roots } = judge;
  assertPlainPath(path, process.platform);
  const asked = roots.spellOut(path);
  const { existing, missing } = await followLinks(asked);
  const absolute = join(existing, ...missing);
  const present = missing.length === 0 ? await lstat(absolute) : undefined;
  const isFolder = present?.isDirectory() ?? false;
  roots.assertAllowed({ path: asked, access, isFolder });
  roots.assertAllowed({ path: absolute, access, isFolder });
  const stats =
    access === 'write' && present?.isFile() && present.nlink > 1
      ? await withoutLeftovers(judge, absolute, present)
      : present;
  return {
    asked,
    absolute,
    shown: roots.shown(absolute),
    stats,
    existing,
    missing,
    isLink: asked !== absolute && (await isLink(asked)),
    isRoot: roots.isRoot(absolute),
    ...roots.rootOf(absolute),
  };
};

/** Throws when a root is missing. Everything else is judged call by call. */
export const createPathGuard = (options: PathGuardOptions): PathGuard => {
  const { root, extraRoots = [], protectedNames = [] } = options;
  const { verification = bestVerification() } = options;
  const roots = openWorkspaceRoots({ root, extraRoots, protectedNames });
  const judge = { roots, verification };
  return {
    root: roots.main,
    spellOut: (path) => roots.spellOut(path),
    locate: (path, access) => onFiles(() => locateIn(judge, path, access)),
    resolve: (path, access) =>
      onFiles(async () => {
        const { absolute, stats } = await locateIn(judge, path, access);
        if (stats) assertOrdinary(stats, access);
        return absolute;
      }),
    rootOf: (path) => roots.rootOf(path),
    openFile: (path) => onFiles(() => openVerified({ path, kind: 'file', verification })),
    openFolder: (path) => onFiles(() => openFolder({ path, verification })),
    isInside: (path) => roots.isInside(path),
    isSecret: (path) => roots.isSecret(path, false),
    shows: (folder, name, isFolder) =>
      !isOddPath(name, process.platform) && !roots.isSecret(join(folder, name), isFolder),
    oneAtATime: createOneAtATime(),
  };
};

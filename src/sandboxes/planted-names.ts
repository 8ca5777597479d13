/**
 * Finds what a sandboxed program has put where other programs look for something to run or trust: a
 * mount covers only what exists when the run starts, so new files are judged when it is over. They are
 * renamed, not deleted: somebody else may have made them meanwhile.
 */
import { chmodSync, lstatSync, readdirSync, readlinkSync, renameSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { ToolFailure } from '../contract/errors.ts';
import { MAX_FOLDERS, type Masks, NOT_WALKED } from './find-masked.ts';
import type { SandboxGrant } from './sandbox-grants.ts';

interface Trusted {
  /** Device and number on it: the same wherever it is moved to. */
  readonly node: string;
  /** Where it leads, if it is a link. */
  readonly link: string | undefined;
  /** Directly in the granted folder, where a mount keeps its name from being reused. */
  readonly isTop: boolean;
}

interface FolderState {
  readonly trusted: ReadonlyMap<string, Trusted>;
  /** Folders that could not be looked into. */
  readonly closed: ReadonlySet<string>;
}

interface WatchedFolder {
  readonly root: string;
  readonly above: readonly string[];
  /** Folders with a grant of their own, and its rules. */
  readonly apart: ReadonlySet<string>;
  readonly masks: Masks;
}

export interface PlantedWatch {
  /** Fails with SECURITY_VIOLATION when something new had to be taken out of effect. */
  settle(): void;
}

const entriesOf = (folder: string) => {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return undefined;
  }
};

/** Opens a folder again that the program has closed; its owner may. */
const reopened = (folder: string) => {
  try {
    chmodSync(folder, 0o700);
  } catch {
    return undefined;
  }
  return entriesOf(folder);
};

const tooMany = () =>
  new ToolFailure('SANDBOX_ERROR', 'There are too many folders to see what the program made.', {
    suggestions: [`Grant a folder with at most ${MAX_FOLDERS} folders below it.`],
  });

const trustedAt = (path: string, isTop: boolean): Trusted => {
  const stat = lstatSync(path);
  const link = stat.isSymbolicLink() ? readlinkSync(path) : undefined;
  return { node: `${stat.dev}:${stat.ino}`, link, isTop };
};

/** Finds trusted names. A protected folder is one entry: its content was read-only, or is as new as it. */
const scan = ({ root, above, apart, masks }: WatchedFolder, before?: FolderState): FolderState => {
  const trusted = new Map<string, Trusted>();
  const closed = new Set<string>();
  const open: (readonly string[])[] = [[]];
  for (let at = 0; at < open.length; at += 1) {
    if (at >= MAX_FOLDERS) throw tooMany();
    const folder = open[at] as readonly string[];
    const here = join(root, ...folder);
    const mayReopen = before !== undefined && !before.closed.has(here);
    const entries = entriesOf(here) ?? (mayReopen ? reopened(here) : undefined);
    if (entries === undefined) closed.add(here);
    const isRepository = masks.isRepository?.((entries ?? []).map(({ name }) => name)) ?? false;
    for (const entry of entries ?? []) {
      const below = [...folder, entry.name];
      const path = join(root, ...below);
      if (apart.has(path)) continue;
      const isHead = isRepository && entry.name.toLowerCase() === 'head';
      if (isHead || masks.isProtected(below, above))
        trusted.set(path, trustedAt(path, below.length === 1));
      else if (entry.isDirectory() && !NOT_WALKED.has(entry.name)) open.push(below);
    }
  }
  return { trusted, closed };
};

/** Tells whether it was there before, here or elsewhere. In the top only somebody outside can replace a name. */
const isKnown = (path: string, now: Trusted, { trusted }: FolderState): boolean => {
  const was = trusted.get(path);
  if (was?.isTop && was.link === undefined && now.link === undefined) {
    return true;
  }
  if (now.link !== undefined) return was !== undefined && was.link === now.link;
  return [...trusted.values()].some(({ node, link }) => node === now.node && link === undefined);
};

/** Makes a name in the same folder that no program looks for. */
const aside = (path: string, random: () => number): string => {
  const mark = Math.floor(random() * 36 ** 8).toString(36);
  return join(dirname(path), `refused-${mark}-${basename(path).replace(/^\.+/, '')}`);
};

const plantedFailure = (count: number): ToolFailure =>
  new ToolFailure(
    'SECURITY_VIOLATION',
    `The program made or hid ${count} thing(s) that other programs would run or trust.`,
    { suggestions: ['Have a person look at them: they are called refused-… now.'] },
  );

const settleFolder = (
  watched: WatchedFolder,
  before: FolderState,
  random: () => number,
): number => {
  const after = scan(watched, before);
  let count = [...after.closed].filter((folder) => !before.closed.has(folder)).length;
  for (const [path, now] of after.trusted) {
    if (isKnown(path, now, before)) continue;
    renameSync(path, aside(path, random));
    const link = before.trusted.get(path)?.link;
    if (link !== undefined) symlinkSync(link, path);
    count += 1;
  }
  return count;
};

/** Scans, before the run, everything that it may write. */
export const watchPlanted = (
  grants: readonly SandboxGrant[],
  masks: Masks,
  random: () => number,
): PlantedWatch => {
  const folders = grants.filter(({ writable, isFolder }) => writable && isFolder);
  const sources = folders.map(({ source }) => source);
  const watched = sources.map((root) => {
    const above = root.split(sep).filter(Boolean);
    const apart = new Set(sources.filter((other) => other !== root));
    const folder = { root, above, apart, masks };
    return { folder, before: scan(folder) };
  });
  return {
    settle: () => {
      const counts = watched.map(({ folder, before }) => settleFolder(folder, before, random));
      const count = counts.reduce((sum, each) => sum + each, 0);
      if (count > 0) throw plantedFailure(count);
    },
  };
};

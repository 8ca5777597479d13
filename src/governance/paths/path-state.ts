/**
 * Tells whether a path still consists of the same folders and the same file. Paths are names: another
 * folder can be renamed to an approved one, and no link shows it.
 */
import { type BigIntStats, closeSync, constants, lstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { PathState, PathUse } from '../../contract/path-state.ts';
import { sha256Hex } from '../../kit/data/canonical-json.ts';
import { OPEN_SAFELY } from './open-verified.ts';

/** A larger file is known by its size and times. */
const MAX_DIGESTED = 4 * 1024 * 1024;
const NANOS_PER_MS = 1_000_000n;
const FILE = 'file:';

const statsOf = (path: string): BigIntStats | undefined => {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    // Not to be looked at, or below something that is no folder any more.
    return undefined;
  }
};

const kindOf = (stats: BigIntStats): string => {
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'folder' : 'other';
};

/** Identifies a file or folder, also by its birth time: systems reuse inode numbers. */
const identityOf = (stats: BigIntStats): string =>
  `${kindOf(stats)}:${stats.dev}:${stats.ino}:${stats.birthtimeNs}`;

const bornAtMs = (identity: string): number =>
  Number(BigInt(identity.split(':')[3] as string) / NANOS_PER_MS);

const markOf = ({ size, mtimeNs }: BigIntStats): string => `${size}:${mtimeNs}`;

/** Digests a file, or its size and times if it is large. Follows no link, waits for no pipe. */
const digestOf = (path: string, stats: BigIntStats): string => {
  if (stats.size > MAX_DIGESTED) return `${markOf(stats)}:${stats.ctimeNs}`;
  const file = openSync(path, constants.O_RDONLY | OPEN_SAFELY);
  try {
    const bytes = Buffer.alloc(Number(stats.size) + 1);
    return sha256Hex(bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0)));
  } finally {
    closeSync(file);
  }
};

const contentOf = (path: string, stats: BigIntStats, use: PathUse): string | undefined => {
  if (use === 'named') return undefined;
  if (!stats.isFile()) return kindOf(stats);
  return use === 'run' ? digestOf(path, stats) : markOf(stats);
};

export interface StatedPath {
  /** A root of the workspace, and the segments below it; links are not followed. */
  readonly root: string;
  readonly below: readonly string[];
  readonly use: PathUse;
}

/** Looks at every part of a path that exists, from the root down. */
export const pathState = ({ root, below, use }: StatedPath): PathState => {
  const chain: string[] = [];
  let path = root;
  for (let at = 0; at <= below.length; at += 1) {
    if (at > 0) path = join(path, below[at - 1] as string);
    const stats = statsOf(path);
    if (stats === undefined) break;
    chain.push(identityOf(stats));
    if (at < below.length) continue;
    const content = contentOf(path, stats, use);
    if (content !== undefined) return { use, chain, content };
  }
  return { use, chain };
};

/**
 * Tells whether a part of the path was created after the question, as editors do when they save a
 * file. A part that is older was moved there.
 */
const isMadeSince = (before: string | undefined, now: string, askedAt: number): boolean => {
  const isSave = before?.startsWith(FILE) === true && now.startsWith(FILE);
  return (before === undefined || isSave) && bornAtMs(now) > askedAt;
};

/** Tells whether a path is still what it was when a person was asked about it. */
export const isSamePath = (before: PathState, now: PathState, askedAt: number): boolean =>
  before.use === now.use &&
  before.content === now.content &&
  now.chain.length >= before.chain.length &&
  now.chain.every(
    (part, at) => part === before.chain[at] || isMadeSince(before.chain[at], part, askedAt),
  );

/**
 * As whom a sandboxed program runs. Never with the rights of root when another user will do: a
 * namespace hides root's name, but files still take the process for their owner.
 */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';

export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

interface Grant {
  readonly path: string;
  readonly writable: boolean;
}

/** `nobody` of every Linux. */
const NOBODY: Identity = { uid: 65_534, gid: 65_534 };

const READ = 4;
const WRITE = 2;
const ENTER = 1;

interface Owned extends Identity {
  readonly mode: number;
  readonly isFolder: boolean;
}

const look = (path: string): Owned => {
  const stat = statSync(path);
  return { uid: stat.uid, gid: stat.gid, mode: stat.mode, isFolder: stat.isDirectory() };
};

const may = (who: Identity, { uid, gid, mode }: Owned, rights: number): boolean => {
  const shift = who.uid === uid ? 6 : who.gid === gid ? 3 : 0;
  return ((mode >> shift) & rights) === rights;
};

/** Tells whether a user may read or write the path and enter every folder above it. */
export const reaches = (who: Identity, { path, writable }: Grant): boolean => {
  const target = look(path);
  const rights = READ | (writable ? WRITE : 0) | (target.isFolder ? ENTER : 0);
  if (!may(who, target, rights)) return false;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (!may(who, look(folder), ENTER)) return false;
    if (folder === dirname(folder)) return true;
  }
};

/**
 * Chooses the identity. For a user: that user. For root: `nobody`, or else an owner of what is granted,
 * and root only where no other user can reach it.
 */
export const sandboxIdentity = (own: Identity, grants: readonly Grant[]): Identity => {
  if (own.uid !== 0) return own;
  const owners = grants.map(({ path }) => look(path)).filter(({ uid }) => uid !== 0);
  const all = [NOBODY, ...owners.map(({ uid, gid }) => ({ uid, gid }))];
  return all.find((who) => grants.every((grant) => reaches(who, grant))) ?? own;
};

/**
 * Recognises a word of git that names branches, tags or commits, as `main...fix-token` does, and no file: it
 * may read like the name of a secret.
 */
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryOf } from './find-repository.ts';

const COMMIT = /^(?:HEAD|@|[0-9a-f]{4,64})$/;
/** No part of the name leads elsewhere. */
const NAME = /^(?!.*(?:\.\.|\/\.|\/\/))[A-Za-z0-9][\w./+-]{0,200}$/;
const KINDS = ['heads', 'tags', 'remotes'] as const;
/** What git packs of the references of a large repository. */
const MAX_PACKED_BYTES = 4 * 1024 * 1024;

const packedIn = (commonDir: string): string => {
  const path = join(commonDir, 'packed-refs');
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() && stats.size <= MAX_PACKED_BYTES ? readFileSync(path, 'utf8') : '';
};

/** Finds branches and tags by name; what git packed is read at most once. */
const referencesIn = (commonDir: string): ((name: string) => boolean) => {
  let packed: string | undefined;
  const isLoose = (path: string): boolean =>
    lstatSync(join(commonDir, path), { throwIfNoEntry: false })?.isFile() === true;
  return (name) => {
    if (!NAME.test(name)) return false;
    const paths = KINDS.map((kind) => `refs/${kind}/${name}`);
    if (paths.some(isLoose)) return true;
    packed ??= packedIn(commonDir);
    return paths.some((path) => packed?.includes(` ${path}\n`));
  };
};

/**
 * Tells whether each part of a word of git is known as a branch, tag or commit, and no file of that name
 * lies in the folder that git starts in.
 */
export const namesBranches = (root: string, word: string, folder = root): boolean => {
  const repository = repositoryOf(root);
  if (repository === undefined || existsSync(join(folder, word))) return false;
  const parts = word.split(/\.{2,3}/).filter((part) => part !== '');
  const names = parts.map((part) => part.replace(/(?:[~^]\d*|@\{\w*\})+$/, '').replace(/^\^/, ''));
  const isReference = referencesIn(repository.commonDir);
  return names.length > 0 && names.every((name) => COMMIT.test(name) || isReference(name));
};

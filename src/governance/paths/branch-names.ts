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

const isReference = (commonDir: string, name: string): boolean =>
  NAME.test(name) &&
  KINDS.some(
    (kind) =>
      lstatSync(join(commonDir, 'refs', kind, name), { throwIfNoEntry: false })?.isFile() ||
      packedIn(commonDir).includes(` refs/${kind}/${name}\n`),
  );

/**
 * Tells whether each part of a word of git is known as a branch, tag or commit, and no file of that name
 * lies in the folder that git starts in.
 */
export const namesBranches = (root: string, word: string, folder = root): boolean => {
  const repository = repositoryOf(root);
  if (repository === undefined || existsSync(join(folder, word))) return false;
  const parts = word.split(/\.{2,3}/).filter((part) => part !== '');
  const names = parts.map((part) => part.replace(/(?:[~^]\d*|@\{\w*\})+$/, '').replace(/^\^/, ''));
  return (
    names.length > 0 &&
    names.every((name) => COMMIT.test(name) || isReference(repository.commonDir, name))
  );
};

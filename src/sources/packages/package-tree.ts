/** The files of an installed package: their digest, and how they are read so that nothing else gets in. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import { PACKAGE_LIMITS } from '../../kit/archive/read-tarball.ts';
import { sha256Hex } from '../../kit/data/canonical-json.ts';
import { errorCodeOf } from '../../kit/data/reason-of.ts';
import { readCheckedFile } from '../../kit/file/private-file.ts';
import type { PackageFiles } from './package-manifest.ts';

const byPath = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : 1;

/** Hashes every path with its content. */
export const treeDigest = (files: PackageFiles): string => {
  const lines = [...files].map(([path, bytes]) => [path, sha256Hex(bytes)] as const);
  return `sha256-${sha256Hex(JSON.stringify(['toolcrib package 1', lines.toSorted(byPath)]))}`;
};

const changed = (why: string): ToolFailure =>
  new ToolFailure('PERMISSION_DENIED', `The installed files are not those of the lock: ${why}.`, {
    suggestions: ['Install the package again, or remove it with toolcrib uninstall.'],
  });

/** Reads a folder. Refuses links and what is no file: neither can come from an installation. */
export const readTree = async (folder: string): Promise<PackageFiles> => {
  const files = new Map<string, Uint8Array>();
  let left = PACKAGE_LIMITS.maxUnpackedBytes;
  const walk = async (below: string): Promise<void> => {
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) {
        await walk(path);
        continue;
      }
      if (!entry.isFile() || files.size >= PACKAGE_LIMITS.maxFiles)
        throw changed(`${path} was added`);
      const bytes = await readCheckedFile(join(folder, path), { maxBytes: left, noLink: true });
      if (typeof bytes === 'string') throw changed(`${path} cannot be read`);
      left -= bytes.length;
      files.set(path, bytes);
    }
  };
  await walk('').catch((error: unknown) => {
    if (errorCodeOf(error) === 'ENOENT') throw changed('files are missing');
    throw error;
  });
  return files;
};

/** Reads the files of an installed package. Rejects with PERMISSION_DENIED when one has changed. */
export const readPinnedTree = async (folder: string, digest: string): Promise<PackageFiles> => {
  const files = await readTree(folder);
  if (treeDigest(files) !== digest) throw changed('a file was changed, added or removed');
  return files;
};

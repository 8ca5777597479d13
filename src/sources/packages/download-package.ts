/** Fetches the tarball of a package. Nothing is unpacked here, and no script is run. */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import { PACKAGE_LIMITS } from '../../kit/archive/read-tarball.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { errorCodeOf } from '../../kit/data/reason-of.ts';
import { readCheckedFile } from '../../kit/file/private-file.ts';
import type { PackageSpec } from './package-spec.ts';
import { readGit } from './read-git.ts';
import { type NpmDeps, runNpm } from './run-npm.ts';

export interface DownloadDeps extends NpmDeps {
  /** Goes through the egress guard; reaches this machine only where the address names it. */
  fetchTarball(address: string, signal: AbortSignal): Promise<Uint8Array>;
}

export interface DownloadFolder {
  /** Empty, and on no project's path. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

export interface Download {
  readonly tarball: Uint8Array;
  /** As `sha512-…`. */
  readonly integrity: string;
  /** The commit, where the source is git: a branch or tag may name another one later. */
  readonly commit?: string;
}

export const integrityOf = (bytes: Uint8Array): string =>
  `sha512-${createHash('sha512').update(bytes).digest('base64')}`;

const unreadable = (reason: string): ToolFailure =>
  new ToolFailure('NOT_FOUND', `The tarball cannot be read: ${reason}.`, {
    suggestions: ['Check the path.'],
  });

const notThere = (): ToolFailure =>
  new ToolFailure('NOT_FOUND', 'There is no such file or folder.', {
    suggestions: ['Check the path. A package of the registry is named without ./ before it.'],
  });

const readTarballFile = async (path: string): Promise<Uint8Array> => {
  const bytes = await readCheckedFile(path, { maxBytes: PACKAGE_LIMITS.maxPackedBytes }).catch(
    (error: unknown) => {
      throw errorCodeOf(error) === 'ENOENT' ? notThere() : unreadable(errorCodeOf(error));
    },
  );
  if (typeof bytes !== 'string') return bytes;
  throw unreadable(bytes === 'too-large' ? 'it is too large' : 'it is no plain file');
};

/** Lets npm find a package of the registry, or pack a folder, and write the tarball into its folder. */
const packed = async (what: string, deps: NpmDeps, { folder, signal }: DownloadFolder) => {
  const args = ['pack', '--json', '--ignore-scripts', `--pack-destination=${folder}`, '--', what];
  await runNpm(deps, { args, folder, signal });
  const names = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  const [name] = names;
  if (name === undefined || names.length > 1) throw unreadable('npm made none');
  return readTarballFile(join(folder, name));
};

/** Fetches the tarball. Rejects with the reason. */
export const downloadPackage = async (
  spec: PackageSpec,
  deps: DownloadDeps,
  place: DownloadFolder,
): Promise<Download> => {
  if (spec.type === 'git') {
    const { folder, commit } = await readGit(spec, deps, place);
    const tarball = await packed(folder, deps, place);
    return { tarball, integrity: integrityOf(tarball), commit };
  }
  const read = (): Promise<Uint8Array> => {
    if (spec.type === 'url') return deps.fetchTarball(spec.location, place.signal);
    if (spec.type === 'local' && !spec.isFolder) return readTarballFile(spec.location);
    return packed(spec.text, deps, place);
  };
  const tarball = await read();
  return { tarball, integrity: integrityOf(tarball) };
};

/** What the registry says of one version. */
export interface RegistryRecord {
  /** Absent for packages of registries that know no SHA-512. */
  readonly integrity?: string;
  readonly tarball?: string;
}

const withoutCredentials = (address: string): string | undefined => {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  return `${url.protocol}//${url.host}${url.pathname}`;
};

/** Asks the registry what it says of a version: its tarball has to be exactly that. */
export const registryRecord = async (
  version: string,
  deps: NpmDeps,
  { folder, signal }: DownloadFolder,
): Promise<RegistryRecord> => {
  const args = ['view', '--json', '--', version, 'dist'];
  const dist = await runNpm(deps, { args, folder, signal });
  if (!isRecord(dist)) return {};
  const { integrity, tarball } = dist;
  const address = typeof tarball === 'string' ? withoutCredentials(tarball) : undefined;
  const sha512 = String(integrity)
    .split(' ')
    .find((each) => each.startsWith('sha512-'));
  return {
    ...(sha512 !== undefined && { integrity: sha512 }),
    ...(address !== undefined && { tarball: address }),
  };
};

export interface RegistryVersions {
  readonly versions: readonly string[];
  readonly latest?: string;
}

/** Asks the registry for all versions of a package. */
export const registryVersions = async (
  name: string,
  deps: NpmDeps,
  { folder, signal }: DownloadFolder,
): Promise<RegistryVersions> => {
  const args = ['view', '--json', '--', name, 'versions', 'dist-tags'];
  const answer = await runNpm(deps, { args, folder, signal });
  if (!isRecord(answer)) return { versions: [] };
  const { versions, 'dist-tags': tags } = answer;
  const list = (Array.isArray(versions) ? versions : [versions]).filter(
    (each): each is string => typeof each === 'string',
  );
  const latest = isRecord(tags) ? tags.latest : undefined;
  return { versions: list, ...(typeof latest === 'string' && { latest }) };
};

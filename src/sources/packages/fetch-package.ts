/** Fetches a package and looks through it before anything of it is written to where packages lie. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import type { PackagedTool } from '../../contract/packages.ts';
import type { Tool } from '../../contract/tool.ts';
import { readTarball } from '../../kit/archive/read-tarball.ts';
import { type DownloadDeps, downloadPackage, registryRecord } from './download-package.ts';
import { type PackageFiles, readManifest } from './package-manifest.ts';
import { type ReadPackageTools, readPackage } from './package-source.ts';
import type { PackageSpec } from './package-spec.ts';
import { treeDigest } from './package-tree.ts';
import type { LockedPackage } from './packages-lock.ts';

export interface FetchDeps extends DownloadDeps {
  readonly readTools: ReadPackageTools;
}

export interface FetchFolder {
  /** A folder for this fetch alone. */
  readonly staging: string;
  readonly signal: AbortSignal;
}

export interface FetchedPackage {
  readonly files: PackageFiles;
  readonly tools: readonly Tool[];
  readonly locked: Omit<LockedPackage, 'folder'>;
  readonly warnings: readonly string[];
}

const packagedTool = (tool: Tool): PackagedTool => ({
  name: tool.name,
  version: tool.version,
  tier: tool.tier,
  needs: tool.needs ?? {},
  dependencies: tool.dependencies ?? [],
});

const badTools = (problems: readonly string[]): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', `Its tools cannot be loaded: ${problems.join('; ')}.`, {
    suggestions: [
      'Ask the author for a corrected version. What a tool imports has to be in the package, as files of its own.',
    ],
  });

const otherName = (name: string, requested: string): ToolFailure =>
  new ToolFailure('CONFLICT', `The package calls itself ${name}, not ${requested}.`);

const wrongIntegrity = (): ToolFailure =>
  new ToolFailure(
    'PERMISSION_DENIED',
    'The tarball is not the one that the registry announces, so it was not installed.',
    { suggestions: ['Try again later; if it stays so, tell the operator of the registry.'] },
  );

const noIntegrity = (): ToolFailure =>
  new ToolFailure(
    'PERMISSION_DENIED',
    'The registry announces no SHA-512 of the tarball, so it was not installed.',
    {
      suggestions: ['Look at the tarball, then install it as a file: toolcrib install ./name.tgz'],
    },
  );

/** Makes the folder that npm runs in; the file keeps npm from looking for a project above. */
const npmFolder = async (staging: string): Promise<string> => {
  const folder = join(staging, 'npm');
  await mkdir(folder, { mode: 0o700 });
  await writeFile(join(folder, 'package.json'), '{}\n');
  return folder;
};

/** Rejects with the reason; nothing but the folder for this fetch was written to. */
export const fetchPackage = async (
  spec: PackageSpec,
  deps: FetchDeps,
  { staging, signal }: FetchFolder,
): Promise<FetchedPackage> => {
  const place = { folder: await npmFolder(staging), signal };
  const { tarball, integrity, commit } = await downloadPackage(spec, deps, place);
  const files = await readTarball(tarball);
  const { name, version, warnings } = readManifest(files);
  const isRegistry = spec.type === 'registry';
  if (isRegistry && name !== spec.location) throw otherName(name, spec.location);
  const record = isRegistry ? await registryRecord(`${name}@${version}`, deps, place) : {};
  if (isRegistry && record.integrity === undefined) throw noIntegrity();
  if (isRegistry && record.integrity !== integrity) throw wrongIntegrity();
  const { tools, refused } = await readPackage(files, deps.readTools);
  if (refused.length > 0) throw badTools(refused.map((one) => `${one.name}: ${one.reason}`));
  return {
    files,
    tools,
    locked: {
      name,
      version,
      integrity,
      requested: spec.text,
      resolved: commit === undefined ? (record.tarball ?? spec.text) : `${spec.location}#${commit}`,
      digest: treeDigest(files),
      tools: tools.map(packagedTool) as LockedPackage['tools'],
    },
    warnings,
  };
};

/** Asks the registry whether installed packages have newer versions. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gt, maxSatisfying, validRange } from 'semver';
import type { InstalledPackage, UpdateInfo } from '../../contract/packages.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { registryVersions } from './download-package.ts';
import { parsePackageText } from './package-spec.ts';
import type { NpmDeps } from './run-npm.ts';

const unknown = (one: InstalledPackage, reason: string): UpdateInfo => {
  const { name, target, version } = one;
  return { name, target, current: version, isOutdated: false, reason };
};

const checkOne = async (
  one: InstalledPackage,
  deps: NpmDeps,
  place: { readonly folder: string; readonly signal: AbortSignal },
): Promise<UpdateInfo> => {
  const { type, version: asked = 'latest' } = parsePackageText(one.requested);
  if (type !== 'registry') {
    return unknown(one, 'It is not of the registry; `update` fetches it again.');
  }
  try {
    const { versions, latest } = await registryVersions(one.name, deps, place);
    const range = validRange(asked);
    const newest = range === null ? latest : (maxSatisfying([...versions], range) ?? undefined);
    const { name, target, version: current } = one;
    return {
      name,
      target,
      current,
      ...(newest !== undefined && { wanted: newest }),
      ...(latest !== undefined && { latest }),
      isOutdated: [newest, latest].some((each) => each !== undefined && gt(each, current)),
    };
  } catch (error) {
    return unknown(one, reasonOf(error));
  }
};

/** Looks for updates. Never rejects because of one package: its entry has the reason. */
export const checkUpdates = async (
  packages: readonly InstalledPackage[],
  deps: NpmDeps,
  signal: AbortSignal,
): Promise<readonly UpdateInfo[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-npm-'));
  try {
    await writeFile(join(folder, 'package.json'), '{}\n');
    const infos: UpdateInfo[] = [];
    for (const one of packages) infos.push(await checkOne(one, deps, { folder, signal }));
    return infos;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

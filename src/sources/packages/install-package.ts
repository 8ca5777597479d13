/** Installs a fetched package: asks, judges it beside the others, and puts it into place in one step. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import type {
  InstallationResult,
  InstallationReview,
  InstallOptions,
  ReviewedTool,
} from '../../contract/packages.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Tool } from '../../contract/tool.ts';
import { DAY_MS } from '../../kit/data/durations.ts';
import { errorCodeOf } from '../../kit/data/reason-of.ts';
import { removeStale } from '../../kit/file/remove-stale.ts';
import { type FetchDeps, type FetchedPackage, fetchPackage } from './fetch-package.ts';
import { notWritable, whileInstalling } from './installation-lock.ts';
import { lookAlikes } from './look-alikes.ts';
import { installedPackage, type PackageLibrary, withoutPackage } from './package-library.ts';
import { type PackageSpec, parsePackageText } from './package-spec.ts';
import { readPinnedTree } from './package-tree.ts';
import type { LockedPackage } from './packages-lock.ts';
import { makeStaging, placePackage, removeOthers } from './place-package.ts';
import { dependencyText, judgeDependencies, type OtherTool } from './tool-dependencies.ts';

export interface InstallDeps extends FetchDeps {
  readonly runtime: Runtime;
  /** Lists what is installed anywhere; of two of the same name the one in use. */
  installed(): readonly LockedPackage[];
  readonly otherTool: OtherTool;
}

export interface Installation {
  readonly spec: PackageSpec;
  readonly library: PackageLibrary;
  readonly options: Omit<InstallOptions, 'target'>;
  /** The name that the package has to have, for updates. */
  readonly expected?: string;
  readonly signal: AbortSignal;
}

const MAX_STAGING_AGE_MS = DAY_MS;
const NOT_WRITABLE = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR'];

const stagingIn = async ({ root }: PackageLibrary, { now }: Runtime): Promise<string> => {
  try {
    const staging = await makeStaging(root);
    const age = { minAgeMs: MAX_STAGING_AGE_MS, now: now() };
    await removeStale(root, { ...age, prefixes: ['.staging-'] });
    return staging;
  } catch (error) {
    throw notWritable(error);
  }
};

const dependenciesOf = ({ locked }: FetchedPackage): readonly string[] => [
  ...new Set(locked.tools.flatMap(({ dependencies }) => dependencies.map(dependencyText))),
];

const lookAlikeFound = (alike: readonly string[]): ToolFailure =>
  new ToolFailure('PERMISSION_DENIED', `The name looks like another one: ${alike.join('; ')}.`, {
    suggestions: ['If it is the package that you mean, say so: --allow-look-alike'],
  });

/** Throws where versions do not fit; gives what is missing. */
const judged = (fetched: FetchedPackage, deps: InstallDeps): readonly string[] => {
  const others = withoutPackage(deps.installed(), fetched.locked.name);
  const { missing, conflicts } = judgeDependencies([...others, fetched.locked], deps.otherTool);
  if (conflicts.length > 0) {
    throw new ToolFailure('CONFLICT', `Versions of tools do not fit: ${conflicts.join('; ')}.`, {
      suggestions: ['Install versions that fit, or uninstall one of the packages.'],
    });
  }
  return missing;
};

/** Refuses another tarball under a version of the registry that was installed before. */
const assertSameTarball = (fetched: FetchedPackage, installation: Installation): void => {
  const { name, version, integrity } = fetched.locked;
  const before = installation.library.packages().find((one) => one.name === name);
  const isRegistry = installation.spec.type === 'registry';
  if (!isRegistry || before?.version !== version) return;
  if (parsePackageText(before.requested).type !== 'registry') return;
  if (before.integrity === integrity) return;
  throw new ToolFailure(
    'PERMISSION_DENIED',
    `The tarball of ${name}@${version} is not the one that was installed: versions never change.`,
    { suggestions: ['Ask the author what happened. To take it all the same, uninstall it first.'] },
  );
};

/** Leaves the code out: a person who looks at a package runs nothing of it. */
const withoutCode = (tool: Tool): ReviewedTool => {
  const { run: _, undo: _1, initialize: _2, cleanup: _3, ...rest } = tool;
  const { healthCheck: _4, handleError: _5, ...data } = rest;
  return data;
};

const reviewOf = (
  { locked, warnings, tools }: FetchedPackage,
  { library }: Installation,
  deps: InstallDeps,
): InstallationReview => {
  const before = library.packages().find(({ name }) => name === locked.name);
  const names = deps.installed().map(({ name }) => name);
  return {
    package: installedPackage({ ...locked, folder: '' }, library.target),
    ...(before && { replaces: before.version }),
    warnings,
    lookAlikes: before ? [] : lookAlikes(locked.name, names),
    definitions: tools.map(withoutCode),
  };
};

const agree = async (review: InstallationReview, options: Installation['options']) => {
  const { lookAlikes: alike } = review;
  const mayAsk = options.confirm !== undefined;
  if (alike.length > 0 && options.allowLookAlike !== true && !mayAsk) throw lookAlikeFound(alike);
  if (!options.confirm || (await options.confirm(review))) return;
  throw new ToolFailure('USER_CANCELLED', 'Nothing was installed.');
};

/** Writes the files, then the lock file, then removes the version before. */
const commit = async (
  { files, locked }: FetchedPackage,
  { library }: Installation,
  staging: string,
): Promise<void> => {
  const place = { root: library.root, name: locked.name, version: locked.version };
  const folder = await placePackage(place, files, staging);
  await library.change((packages) => [
    ...withoutPackage(packages, locked.name),
    { ...locked, folder },
  ]);
  await removeOthers(place, folder);
};

export interface Installed extends InstallationResult {
  readonly fetched: FetchedPackage;
}

/** Tells whether exactly this is installed, with the files that the lock names. */
const isInstalled = async (
  { locked: { name, digest } }: FetchedPackage,
  { library, spec }: Installation,
): Promise<boolean> => {
  const before = library.packages().find((one) => one.name === name);
  if (before?.digest !== digest || before.requested !== spec.text) return false;
  return readPinnedTree(join(library.root, name, before.folder), digest).then(
    () => true,
    // Changed or missing files are put back.
    () => false,
  );
};

const install = async (
  installation: Installation,
  deps: InstallDeps,
  staging: string,
): Promise<Installed> => {
  const { spec, library, options, expected, signal } = installation;
  const fetched = await fetchPackage(spec, deps, { staging, signal });
  const { name, version, tools } = fetched.locked;
  if (expected !== undefined && expected !== name) {
    throw new ToolFailure('CONFLICT', `The package calls itself ${name} now, not ${expected}.`);
  }
  assertSameTarball(fetched, installation);
  const isSame = await isInstalled(fetched, installation);
  const review = reviewOf(fetched, installation, deps);
  let missing = judged(fetched, deps);
  if (!isSame) {
    await agree(review, options);
    missing = await whileInstalling(library.root, deps.runtime, async () => {
      // Others may have installed something while a person was asked.
      await library.change((packages) => packages);
      const now = judged(fetched, deps);
      await commit(fetched, installation, staging);
      return now;
    });
  }
  const warnings = [...fetched.warnings, ...missing.map((need) => `${need}.`)];
  return {
    name,
    version,
    package: review.package,
    changed: !isSame,
    warnings,
    fetched,
    success: true,
    toolName: tools[0]?.name ?? '',
    errors: [],
    dependencies: dependenciesOf(fetched),
  };
};

/** Rejects with the reason, and then everything is as it was. */
export const installPackage = async (
  installation: Installation,
  deps: InstallDeps,
): Promise<Installed> => {
  await installation.library.assertWritable();
  const staging = await stagingIn(installation.library, deps.runtime);
  try {
    return await install(installation, deps, staging);
  } catch (error) {
    // A full disk or a folder that became read-only; every other failure has a code of the table.
    throw NOT_WRITABLE.includes(errorCodeOf(error)) ? notWritable(error) : error;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
};

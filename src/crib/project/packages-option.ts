/** Finds the packages of the user and of a project. */
import type { LoadedConfig } from '../../trust/load-config.ts';
import { trustedPackagesLock } from '../../trust/packages-lock-file.ts';
import type { ConfigLocation } from '../../trust/project-trust.ts';
import type { CribOptions } from '../crib-options.ts';

/**
 * Returns where packages are installed. A configuration file that the user named belongs to no project,
 * so packages are the user's.
 */
export const packagesOption = (
  { trust, userDir, projectDir }: Pick<LoadedConfig, 'trust' | 'userDir' | 'projectDir'>,
  { cwd, env }: ConfigLocation,
): Pick<CribOptions, 'packages'> => {
  if (env.TOOLCRIB_CONFIG) return { packages: { userDir } };
  const lock = trustedPackagesLock(trust);
  const project = { cwd, env, userDir, projectDir: projectDir ?? cwd, lock };
  return { packages: { userDir, project } };
};

const PREFIX = 'package:';

/** Tells whether a package is the user's: then its tools are accepted for all projects. */
export const isUserPackage = ({ trust }: Pick<LoadedConfig, 'trust'>, origin: string): boolean =>
  origin.startsWith(PREFIX) &&
  trustedPackagesLock(trust)?.includes(JSON.stringify(origin.slice(PREFIX.length))) !== true;

/** The sources of a crib beside its own tools and MCP servers: those of the configuration, and packages. */
import type { CribPackages } from '../../contract/packages.ts';
import type { Source } from '../../contract/source.ts';
import type { CribSources } from '../../contract/sources.ts';
import type { CribOptions } from '../crib-options.ts';
import type { OpenPackagesDeps } from '../packages/open-packages.ts';
import { packagesOf } from '../packages/packages-of.ts';
import { type LazySourcesDeps, sourcesOf } from './sources-of.ts';

export type OutsideDeps = Omit<OpenPackagesDeps, 'customTools'> & Omit<LazySourcesDeps, 'packages'>;

export interface OutsideSources {
  /** Those that are switched on, and the servers. */
  readonly sources: readonly Source[];
  readonly members: { readonly sources: CribSources; readonly packages: CribPackages };
}

export const outsideSources = async (
  options: CribOptions,
  deps: OutsideDeps,
  servers: { readonly sources: readonly Source[] },
): Promise<OutsideSources> => {
  const packages = await packagesOf(options.packages, {
    ...deps,
    customTools: options.customTools,
  });
  const external = await sourcesOf(options, { ...deps, packages: packages.all });
  return {
    sources: [...servers.sources, ...external.sources, ...packages.sources],
    members: { sources: external.members, packages: packages.members },
  };
};

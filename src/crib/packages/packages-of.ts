/** The member `packages` of a crib: loads its parts when a package is installed or about to be. */
import { ToolFailure } from '../../contract/errors.ts';
import type { CribPackages } from '../../contract/packages.ts';
import type { ManagedSource } from '../../contract/sources.ts';
import { callback, fields, flag, oneOf, optional, text } from '../../kit/data/check-arguments.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';
import type { Packages } from '../../sources/packages/create-packages.ts';
import { readUserPackagesLock } from '../../trust/packages-lock-file.ts';
import type { MethodChecks } from '../members/checked.ts';
import { noLocalTools } from '../team/no-local-tools.ts';
import type { OpenPackagesDeps } from './open-packages.ts';
import type { PackageLocations } from './package-libraries.ts';

const sourceFields = fields({
  type: oneOf('registry', 'git', 'local', 'url'),
  location: text,
  version: optional(text),
});

const AGREEMENT = { allowLookAlike: optional(flag), confirm: optional(callback) };

export const PACKAGE_CHECKS: MethodChecks<CribPackages> = {
  install: {
    source: (value) => (typeof value === 'string' ? text(value) : sourceFields(value)),
    options: optional(fields({ ...AGREEMENT, target: optional(oneOf('user', 'project')) })),
  },
  uninstall: { name: text },
  checkForUpdates: { name: optional(text) },
  update: { name: text, options: optional(fields({ ...AGREEMENT, version: optional(text) })) },
  pack: {
    tool: text,
    path: text,
    options: optional(fields({ name: optional(text), version: optional(text) })),
  },
};

export interface LazyPackages {
  /** Those that are switched on. */
  readonly sources: readonly ManagedSource[];
  /** Lists all of them, as they are now. */
  all(): readonly ManagedSource[];
  readonly members: CribPackages;
}

const unavailable = (): ToolFailure =>
  new ToolFailure('PRECONDITION_FAILED', 'This crib has no place for packages.', {
    suggestions: ['Open the project with openProject, or use the command line.'],
  });

const hasPackages = async ({ userDir, project }: PackageLocations): Promise<boolean> =>
  project?.lock !== undefined || (await readUserPackagesLock(userDir)) !== undefined;

/** Makes the member. Opens the packages at once when some are installed, to load their tools. */
export const packagesOf = async (
  locations: PackageLocations | undefined,
  deps: OpenPackagesDeps,
): Promise<LazyPackages> => {
  const isOff = deps.config.enforcement.disableLocalTools;
  let opened: Packages | undefined;
  const open = lazyAsync(async (): Promise<Packages> => {
    if (!locations) throw unavailable();
    if (isOff) throw noLocalTools();
    const { openPackages } = await import('./open-packages.ts');
    opened = await openPackages(locations, deps);
    return opened;
  });
  if (locations && !isOff && (await hasPackages(locations))) await open();
  const all = (): readonly ManagedSource[] => opened?.sources() ?? [];
  const members = async (): Promise<CribPackages> => (await open()).members;
  return {
    sources: all().filter((source) => source.status().state !== 'disabled'),
    all,
    members: {
      list: () => opened?.members.list() ?? [],
      install: async (...args) => (await members()).install(...args),
      uninstall: async (...args) => (await members()).uninstall(...args),
      checkForUpdates: async (...args) => (await members()).checkForUpdates(...args),
      update: async (...args) => (await members()).update(...args),
      pack: async (...args) => (await members()).pack(...args),
    },
  };
};

/** The member `packages` of a crib: what is installed, and how that changes. */
import type { LoadReport } from '../../contract/catalog.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { CribPackages, PackageTarget, UpdateResult } from '../../contract/packages.ts';
import type { Source } from '../../contract/source.ts';
import type { Tool } from '../../contract/tool.ts';
import { diffTexts } from '../../kit/text/unified-diff.ts';
import { visibleBlock } from '../../kit/text/visible-text.ts';
import { checkUpdates } from './check-updates.ts';
import { type InstallDeps, type Installed, installPackage } from './install-package.ts';
import { whileInstalling } from './installation-lock.ts';
import { installedPackage, type PackageLibrary, withoutPackage } from './package-library.ts';
import {
  changeOf,
  definitionText,
  type PackageEntry,
  PackageToolSource,
} from './package-source.ts';
import { checkPackageSource, type PackageSpec, parsePackageText } from './package-spec.ts';
import type { LockedPackage } from './packages-lock.ts';
import { removeOthers } from './place-package.ts';
import { dependants, type LocalTool } from './tool-dependencies.ts';

export interface PackagesDeps extends Omit<InstallDeps, 'installed'> {
  /** In the order in which they count: of two packages of one name the first is used. */
  readonly libraries: readonly PackageLibrary[];
  /** Where relative paths begin. */
  readonly folder: string;
  isEnabled(name: string): boolean;
  readonly registry: {
    load(sources: readonly Source[]): Promise<readonly LoadReport[]>;
    unload(source: Source): Promise<void>;
  };
  /** Lists the tools that no package brings. */
  localTools(): readonly LocalTool[];
  pack: CribPackages['pack'];
}

export interface Packages {
  readonly members: CribPackages;
  /** Lists the packages in use, also those that are switched off. */
  sources(): readonly PackageToolSource[];
}

interface InstalledIn {
  readonly locked: LockedPackage;
  readonly library: PackageLibrary;
}

const notInstalled = (name: string, owner: InstalledIn | undefined): ToolFailure => {
  const hint = owner && `It is a tool of the package ${owner.locked.name}; name that.`;
  return new ToolFailure('NOT_FOUND', `There is no installed package ${name}.`, {
    suggestions: [hint ?? 'See what is installed: toolcrib packages list'],
  });
};

/** Gives those in use, and of two of one name the first. */
const inUse = (libraries: readonly PackageLibrary[]): ReadonlyMap<string, InstalledIn> => {
  const all = libraries.flatMap((library) =>
    library.packages().map((locked) => ({ locked, library })),
  );
  return new Map(all.toReversed().map((one) => [one.locked.name, one]));
};

/** Asks again for what was asked for, or for another version of it. */
const updateSpec = (requested: string, version: string | undefined): PackageSpec => {
  const before = parsePackageText(requested);
  const source = version === undefined ? before : { ...before, version };
  return checkPackageSource(source, '/');
};

const definitions = (tools: readonly Tool[]): string =>
  tools
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(definitionText)
    .join('');

const faultsOf = (reports: readonly LoadReport[]): readonly string[] =>
  reports.flatMap(({ error, refused }) => [
    ...(error === undefined ? [] : [error]),
    ...refused.map(({ tool, reason }) => `${tool}: ${reason}`),
  ]);

class PackageCollection implements Packages {
  readonly members: CribPackages;
  readonly #deps: PackagesDeps;
  readonly #sources = new Map<string, PackageToolSource>();

  constructor(deps: PackagesDeps) {
    this.#deps = deps;
    for (const installed of inUse(deps.libraries).values()) this.#follow(installed);
    this.members = {
      list: () =>
        [...inUse(deps.libraries).values()]
          .map(({ locked, library }) => installedPackage(locked, library.target))
          .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      install: async (source, { target = 'user', ...options } = {}) => {
        const spec = checkPackageSource(source, deps.folder);
        const { fetched: _fetched, ...result } = await this.#install(spec, this.#library(target), {
          options,
        });
        return result;
      },
      uninstall: (name) => this.#uninstall(name),
      checkForUpdates: (name) => this.#check(name),
      update: (name, options) => this.#update(name, options),
      pack: deps.pack,
    };
  }

  sources(): readonly PackageToolSource[] {
    return [...this.#sources.values()];
  }

  #library(target: PackageTarget): PackageLibrary {
    const library = this.#deps.libraries.find((one) => one.target === target);
    if (library) return library;
    throw new ToolFailure(
      'PRECONDITION_FAILED',
      `There is no place for packages of the ${target}.`,
      {
        suggestions: ['Open the project with openProject, or use the command line.'],
      },
    );
  }

  #named(name: string): InstalledIn {
    const installed = inUse(this.#deps.libraries).get(name);
    if (installed) return installed;
    throw notInstalled(name, this.#withTool(name));
  }

  /** Finds a package by its name, or by that of one of its tools. */
  #byAnyName(name: string): InstalledIn {
    return inUse(this.#deps.libraries).get(name) ?? this.#withTool(name) ?? this.#named(name);
  }

  #withTool(name: string): InstalledIn | undefined {
    return [...inUse(this.#deps.libraries).values()].find(({ locked }) =>
      locked.tools.some((tool) => tool.name === name),
    );
  }

  #entry({ locked, library }: InstalledIn): PackageEntry {
    const enabled = this.#deps.isEnabled(locked.name);
    return { locked, target: library.target, root: library.root, enabled };
  }

  #follow(installed: InstalledIn): PackageToolSource {
    const entry = this.#entry(installed);
    const { name } = installed.locked;
    const source = this.#sources.get(name) ?? new PackageToolSource(entry, this.#deps.readTools);
    source.use(entry);
    this.#sources.set(name, source);
    return source;
  }

  /** Loads what a change of the lock files brought, and unloads what it removed; gives what failed. */
  async #reload(name: string): Promise<readonly string[]> {
    const { registry, libraries } = this.#deps;
    const installed = inUse(libraries).get(name);
    const source = this.#sources.get(name);
    if (installed) {
      const followed = this.#follow(installed);
      return followed.entry.enabled ? faultsOf(await registry.load([followed])) : [];
    }
    if (source) {
      this.#sources.delete(name);
      await registry.unload(source);
    }
    return [];
  }

  async #install(
    spec: PackageSpec,
    library: PackageLibrary,
    more: {
      readonly options: Parameters<CribPackages['install']>[1] & object;
      readonly expected?: string;
    },
  ): Promise<Installed> {
    const installed = () => [...inUse(this.#deps.libraries).values()].map(({ locked }) => locked);
    const { signal } = new AbortController();
    const result = await installPackage(
      { spec, library, signal, ...more },
      { ...this.#deps, installed },
    );
    const errors = result.changed ? await this.#reload(result.name) : [];
    return { ...result, success: errors.length === 0, errors };
  }

  async #uninstall(name: string): Promise<void> {
    const { libraries, runtime, localTools } = this.#deps;
    const { library } = this.#named(name);
    await library.assertWritable();
    await whileInstalling(library.root, runtime, async () => {
      const all = [...inUse(libraries).values()].map(({ locked }) => locked);
      const needs = dependants(name, all, localTools());
      if (needs.length > 0) {
        throw new ToolFailure('CONFLICT', `Other tools need it: ${needs.join('; ')}.`, {
          suggestions: ['Uninstall or change those first.'],
        });
      }
      await library.change((packages) => withoutPackage(packages, name));
      await removeOthers({ root: library.root, name }, undefined);
    });
    await this.#reload(name);
  }

  async #check(name: string | undefined) {
    const all =
      name === undefined
        ? this.members.list()
        : [this.#byAnyName(name)].map(({ locked, library }) =>
            installedPackage(locked, library.target),
          );
    return checkUpdates(all, this.#deps, new AbortController().signal);
  }

  async #update(
    name: string,
    { version, ...options }: Parameters<CribPackages['update']>[1] = {},
  ): Promise<UpdateResult> {
    const { locked, library } = this.#byAnyName(name);
    // The tools as they are now: the files of this version are gone afterwards.
    const source = this.#follow({ locked, library });
    const before = await source.load().catch((): readonly Tool[] => []);
    const spec = updateSpec(locked.requested, version);
    const { fetched, ...result } = await this.#install(spec, library, {
      options,
      expected: locked.name,
    });
    const { hunks } = diffTexts(definitions(before), definitions(fetched.tools));
    const change = changeOf(before, fetched.tools);
    return { ...result, before: locked.version, change, diff: visibleBlock(hunks) };
  }
}

/** Reads no package before its source is loaded. */
export const createPackages = (deps: PackagesDeps): Packages => new PackageCollection(deps);

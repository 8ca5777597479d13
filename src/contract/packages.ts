/** The packages of tools that are installed, and how they are installed, updated and made. */
import type { Needs } from './needs.ts';
import type { SourceChange } from './sources.ts';
import type { Dependency, Tier, Tool } from './tool.ts';

/** Where an installed package lies: in the user's folder, or in the project. */
export type PackageTarget = 'user' | 'project';

/** Where a package comes from. */
export interface PackageSource {
  readonly type: 'registry' | 'git' | 'local' | 'url';
  /** A name, an address that git knows, a folder or `.tgz` file, or the address of a tarball. */
  readonly location: string;
  /** A version, a range or a tag of the registry; a branch, tag or commit of git. */
  readonly version?: string;
}

/** A tool of a package, as its lock file records it. */
export interface PackagedTool {
  readonly name: string;
  readonly version: string;
  readonly tier: Tier;
  readonly needs: Needs;
  readonly dependencies: readonly Dependency[];
}

export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  readonly target: PackageTarget;
  /** What was asked for, e.g. `weather-tools@^1`: `update` asks for it again. */
  readonly requested: string;
  /** Where the tarball came from, without credentials. */
  readonly resolved: string;
  /** The SHA-512 of the tarball, as `sha512-…`. */
  readonly integrity: string;
  /** The SHA-256 over all unpacked files. */
  readonly digest: string;
  readonly tools: readonly PackagedTool[];
}

export interface InstallOptions {
  /** `user` by default. `project` needs a project that is trusted. */
  readonly target?: PackageTarget;
  /** Installs a package although its name looks like that of another one. */
  readonly allowLookAlike?: boolean;
  /**
   * Decides, before anything is written, about what would be installed. False leaves everything as
   * it is and fails with USER_CANCELLED.
   */
  confirm?(review: InstallationReview): Promise<boolean>;
}

/** A tool as data: what a model and the rules would see of it, without its code. */
export type ReviewedTool = Omit<
  Tool,
  'run' | 'undo' | 'initialize' | 'cleanup' | 'healthCheck' | 'handleError'
>;

/** What a person should know before a package is installed. */
export interface InstallationReview {
  readonly package: InstalledPackage;
  /** The version that is installed now. */
  readonly replaces?: string;
  readonly warnings: readonly string[];
  /** The installed packages whose names look like this one's, and why. */
  readonly lookAlikes: readonly string[];
  readonly definitions: readonly ReviewedTool[];
}

export interface InstallationResult {
  /** False when a tool of the package could not be loaded; `errors` says why. */
  readonly success: boolean;
  readonly name: string;
  /** The first tool of the package; `package.tools` has all of them. */
  readonly toolName: string;
  readonly version: string;
  readonly package: InstalledPackage;
  /** False when exactly this package was installed already. */
  readonly changed: boolean;
  /** What its tools need of other tools, e.g. `geocode@^2`. */
  readonly dependencies: readonly string[];
  readonly warnings: readonly string[];
  /** What keeps tools of the installed package from being loaded, e.g. a name that is taken. */
  readonly errors: readonly string[];
}

/** Whether a package has a newer version. */
export interface UpdateInfo {
  readonly name: string;
  readonly target: PackageTarget;
  readonly current: string;
  /** The newest version that fits what was asked for. */
  readonly wanted?: string;
  /** The version that the registry calls the latest. */
  readonly latest?: string;
  readonly isOutdated: boolean;
  /** Why it is not known whether there is a newer version. */
  readonly reason?: string;
}

export interface UpdateResult extends InstallationResult {
  readonly before: string;
  /** The tools that came, went or changed. Those that came or changed wait for a person. */
  readonly change: SourceChange;
  /** The differences of the definitions, for people. */
  readonly diff: string;
}

export interface UpdateOptions extends Omit<InstallOptions, 'target'> {
  /** Another version or range than the one that was asked for at the installation. */
  readonly version?: string;
}

export interface PackOptions {
  /** The name of the package; that of the tool by default. */
  readonly name?: string;
  /** The version of the package; that of the tool by default. */
  readonly version?: string;
}

export interface PackResult {
  readonly name: string;
  readonly version: string;
  /** Absolute. */
  readonly path: string;
  readonly integrity: string;
  readonly files: readonly string[];
}

/** Packages of tools: ordinary npm packages with a field `toolcrib`. No script of one is ever run. */
export interface CribPackages {
  /**
   * Lists what is installed, also packages whose files were changed since.
   *
   * @example
   * for (const { name, version } of crib.packages.list()) console.log(name, version);
   */
  list(): readonly InstalledPackage[];
  /**
   * Installs a package and loads its tools, which wait for a person as the lock says. Rejects with the
   * reason, and then nothing has changed.
   *
   * @example
   * const { package: installed } = await crib.packages.install('./weather-tools');
   * console.log(installed.tools.map(({ name, needs }) => [name, needs]));
   */
  install(source: string | PackageSource, options?: InstallOptions): Promise<InstallationResult>;
  /**
   * Removes a package and its tools. Rejects with CONFLICT while other tools need them.
   *
   * @example
   * await crib.packages.uninstall('weather-tools');
   */
  uninstall(name: string): Promise<void>;
  /**
   * Asks the registry whether packages have newer versions: all of them, or the one of that name or with
   * a tool of that name.
   *
   * @example
   * const outdated = (await crib.packages.checkForUpdates()).filter((one) => one.isOutdated);
   */
  checkForUpdates(name?: string): Promise<readonly UpdateInfo[]>;
  /**
   * Installs the newest version of the package of that name, or with a tool of that name, that fits what
   * was asked for, or the given version.
   *
   * @example
   * const { diff } = await crib.packages.update('weather-tools');
   * console.log(diff);
   */
  update(name: string, options?: UpdateOptions): Promise<UpdateResult>;
  /**
   * Makes a package of one of the project's own tools, with the files that it imports.
   *
   * @example
   * const { path } = await crib.packages.pack('count_words', 'count-words.tgz');
   */
  pack(tool: string, path: string, options?: PackOptions): Promise<PackResult>;
}

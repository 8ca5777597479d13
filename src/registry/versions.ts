/** Versions of one tool: their records, how they compare, and which is used by default. */
import { createRequire } from 'node:module';
import type { ToolVersion } from '../contract/catalog.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { Quarantine } from '../contract/lock.ts';
import type { Source } from '../contract/source.ts';
import type { Tool } from '../contract/tool.ts';
import type { ReadyState } from './load/ready-state.ts';

/** One version of a tool. */
export interface Registered {
  readonly tool: Tool;
  /** The source that loaded it; none when the program registered it itself. */
  readonly owner: Source | undefined;
  readonly renamedFrom: string | undefined;
  deprecated: boolean;
  /** Why it cannot be called yet. */
  quarantine: Quarantine | undefined;
  /** Made at the first call or the first read of a schema. */
  state: ReadyState | undefined;
}

/** All versions of a name. */
export interface Family {
  readonly name: string;
  readonly versions: Map<string, Registered>;
  wireName: string;
  active: Registered;
  /** The active version was chosen with `setActive`, so a newer one does not replace it. */
  pinned: boolean;
  /** Set by `setEnabled`. */
  enabled: boolean | undefined;
}

type Semver = typeof import('semver');

/** Loads the module for the first range or second version: most programs need neither. */
const semver = (): Semver => createRequire(import.meta.url)('semver') as Semver;

export const isRange = (range: string): boolean => semver().validRange(range) !== null;

/** Compiles a range into a test; pre-releases count where the range covers them. */
export const satisfier = (range: string): ((version: string) => boolean) => {
  const { satisfies, Range } = semver();
  const parsed = new Range(range);
  return (version) => satisfies(version, parsed, { includePrerelease: true });
};

/** Picks the highest release; a pre-release only where there is no release. */
export const highestOf = <T>(
  candidates: Iterable<T>,
  versionOf: (candidate: T) => string,
): T | undefined => {
  const all = [...candidates];
  if (all.length < 2) return all[0];
  const { compareBuild } = semver();
  const releases = all.filter((each) => !versionOf(each).split('+')[0]?.includes('-'));
  const from = releases.length > 0 ? releases : all;
  return from.reduce((a, b) => (compareBuild(versionOf(a), versionOf(b)) < 0 ? b : a));
};

export const highest = (candidates: Iterable<Registered>): Registered | undefined =>
  highestOf(candidates, ({ tool }) => tool.version);

/** Picks the version to use by default: one in quarantine only where there is no other. */
export const foremost = (candidates: Iterable<Registered>): Registered | undefined => {
  const all = [...candidates];
  return highest(all.filter(({ quarantine }) => !quarantine)) ?? highest(all);
};

/** Cleans up the versions that were used. Never rejects. */
export const cleanUp = async (versions: readonly Registered[]): Promise<void> => {
  await Promise.all(versions.map(async ({ state }) => state?.cleanup()));
};

/** Finds a version. Throws NOT_FOUND when there is none. */
export const versionOf = (family: Family, version: string): Registered => {
  const registered = family.versions.get(version);
  if (registered) return registered;
  throw new ToolFailure('NOT_FOUND', `${family.name} has no such version.`, {
    suggestions: [`There is ${[...family.versions.keys()].join(', ')}.`],
  });
};

/** Lists versions, the newest first. */
export const listVersions = (family: Family): readonly ToolVersion[] => {
  const all = [...family.versions.values()];
  if (all.length > 1) {
    const { compareBuild } = semver();
    all.sort((a, b) => compareBuild(b.tool.version, a.tool.version));
  }
  return all.map((registered) => ({
    version: registered.tool.version,
    active: registered === family.active,
    deprecated: registered.deprecated,
  }));
};

/** The versions of one name, which of them is active, and how versions compare. */
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
  /** The source that brought it; none when it was registered by hand. */
  readonly owner: Source | undefined;
  readonly renamedFrom: string | undefined;
  deprecated: boolean;
  /** Why nobody may call it yet. */
  quarantine: Quarantine | undefined;
  /** Made when somebody first asks for the schemas or a call. */
  state: ReadyState | undefined;
}

/** All versions of a name. */
export interface Family {
  readonly name: string;
  readonly versions: Map<string, Registered>;
  wireName: string;
  active: Registered;
  /** Somebody chose the active version, so a newer one does not take over. */
  pinned: boolean;
  /** As somebody switched it; nobody did when absent. */
  enabled: boolean | undefined;
}

type Semver = typeof import('semver');

/** Loaded when two versions or a range turn up, which most programs never see. */
const semver = (): Semver => createRequire(import.meta.url)('semver') as Semver;

export const isRange = (range: string): boolean => semver().validRange(range) !== null;

/** A test for a range; pre-releases count where the range covers them. */
export const satisfier = (range: string): ((version: string) => boolean) => {
  const { satisfies, Range } = semver();
  const parsed = new Range(range);
  return (version) => satisfies(version, parsed, { includePrerelease: true });
};

/** The highest release; a pre-release only where there is nothing else. */
export const highest = (candidates: Iterable<Registered>): Registered | undefined => {
  const all = [...candidates];
  if (all.length < 2) return all[0];
  const { compareBuild } = semver();
  const releases = all.filter(({ tool }) => !tool.version.split('+')[0]?.includes('-'));
  const from = releases.length > 0 ? releases : all;
  return from.reduce((a, b) => (compareBuild(a.tool.version, b.tool.version) < 0 ? b : a));
};

/** The version to use by itself: one in quarantine only where there is no other. */
export const foremost = (candidates: Iterable<Registered>): Registered | undefined => {
  const all = [...candidates];
  return highest(all.filter(({ quarantine }) => !quarantine)) ?? highest(all);
};

/** Runs the cleanup of those that were used. Never rejects. */
export const cleanUp = async (versions: readonly Registered[]): Promise<void> => {
  await Promise.all(versions.map(async ({ state }) => state?.cleanup()));
};

/** Throws NOT_FOUND when there is no such version. */
export const versionOf = (family: Family, version: string): Registered => {
  const found = family.versions.get(version);
  if (found) return found;
  throw new ToolFailure('NOT_FOUND', `${family.name} has no such version.`, {
    suggestions: [`There is ${[...family.versions.keys()].join(', ')}.`],
  });
};

/** The newest first. */
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

/**
 * Decides which database file a command copies or moves. A file of the project counts only if this user
 * made it, as when a crib opens its store.
 */
import { resolve } from 'node:path';
import type { Config } from '../../config/schema.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { ForeignStore } from '../../stores/sqlite/database/store-identity.ts';
import { type UnusedFile, withUnusedDatabase } from '../../stores/sqlite/unused-database.ts';
import { placeElsewhere, placeStore, type StoreLocation } from '../../trust/locate-store.ts';
import { noteOpened } from './note-opened.ts';
import { pathInProject } from './path-in-project.ts';

export interface SourceRequest {
  /** The file that the user named, absolute; that of the configuration when absent. */
  readonly named?: string | undefined;
  /** Takes the file of the project as it is, whoever made it. */
  readonly foreign: boolean;
}

export interface LocateSourceDeps {
  readonly config: Pick<Config, 'store'>;
  /** The project, absolute. */
  readonly project: string;
  /** The user's configuration folder. */
  readonly userDir: string;
  readonly runtime: Runtime;
}

export interface LocatedSource {
  readonly file: UnusedFile;
  /** Why the database in the project is left alone; then the file lies in the user's folder. */
  readonly foreign?: string;
}

const refused = (fault: string): ToolFailure =>
  new ToolFailure('CONFLICT', `The database of this project ${fault}: nothing in it counts.`, {
    suggestions: [
      'Leave out the file to copy your own state, which is kept in your own folder.',
      'If the file is yours, copy it with: --foreign',
    ],
  });

const fileAt = (location: StoreLocation, deps: LocateSourceDeps): UnusedFile => {
  const { path, identity } = location;
  return {
    path,
    ...(identity && { identity }),
    onOpen: () => noteOpened(location, deps),
  };
};

/** Finds another location when the database has not the id of the record. */
const checked = async (location: StoreLocation, deps: LocateSourceDeps): Promise<StoreLocation> => {
  if (!location.identity) return location;
  try {
    await withUnusedDatabase(fileAt(location, deps), deps.runtime, async () => undefined);
    return location;
  } catch (error) {
    if (error instanceof ForeignStore) return placeElsewhere(location, deps.userDir);
    throw error;
  }
};

/**
 * Locates the file. Fails with CONFLICT for one that the user named and that came with the project, and
 * with NOT_FOUND for one that is not there.
 */
export const locateSource = async (
  { named, foreign }: SourceRequest,
  deps: LocateSourceDeps,
): Promise<LocatedSource> => {
  const { config, project, userDir, runtime } = deps;
  const path = named ?? resolve(project, config.store.path);
  const inside = foreign ? undefined : await pathInProject(project, path);
  if (inside === undefined) return { file: { path } };
  const placed = await placeStore(inside, { userDir, projectDir: project, runtime });
  const location = await checked(placed, deps);
  if (named !== undefined && location.foreign !== undefined) throw refused(location.foreign);
  return {
    file: fileAt(location, deps),
    ...(location.foreign !== undefined && { foreign: location.foreign }),
  };
};

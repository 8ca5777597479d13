/**
 * Decides which database file a command copies or moves. A file of a project, this one or another, counts
 * only if this user made it, as when a crib opens its store: what it holds answers calls afterwards.
 */
import { resolve } from 'node:path';
import type { Config } from '../../config/schema.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { ForeignStore } from '../../stores/sqlite/database/store-identity.ts';
import { type UnusedFile, withUnusedDatabase } from '../../stores/sqlite/unused-database.ts';
import { placeElsewhere, placeStore, type StoreLocation } from '../../trust/locate-store.ts';
import { noteOpened } from './note-opened.ts';
import { type FileInProject, pathInProject, projectAround } from './path-in-project.ts';

export interface SourceRequest {
  /** The file that the user named, absolute; that of the configuration when absent. */
  readonly named?: string | undefined;
  /** Takes the file of a project as it is, whoever made it. */
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

const refused = (fault: string, isOfThis: boolean): ToolFailure => {
  const which = isOfThis ? 'this project' : 'another project';
  const how = isOfThis ? 'Leave out the file' : 'Go to that project and leave out the file';
  return new ToolFailure('CONFLICT', `The database of ${which} ${fault}: nothing in it counts.`, {
    suggestions: [
      `${how} to copy your own state, which is kept in your own folder.`,
      'If the file is yours, copy it with: --foreign',
    ],
  });
};

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
 * Finds the project whose database the file may be: this one, or for a file that the user named any other.
 * Where the command is called must not decide whether a file that came with a project counts.
 */
const placeOf = async (
  { named, foreign }: SourceRequest,
  { config, project, userDir }: LocateSourceDeps,
): Promise<FileInProject | undefined> => {
  if (foreign) return undefined;
  const file = await pathInProject(project, named ?? resolve(project, config.store.path));
  if (file !== undefined) return { project, file };
  return named === undefined ? undefined : projectAround(named, userDir);
};

/**
 * Locates the file. Fails with CONFLICT for one that the user named and that came with a project, and
 * with NOT_FOUND for one that is not there.
 */
export const locateSource = async (
  request: SourceRequest,
  deps: LocateSourceDeps,
): Promise<LocatedSource> => {
  const { config, project, userDir, runtime } = deps;
  const { named } = request;
  const place = await placeOf(request, deps);
  if (!place) return { file: { path: named ?? resolve(project, config.store.path) } };
  const placed = await placeStore(place.file, { userDir, projectDir: place.project, runtime });
  const location = await checked(placed, deps);
  if (named !== undefined && location.foreign !== undefined) {
    throw refused(location.foreign, place.project === project);
  }
  return {
    file: fileAt(location, deps),
    ...(location.foreign !== undefined && { foreign: location.foreign }),
  };
};

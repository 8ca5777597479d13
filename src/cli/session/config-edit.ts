/** What commands that change the configuration share: the files, the checks before, the trust after. */
import { basename, join } from 'node:path';
import type { ConfigEdit } from '../../config/edit/edit-config.ts';
import type { LoadedConfig } from '../../trust/load-config.ts';
import type { Io } from '../io.ts';
import { assertProjectEditable, keepTrust, projectFile } from './project-edit.ts';

export interface ConfigDeps {
  readonly loaded: LoadedConfig;
  /** The project's directory, or the current one when there is no project. */
  readonly root: string;
}

/** Reads the configuration. Throws when it is bad. Starts nothing. */
export const openConfigDeps = async (io: Io): Promise<ConfigDeps> => {
  const { loadConfig } = await import('../../trust/load-config.ts');
  const loaded = await loadConfig({ cwd: io.cwd, env: io.env });
  return { loaded, root: loaded.projectDir ?? io.cwd };
};

export const userFile = ({ loaded }: ConfigDeps): string =>
  loaded.sources.find(({ kind }) => kind === 'user')?.path ?? join(loaded.userDir, 'config.yml');

/** Tells whether the project's file sets one of these paths. */
export const isSetByProject = (deps: ConfigDeps, paths: readonly string[]): boolean =>
  paths.some((path) => deps.loaded.provenance(path).startsWith(projectFile(deps)));

interface FileEdit {
  readonly inProject: boolean;
  /** Changes the file; returns `undefined` when there was nothing to change. */
  change(file: string): Promise<ConfigEdit | undefined>;
}

interface EditedFile {
  readonly file: string;
  readonly changed: boolean;
}

/** Fails with PERMISSION_DENIED when `editConfig` would: for callers that write something else before. */
export const assertEditable = async (
  io: Io,
  deps: ConfigDeps,
  inProject: boolean,
): Promise<void> => {
  if (inProject) await assertProjectEditable(io, deps);
};

/** Changes the user's file or the project's. A trusted project stays trusted. */
export const editConfig = async (
  io: Io,
  deps: ConfigDeps,
  { inProject, change }: FileEdit,
): Promise<EditedFile> => {
  if (!inProject) {
    const file = userFile(deps);
    return { file, changed: (await change(file)) !== undefined };
  }
  const file = projectFile(deps);
  await assertEditable(io, deps, inProject);
  const edit = await change(file);
  if (!edit) return { file, changed: false };
  const { ignoreState } = await import('../../config/edit/ignore-state.ts');
  await ignoreState(file);
  await keepTrust(io, deps, { ...edit, name: basename(file) });
  return { file, changed: true };
};

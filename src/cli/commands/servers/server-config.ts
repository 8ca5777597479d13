/** Finds servers in the configuration files, and changes those files. */
import { basename, join } from 'node:path';
import type { ConfigEdit } from '../../../config/edit/edit-config.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { LoadedConfig } from '../../../trust/load-config.ts';
import type { Io } from '../../io.ts';
import { assertProjectEditable, keepTrust, projectFile } from '../../session/project-edit.ts';

export type ServerSettings = LoadedConfig['config']['mcp']['servers'][string];

export interface ServerDeps {
  readonly loaded: LoadedConfig;
  /** The project's directory, or the current one when there is no project. */
  readonly root: string;
}

/** Reads the configuration. Throws when it is bad. Starts nothing. */
export const openServerDeps = async (io: Io): Promise<ServerDeps> => {
  const { loadConfig } = await import('../../../trust/load-config.ts');
  const loaded = await loadConfig({ cwd: io.cwd, env: io.env });
  return { loaded, root: loaded.projectDir ?? io.cwd };
};

export const settingsOf = ({ loaded }: ServerDeps, name: string): ServerSettings | undefined => {
  const { servers } = loaded.config.mcp;
  return Object.hasOwn(servers, name) ? servers[name] : undefined;
};

/** Finds the settings of a server. Fails with NOT_FOUND, and suggests a close name. */
export const requireServer = async (deps: ServerDeps, name: string): Promise<ServerSettings> => {
  const settings = settingsOf(deps, name);
  if (settings) return settings;
  const names = Object.keys(deps.loaded.config.mcp.servers);
  const { closest, distance } = await import('fastest-levenshtein');
  const close = names.length === 0 ? undefined : closest(name, names);
  throw new ToolFailure('NOT_FOUND', 'No MCP server of this name is configured.', {
    suggestions: [
      ...(close !== undefined && distance(name, close) <= 2 ? [`Did you mean ${close}?`] : []),
      'See which there are: toolcrib servers',
      'Add one: toolcrib servers add <name> -- <command>',
    ],
  });
};

export const userFile = ({ loaded }: ServerDeps): string =>
  loaded.sources.find(({ kind }) => kind === 'user')?.path ?? join(loaded.userDir, 'config.yml');

/** Says whether the project defines how the server is reached. */
export const isOfProject = (deps: ServerDeps, name: string): boolean =>
  ['command', 'url'].some((key) =>
    deps.loaded.provenance(`mcp.servers.${name}.${key}`).startsWith(projectFile(deps)),
  );

interface ServerEdit {
  readonly inProject: boolean;
  /** `undefined` when there was nothing to change. */
  change(file: string): Promise<ConfigEdit | undefined>;
}

interface EditedFile {
  readonly file: string;
  readonly changed: boolean;
}

/** Fails with PERMISSION_DENIED where `editServers` would: for callers that write something else before. */
export const assertEditable = async (io: Io, deps: ServerDeps, inProject: boolean) => {
  if (inProject) await assertProjectEditable(io, deps);
};

/** Changes the user's file or the project's. A trusted project stays trusted. */
export const editServers = async (
  io: Io,
  deps: ServerDeps,
  { inProject, change }: ServerEdit,
): Promise<EditedFile> => {
  if (!inProject) {
    const file = userFile(deps);
    return { file, changed: (await change(file)) !== undefined };
  }
  const file = projectFile(deps);
  await assertEditable(io, deps, inProject);
  const edit = await change(file);
  if (!edit) return { file, changed: false };
  const { ignoreState } = await import('../../../config/edit/ignore-state.ts');
  await ignoreState(file);
  await keepTrust(io, deps, { ...edit, name: basename(file) });
  return { file, changed: true };
};

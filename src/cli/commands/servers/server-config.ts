/** The servers in the configuration files: where each is written, and how such a file is changed. */
import { basename, join } from 'node:path';
import type { ConfigEdit } from '../../../config/edit/edit-config.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { LoadedConfig } from '../../../trust/load-config.ts';
import { type Io, note } from '../../io.ts';

export type ServerSettings = LoadedConfig['config']['mcp']['servers'][string];

export interface ServerDeps {
  readonly loaded: LoadedConfig;
  /** The project's directory, or where one stands when there is no project. */
  readonly root: string;
}

/** Throws on bad configuration. Starts nothing. */
export const openServerDeps = async (io: Io): Promise<ServerDeps> => {
  const { loadConfig } = await import('../../../trust/load-config.ts');
  const loaded = await loadConfig({ cwd: io.cwd, env: io.env });
  return { loaded, root: loaded.projectDir ?? io.cwd };
};

export const settingsOf = ({ loaded }: ServerDeps, name: string): ServerSettings | undefined => {
  const { servers } = loaded.config.mcp;
  return Object.hasOwn(servers, name) ? servers[name] : undefined;
};

/** Fails with NOT_FOUND, with a close name if there is one. */
export const knownServer = async (deps: ServerDeps, name: string): Promise<ServerSettings> => {
  const found = settingsOf(deps, name);
  if (found) return found;
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

export const projectFile = ({ loaded, root }: ServerDeps): string =>
  loaded.sources.find(({ kind }) => kind === 'project')?.path ??
  join(root, '.toolcrib', 'config.yml');

/** Whether it is the project that says how the server is reached. */
export const isOfProject = (deps: ServerDeps, name: string): boolean =>
  ['command', 'url'].some((key) =>
    deps.loaded.provenance(`mcp.servers.${name}.${key}`).startsWith(projectFile(deps)),
  );

/** A file that is ignored is not the place to write to. */
const assertTrusted = ({ loaded }: ServerDeps): void => {
  const { state } = loaded.trust;
  if (state === 'none' || state === 'trusted') return;
  throw new ToolFailure(
    'PERMISSION_DENIED',
    'This project is not trusted, so nothing was changed.',
    { suggestions: ['Look at its configuration and decide: toolcrib trust'] },
  );
};

/** A cloned link would have us write somewhere else, such as into the user's own configuration. */
const assertNoLink = async ({ root }: ServerDeps, file: string): Promise<void> => {
  const { isInsideProject } = await import('../../../trust/inside-project.ts');
  if (await isInsideProject(file, { projectDir: root, inside: ['.toolcrib'] })) return;
  throw new ToolFailure(
    'PERMISSION_DENIED',
    'The configuration of this project is behind a link.',
    { suggestions: ['Put the file itself into .toolcrib, or edit it by hand.'] },
  );
};

const keepTrust = async (
  io: Io,
  { loaded, root }: ServerDeps,
  edit: ConfigEdit & { readonly file: string },
): Promise<void> => {
  if (io.env.TOOLCRIB_CONFIG || loaded.trust.insisted) return;
  const { trustOwnEdit } = await import('../../../trust/trust-own-edit.ts');
  const kept = await trustOwnEdit(
    { cwd: root, env: io.env, userDir: loaded.userDir },
    { trust: loaded.trust, edit: { ...edit, name: basename(edit.file) }, now: io.runtime.now() },
  );
  if (kept) return;
  const why = 'Something else in .toolcrib has changed as well, so it is not trusted any more.';
  note(io, `${io.noteInk.yellow('!')} ${why} Look at it: toolcrib trust`);
};

export interface ServerEdit {
  readonly inProject: boolean;
  /** `undefined` when there was nothing to change. */
  change(file: string): Promise<ConfigEdit | undefined>;
}

export interface Edited {
  readonly file: string;
  readonly changed: boolean;
}

/**
 * Fails with PERMISSION_DENIED where `editServers` would, for one who has other things to write before.
 */
export const assertEditable = async (io: Io, deps: ServerDeps, inProject: boolean) => {
  if (!inProject) return;
  assertTrusted(deps);
  if (!io.env.TOOLCRIB_CONFIG) await assertNoLink(deps, projectFile(deps));
};

/** Changes the user's file or the project's; a project that was trusted still is afterwards. */
export const editServers = async (
  io: Io,
  deps: ServerDeps,
  { inProject, change }: ServerEdit,
): Promise<Edited> => {
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
  await keepTrust(io, deps, { ...edit, file });
  return { file, changed: true };
};

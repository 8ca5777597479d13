/** `toolcrib servers remove`: removes a server from the configuration, and logs out of it. */
import type { Command } from 'commander';
import { removeFromConfigFile } from '../../../config/edit/remove-from-config.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { secretKeysOf } from '../../../kit/text/resolve-secrets.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { advise, hint, type Io, printDone, printJson } from '../../io.ts';
import { type ConfigDeps, editConfig, openConfigDeps } from '../../session/config-edit.ts';
import { openVaults } from '../secrets/secrets-deps.ts';
import { isOfProject, requireServer, type ServerSettings, settingsOf } from './server-config.ts';
import { authOf } from './servers-login.ts';

interface RemoveOptions {
  readonly project?: boolean;
}

/** Logs out of a removed server, unless another file still names it. */
const forgetLogin = async (io: Io, deps: ConfigDeps, name: string): Promise<void> => {
  const { url } = await requireServer(deps, name);
  if (url === undefined || settingsOf(await openConfigDeps(io), name)) return;
  const auth = await authOf(io, deps, { server: { name, url } });
  await auth.logout();
};

const secretsOf = ({ env, headers }: ServerSettings): readonly string[] =>
  secretKeysOf({ ...env, ...headers });

/** Finds the stored secrets of a removed server that no other server uses. */
const secretsLeft = async (io: Io, settings: ServerSettings): Promise<readonly string[]> => {
  const { loaded } = await openConfigDeps(io);
  const used = new Set(Object.values(loaded.config.mcp.servers).flatMap(secretsOf));
  const keys = secretsOf(settings).filter((key) => !used.has(key));
  if (keys.length === 0) return [];
  const vaults = await openVaults(io);
  const values = await Promise.all(
    keys.map((key) => Promise.all(vaults.map((vault) => vault.get(key)))),
  );
  return keys.filter((_, at) => values[at]?.some((value) => value !== undefined));
};

/** Removes a server and returns the changed file. Fails with NOT_FOUND or PERMISSION_DENIED. */
export const removeServer = async (
  io: Io,
  name: string,
  { project }: RemoveOptions = {},
): Promise<string> => {
  const deps = await openConfigDeps(io);
  await requireServer(deps, name);
  const { file, changed } = await editConfig(io, deps, {
    inProject: project ?? isOfProject(deps, name),
    change: (path) => removeFromConfigFile(path, ['mcp', 'servers', name]),
  });
  if (!changed) {
    throw new ToolFailure('NOT_FOUND', 'That file does not name this server.', {
      suggestions: [
        project ? 'Leave --project out.' : 'See which file defines it: toolcrib doctor',
      ],
    });
  }
  await forgetLogin(io, deps, name);
  return file;
};

const remove = async (io: Io, name: string, options: RemoveOptions): Promise<number> => {
  const settings = await requireServer(await openConfigDeps(io), name);
  const file = await removeServer(io, name, options);
  const left = await secretsLeft(io, settings);
  if (io.json) printJson(io, { server: name, removed: true, file, secretsLeft: left });
  else {
    printDone(io, `Removed: ${name}`);
    hint(io, `from ${visibleText(file)}`);
    for (const key of left) {
      advise(io, `Its secret is still stored: toolcrib secrets remove ${key}`);
    }
  }
  return 0;
};

export const serversRemoveCommand = (servers: Command, io: Io): Command =>
  withExamples(
    withJson(servers.command('remove').argument('<name>'))
      .option('--project', 'remove it from the configuration of this project only')
      .action(leaving(io, (name: string, options: RemoveOptions) => remove(io, name, options))),
    'toolcrib servers remove files',
  );

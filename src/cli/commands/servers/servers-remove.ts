/** `toolcrib servers remove`: takes a server out of the configuration, and forgets its login. */
import type { Command } from 'commander';
import { removeFromConfigFile } from '../../../config/edit/remove-from-config.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-parts.ts';
import { type Io, note, print, printJson } from '../../io.ts';
import {
  editServers,
  isOfProject,
  knownServer,
  openServerSite,
  type ServerSite,
  settingsOf,
} from './server-config.ts';
import { authOf } from './server-login.ts';

interface RemoveOptions {
  readonly project?: boolean;
}

/** Tokens of a server that is gone are of no use to anybody else; another file may still name it. */
const forgetLogin = async (io: Io, site: ServerSite, name: string): Promise<void> => {
  const { url } = await knownServer(site, name);
  if (url === undefined || settingsOf(await openServerSite(io), name)) return;
  const auth = await authOf(io, site, { server: { name, url } });
  await auth.logout();
};

/** Returns the file it was taken out of. Fails with NOT_FOUND, or with PERMISSION_DENIED. */
export const removeServer = async (
  io: Io,
  name: string,
  { project }: RemoveOptions = {},
): Promise<string> => {
  const site = await openServerSite(io);
  await knownServer(site, name);
  const { file, changed } = await editServers(io, site, {
    inProject: project ?? isOfProject(site, name),
    change: (path) => removeFromConfigFile(path, ['mcp', 'servers', name]),
  });
  if (!changed) {
    throw new ToolFailure('NOT_FOUND', 'That file does not name this server.', {
      suggestions: [project ? 'Leave --project out.' : 'Look where it is: toolcrib doctor'],
    });
  }
  await forgetLogin(io, site, name);
  return file;
};

const remove = async (io: Io, name: string, options: RemoveOptions): Promise<number> => {
  const file = await removeServer(io, name, options);
  if (io.json) printJson(io, { server: name, removed: true, file });
  else {
    print(io, `${io.ink.green('✓')} Removed: ${name}`);
    note(io, io.noteInk.dim(`from ${visibleText(file)}`));
  }
  return 0;
};

export const serversRemoveCommand = (servers: Command, io: Io): Command =>
  withExamples(
    withJson(
      servers
        .command('remove')
        .description('take an MCP server out of the configuration')
        .argument('<name>'),
    )
      .option('--project', 'only out of the configuration of this project')
      .action(leaving(io, (name: string, options: RemoveOptions) => remove(io, name, options))),
    'toolcrib servers remove files',
  );

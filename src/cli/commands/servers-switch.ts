/** `toolcrib servers enable` and `disable`: written where the server is written. */
import type { Command } from 'commander';
import { visibleText } from '../../approvers/terminal/visible-text.ts';
import { setInConfigFile } from '../../config/edit-config.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { leaving, withExamples, withJson } from '../command-parts.ts';
import { type Io, note, print, printJson } from '../io.ts';
import { editServers, isOfProject, knownServer, openServerSite } from '../servers/server-config.ts';

interface SwitchOptions {
  readonly project?: boolean;
}

const flip = async (
  io: Io,
  { name, on }: { readonly name: string; readonly on: boolean },
  { project = false }: SwitchOptions,
): Promise<number> => {
  const site = await openServerSite(io);
  const { enabled = true } = await knownServer(site, name);
  const ofProject = isOfProject(site, name);
  if (on && project && !ofProject) {
    throw new ToolFailure('PERMISSION_DENIED', 'A project cannot switch your own server on.', {
      suggestions: [`Switch it on for all your projects: toolcrib servers enable ${name}`],
    });
  }
  const word = on ? 'enabled' : 'disabled';
  const changed = enabled !== on;
  if (changed) {
    const { file } = await editServers(io, site, {
      inProject: project || ofProject,
      change: (path) => setInConfigFile(path, ['mcp', 'servers', name, 'enabled'], on),
    });
    if (!io.json) note(io, io.noteInk.dim(`in ${visibleText(file)}`));
  }
  if (io.json) printJson(io, { server: name, enabled: on, changed });
  else if (!changed) print(io, `Server already ${word}: ${name}`);
  else print(io, `${on ? io.ink.green('✓ Enabled') : io.ink.red('✗ Disabled')} server: ${name}`);
  return 0;
};

const one = (servers: Command, io: Io, on: boolean): Command => {
  const word = on ? 'enable' : 'disable';
  const command = withJson(
    servers
      .command(word)
      .description(`switch an MCP server ${on ? 'on' : 'off'}`)
      .argument('<name>'),
  )
    .option('--project', 'in this project only')
    .action(leaving(io, (name: string, options: SwitchOptions) => flip(io, { name, on }, options)));
  return withExamples(command, `toolcrib servers ${word} github`);
};

export const serversEnableCommand = (servers: Command, io: Io): Command => one(servers, io, true);

export const serversDisableCommand = (servers: Command, io: Io): Command => one(servers, io, false);

/** `toolcrib servers enable` and `disable`: change the file that defines the server. */
import type { Command } from 'commander';
import { setInConfigFile } from '../../../config/edit/edit-config.ts';
import { removeFromConfigFile } from '../../../config/edit/remove-from-config.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { hint, type Io, print, printJson } from '../../io.ts';
import { type ConfigDeps, editConfig, openConfigDeps } from '../../session/config-edit.ts';
import { projectFile } from '../../session/project-edit.ts';
import { isOfProject, requireServer } from './server-config.ts';

interface ServerSwitch {
  readonly name: string;
  readonly on: boolean;
}

interface SwitchOptions {
  readonly project?: boolean;
}

/** Tells whether the project has switched off a server of the user's own. */
const isOffByProject = (deps: ConfigDeps, name: string): boolean =>
  !isOfProject(deps, name) &&
  deps.loaded.provenance(`mcp.servers.${name}.enabled`).startsWith(projectFile(deps));

/** Writes the switch and returns the changed files. */
const write = async (
  io: Io,
  deps: ConfigDeps,
  { name, on, inProject }: ServerSwitch & { readonly inProject: boolean },
): Promise<readonly string[]> => {
  const path = ['mcp', 'servers', name, 'enabled'];
  if (!on || !isOffByProject(deps, name)) {
    const change = (file: string) => setInConfigFile(file, path, on);
    return [(await editConfig(io, deps, { inProject, change })).file];
  }
  const change = (file: string) => removeFromConfigFile(file, path);
  const { file } = await editConfig(io, deps, { inProject: true, change });
  const after = await openConfigDeps(io);
  const { enabled = true } = await requireServer(after, name);
  if (enabled || inProject) return [file];
  return [file, ...(await write(io, after, { name, on, inProject }))];
};

const switchServer = async (
  io: Io,
  { name, on }: ServerSwitch,
  { project = false }: SwitchOptions,
): Promise<number> => {
  const deps = await openConfigDeps(io);
  const { enabled = true } = await requireServer(deps, name);
  const ofProject = isOfProject(deps, name);
  if (on && project && !ofProject && !isOffByProject(deps, name)) {
    throw new ToolFailure('PERMISSION_DENIED', 'A project cannot switch your own server on.', {
      suggestions: [`Switch it on for all your projects: toolcrib servers enable ${name}`],
    });
  }
  const word = on ? 'enabled' : 'disabled';
  const changed = enabled !== on;
  if (changed) {
    const files = await write(io, deps, { name, on, inProject: project || ofProject });
    if (!io.json) for (const file of files) hint(io, `in ${visibleText(file)}`);
  }
  if (io.json) printJson(io, { server: name, enabled: on, changed });
  else if (!changed) print(io, `Server already ${word}: ${name}`);
  else print(io, `${io.ink.green(on ? '✓ Enabled' : '✓ Disabled')} server: ${name}`);
  return 0;
};

const switchCommand = (servers: Command, io: Io, on: boolean): Command => {
  const word = on ? 'enable' : 'disable';
  const command = withJson(servers.command(word).argument('<name>'))
    .option('--project', 'in this project only')
    .action(
      leaving(io, (name: string, options: SwitchOptions) =>
        switchServer(io, { name, on }, options),
      ),
    );
  return withExamples(command, `toolcrib servers ${word} github`);
};

export const serversEnableCommand = (servers: Command, io: Io): Command =>
  switchCommand(servers, io, true);

export const serversDisableCommand = (servers: Command, io: Io): Command =>
  switchCommand(servers, io, false);

/** `toolcrib tools enable` and `disable`: written into the project's configuration. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { setInConfigFile } from '../../config/edit-config.ts';
import { ignoreState } from '../../config/ignore-state.ts';
import type { CatalogEntry } from '../../contract/catalog.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { leaving, withExamples, withJson } from '../command-parts.ts';
import { formatCount } from '../format-units.ts';
import { type Io, note, print, printJson } from '../io.ts';
import { type OpenCrib, withCrib } from '../open-crib.ts';
import { toolOf } from '../tool-of.ts';

const fileOf = ({ loaded, root }: OpenCrib): string =>
  loaded.sources.find(({ kind }) => kind === 'project')?.path ??
  join(root, '.toolcrib', 'config.yml');

const assertFree = ({ loaded }: OpenCrib, { tool }: CatalogEntry): void => {
  const enforced = loaded.config.enforcement.enforcedTools.includes(tool.name);
  if (!enforced && tool.source !== 'team') return;
  throw new ToolFailure('PERMISSION_DENIED', 'This tool is enforced and cannot be switched off.', {
    suggestions: ['Ask whoever keeps the policy of your team.'],
  });
};

const switchTool = async (
  io: Io,
  open: OpenCrib,
  to: { name: string; on: boolean },
): Promise<void> => {
  const { tools } = open.crib;
  const entry = toolOf(tools, to.name);
  const { name } = entry.tool;
  if (!to.on) assertFree(open, entry);
  const word = to.on ? 'enabled' : 'disabled';
  const changed = entry.enabled !== to.on;
  const file = fileOf(open);
  if (changed) {
    await setInConfigFile(file, ['tools', name, 'enabled'], to.on);
    await ignoreState(file);
  }
  const tokens = await tools.tokens(name);
  const origin = open.loaded.provenance(`tools.${name}.enabled`);
  if (io.json) {
    const delta = changed ? (to.on ? tokens : -tokens) : 0;
    return printJson(io, { tool: name, enabled: to.on, changed, tokens: delta, file });
  }
  if (!changed) return print(io, `Tool already ${word}: ${name}`);
  const mark = to.on ? io.ink.green('✓ Enabled') : io.ink.red('✗ Disabled');
  print(io, `${mark} tool: ${name} (${to.on ? '+' : '-'}${formatCount(tokens)} tokens)`);
  note(io, io.noteInk.dim(`in ${file}`));
  if (origin.startsWith('TOOLCRIB_')) {
    note(io, `${io.noteInk.yellow('!')} ${origin} is set and stronger than the file.`);
  }
};

const one = (tools: Command, io: Io, on: boolean): Command => {
  const word = on ? 'enable' : 'disable';
  const command = withJson(
    tools
      .command(`${word} <name>`)
      .description(`switch a tool ${on ? 'on' : 'off'} in this project`),
  ).action(
    leaving(io, (name: string) =>
      withCrib(io, async (open) => {
        await switchTool(io, open, { name, on });
        return 0;
      }),
    ),
  );
  return withExamples(command, `toolcrib tools ${word} calculator`);
};

export const toolsEnableCommand = (tools: Command, io: Io): Command => one(tools, io, true);

export const toolsDisableCommand = (tools: Command, io: Io): Command => one(tools, io, false);

/** `toolcrib tools enable` and `disable`: change the project's configuration. */
import { basename } from 'node:path';
import type { Command } from 'commander';
import { setInConfigFile } from '../../../config/edit/edit-config.ts';
import { ignoreState } from '../../../config/edit/ignore-state.ts';
import type { CatalogEntry } from '../../../contract/catalog.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { hint, type Io, print, printJson, warn } from '../../io.ts';
import { formatCount } from '../../output/format-units.ts';
import { toolOf } from '../../session/find-tool.ts';
import { type OpenCrib, withCrib } from '../../session/open-crib.ts';
import { assertProjectEditable, keepTrust, projectFile } from '../../session/project-edit.ts';

const assertNotEnforced = ({ loaded }: OpenCrib, { tool }: CatalogEntry): void => {
  const enforced = loaded.config.enforcement.enforcedTools.includes(tool.name);
  if (!enforced) return;
  throw new ToolFailure('PERMISSION_DENIED', 'This tool is enforced and cannot be switched off.', {
    suggestions: ['Ask the person who maintains the policy of your team.'],
  });
};

/** Refuses a tool in quarantine: a person has to accept it first. */
const assertAccepted = ({ tool, quarantine }: CatalogEntry): void => {
  if (!quarantine) return;
  throw new ToolFailure('TOOL_QUARANTINED', `${tool.name} is in quarantine, not switched off.`, {
    suggestions: [`Review and accept it: toolcrib tools accept ${tool.name}`],
  });
};

/** Refuses a tool that the user's own configuration switches off: a project cannot switch it on. */
const assertNotOffByUser = ({ loaded }: OpenCrib, name: string, file: string): void => {
  const origin = loaded.provenance(`tools.${name}.enabled`);
  const isOurs = origin === 'default' || origin.startsWith(file) || origin.startsWith('TOOLCRIB_');
  if (isOurs) return;
  throw new ToolFailure('PERMISSION_DENIED', 'Your own configuration switches this tool off.', {
    suggestions: ['Change it there; `toolcrib doctor` says where that is.'],
  });
};

const switchTool = async (
  io: Io,
  open: OpenCrib,
  to: { name: string; on: boolean },
): Promise<void> => {
  const { tools } = open.crib;
  const entry = toolOf(open.crib, to.name);
  const { name } = entry.tool;
  if (!to.on) assertNotEnforced(open, entry);
  else assertAccepted(entry);
  const word = to.on ? 'enabled' : 'disabled';
  const changed = entry.enabled !== to.on;
  const file = projectFile(open);
  if (changed) {
    await assertProjectEditable(io, open);
    // Throws for a tool that a team enforces; otherwise switches the tool off in this process too.
    if (!to.on) tools.setEnabled(name, false);
    if (to.on) assertNotOffByUser(open, name, file);
    const edit = await setInConfigFile(file, ['tools', name, 'enabled'], to.on);
    await ignoreState(file);
    await keepTrust(io, open, { ...edit, name: basename(file) });
  }
  const tokens = await tools.tokens(name);
  const origin = open.loaded.provenance(`tools.${name}.enabled`);
  if (io.json) {
    const delta = changed ? (to.on ? tokens : -tokens) : 0;
    return printJson(io, { tool: name, enabled: to.on, changed, tokens: delta, file });
  }
  if (!changed) return print(io, `Tool already ${word}: ${name}`);
  const mark = to.on ? io.ink.green('✓ Enabled') : io.ink.green('✓ Disabled');
  print(io, `${mark} tool: ${name} (${to.on ? '+' : '-'}${formatCount(tokens)} tokens)`);
  hint(io, `in ${file}`);
  if (origin.startsWith('TOOLCRIB_')) {
    warn(io, `${origin} is set and stronger than the file.`);
  }
};

const switchCommand = (tools: Command, io: Io, on: boolean): Command => {
  const word = on ? 'enable' : 'disable';
  const command = withJson(tools.command(`${word} <name>`)).action(
    leaving(io, (name: string) =>
      withCrib(
        io,
        async (open) => {
          await switchTool(io, open, { name, on });
          return 0;
        },
        { tool: name },
      ),
    ),
  );
  return withExamples(command, `toolcrib tools ${word} calculator`);
};

export const toolsEnableCommand = (tools: Command, io: Io): Command =>
  switchCommand(tools, io, true);

export const toolsDisableCommand = (tools: Command, io: Io): Command =>
  switchCommand(tools, io, false);

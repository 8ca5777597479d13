/** `toolcrib tools enable` and `disable`: written into the project's configuration. */
import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { setInConfigFile } from '../../../config/edit/edit-config.ts';
import { ignoreState } from '../../../config/edit/ignore-state.ts';
import type { CatalogEntry } from '../../../contract/catalog.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { isInsideProject } from '../../../trust/inside-project.ts';
import { trustOwnEdit } from '../../../trust/trust-own-edit.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, note, print, printJson } from '../../io.ts';
import { formatCount } from '../../output/format-units.ts';
import { toolOf } from '../../session/find-tool.ts';
import { type OpenCrib, withCrib } from '../../session/open-crib.ts';

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

/** A switch would not help: somebody has to look at it first. */
const assertAccepted = ({ tool, quarantine }: CatalogEntry): void => {
  if (!quarantine) return;
  throw new ToolFailure('TOOL_QUARANTINED', `${tool.name} is in quarantine, not switched off.`, {
    suggestions: [`Look at it and let it out with: toolcrib tools accept ${tool.name}`],
  });
};

/** A file that is ignored is not the place to switch anything. */
const assertTrusted = ({ loaded }: OpenCrib): void => {
  const { state } = loaded.trust;
  if (state === 'none' || state === 'trusted') return;
  throw new ToolFailure(
    'PERMISSION_DENIED',
    'This project is not trusted, so nothing was changed.',
    {
      suggestions: ['Look at its configuration and decide: toolcrib trust'],
    },
  );
};

/** A cloned link would have us write somewhere else, such as into the user's own configuration. */
const assertNoLink = async ({ root }: OpenCrib, file: string): Promise<void> => {
  if (await isInsideProject(file, { projectDir: root, inside: ['.toolcrib'] })) return;
  throw new ToolFailure(
    'PERMISSION_DENIED',
    'The configuration of this project is behind a link.',
    {
      suggestions: ['Put the file itself into .toolcrib, or edit it by hand.'],
    },
  );
};

/** What the user switched off, a project cannot switch on. */
const assertOurs = ({ loaded }: OpenCrib, name: string, file: string): void => {
  const origin = loaded.provenance(`tools.${name}.enabled`);
  const ours = origin === 'default' || origin.startsWith(file) || origin.startsWith('TOOLCRIB_');
  if (ours) return;
  throw new ToolFailure('PERMISSION_DENIED', 'Your own configuration switches this tool off.', {
    suggestions: ['Change it there; `toolcrib doctor` says where that is.'],
  });
};

/** Writes the switch, and keeps the trust that the project had before. */
const writeSwitch = async (
  io: Io,
  { loaded, root }: OpenCrib,
  { file, name, on }: { readonly file: string; readonly name: string; readonly on: boolean },
): Promise<void> => {
  const edit = await setInConfigFile(file, ['tools', name, 'enabled'], on);
  await ignoreState(file);
  if (io.env.TOOLCRIB_CONFIG || loaded.trust.insisted) return;
  const kept = await trustOwnEdit(
    { cwd: root, env: io.env, userDir: loaded.userDir },
    { trust: loaded.trust, edit: { ...edit, name: basename(file) }, now: io.runtime.now() },
  );
  if (kept) return;
  const why = 'Something else in .toolcrib has changed as well, so it is not trusted any more.';
  note(io, `${io.noteInk.yellow('!')} ${why} Look at it: toolcrib trust`);
};

const switchTool = async (
  io: Io,
  open: OpenCrib,
  to: { name: string; on: boolean },
): Promise<void> => {
  const { tools } = open.crib;
  const entry = toolOf(open.crib, to.name);
  const { name } = entry.tool;
  if (!to.on) assertFree(open, entry);
  else assertAccepted(entry);
  const word = to.on ? 'enabled' : 'disabled';
  const changed = entry.enabled !== to.on;
  const file = fileOf(open);
  if (changed) {
    assertTrusted(open);
    if (to.on) assertOurs(open, name, file);
    if (!io.env.TOOLCRIB_CONFIG) await assertNoLink(open, file);
    await writeSwitch(io, open, { file, name, on: to.on });
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

export const toolsEnableCommand = (tools: Command, io: Io): Command => one(tools, io, true);

export const toolsDisableCommand = (tools: Command, io: Io): Command => one(tools, io, false);

/** `toolcrib sources enable` and `disable`: change the file that defines the source. */
import type { Command } from 'commander';
import { setInConfigFile } from '../../../config/edit/edit-config.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { hint, type Io, print, printJson } from '../../io.ts';
import { editConfig, openConfigDeps } from '../../session/config-edit.ts';
import { isOfProject, requireSource } from './source-config.ts';

const switchSource = async (io: Io, name: string, on: boolean): Promise<number> => {
  const deps = await openConfigDeps(io);
  const source = await requireSource(deps, name);
  const changed = (source.settings.enabled !== false) !== on;
  const word = on ? 'enabled' : 'disabled';
  if (changed) {
    const { file } = await editConfig(io, deps, {
      inProject: isOfProject(deps, source),
      change: (path) => setInConfigFile(path, ['sources', source.kind, name, 'enabled'], on),
    });
    if (!io.json) hint(io, `in ${visibleText(file)}`);
  }
  if (io.json) printJson(io, { source: name, enabled: on, changed });
  else if (!changed) print(io, `Source already ${word}: ${name}`);
  else print(io, `${io.ink.green(on ? '✓ Enabled' : '✓ Disabled')} source: ${name}`);
  return 0;
};

const switchCommand = (sources: Command, io: Io, on: boolean): Command => {
  const word = on ? 'enable' : 'disable';
  return withExamples(
    withJson(sources.command(word).argument('<name>')).action(
      leaving(io, (name: string) => switchSource(io, name, on)),
    ),
    `toolcrib sources ${word} petstore`,
  );
};

export const sourcesEnableCommand = (sources: Command, io: Io): Command =>
  switchCommand(sources, io, true);

export const sourcesDisableCommand = (sources: Command, io: Io): Command =>
  switchCommand(sources, io, false);

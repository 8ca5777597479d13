/** `toolcrib sources remove`: removes a source from the configuration. */
import type { Command } from 'commander';
import { removeFromConfigFile } from '../../../config/edit/remove-from-config.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { hint, type Io, printDone, printJson } from '../../io.ts';
import { editConfig, openConfigDeps } from '../../session/config-edit.ts';
import { isOfProject, requireSource } from './source-config.ts';

interface RemoveOptions {
  readonly project?: boolean;
}

/** Removes a source and returns the changed file. Fails with NOT_FOUND or PERMISSION_DENIED. */
export const removeSource = async (
  io: Io,
  name: string,
  { project }: RemoveOptions = {},
): Promise<string> => {
  const deps = await openConfigDeps(io);
  const source = await requireSource(deps, name);
  const { file, changed } = await editConfig(io, deps, {
    inProject: project ?? isOfProject(deps, source),
    change: (path) => removeFromConfigFile(path, ['sources', source.kind, name]),
  });
  if (changed) return file;
  throw new ToolFailure('NOT_FOUND', 'That file does not name this source.', {
    suggestions: [project ? 'Leave --project out.' : 'See which file defines it: toolcrib doctor'],
  });
};

const remove = async (io: Io, name: string, options: RemoveOptions): Promise<number> => {
  const file = await removeSource(io, name, options);
  if (io.json) printJson(io, { source: name, removed: true, file });
  else {
    printDone(io, `Removed: ${name}`);
    hint(io, `from ${visibleText(file)}`);
    hint(io, 'Its secrets are still stored: toolcrib secrets');
  }
  return 0;
};

export const sourcesRemoveCommand = (sources: Command, io: Io): Command =>
  withExamples(
    withJson(sources.command('remove').argument('<name>'))
      .option('--project', 'remove it from the configuration of this project only')
      .action(leaving(io, (name: string, options: RemoveOptions) => remove(io, name, options))),
    'toolcrib sources remove petstore',
  );

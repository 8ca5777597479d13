/** `toolcrib tools new`: writes a commented, working tool to start from. */
import { mkdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Command } from 'commander';
import { ignoreState } from '../../../config/edit/ignore-state.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { newFile } from '../../input/new-file.ts';
import { hint, type Io, printDone, printJson } from '../../io.ts';
import { type OpenCrib, withStore } from '../../session/open-crib.ts';
import { keepTrust } from '../../session/project-edit.ts';
import {
  assertNoLinkTo,
  assertProjectTrusted,
  customFolder,
  pathInProject,
} from './custom-folder.ts';
import { type TemplateKind, toolTemplate } from './tool-template.ts';

interface NewOptions {
  readonly ts?: boolean;
  readonly yaml?: boolean;
}

/** Must also be a valid file name on every system. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

const assertUsable = (name: string, { crib }: OpenCrib): void => {
  if (!NAME.test(name)) {
    throw new ToolFailure('VALIDATION_ERROR', 'A tool of your own cannot have this name.', {
      issues: [{ path: ['name'], message: 'expected up to 64 letters, digits, "_" or "-"' }],
      suggestions: ['Start with a letter or digit, e.g. count_words.'],
    });
  }
  if (!crib.tools.has(name)) return;
  throw new ToolFailure('CONFLICT', `There is a tool ${name} already.`, {
    suggestions: ['Choose another name; `toolcrib tools` lists those that are taken.'],
  });
};

const kindOf = ({ ts = false, yaml = false }: NewOptions): TemplateKind => {
  if (ts && yaml) {
    throw new ToolFailure('VALIDATION_ERROR', 'Choose one of --ts and --yaml.');
  }
  return ts ? 'ts' : 'yaml';
};

const writeNew = async (io: Io, file: string, text: string): Promise<void> => {
  await mkdir(dirname(file), { recursive: true });
  const handle = await newFile(io, file);
  try {
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
};

const makeTool = async (
  io: Io,
  open: OpenCrib,
  { name, kind }: { readonly name: string; readonly kind: TemplateKind },
): Promise<void> => {
  assertUsable(name, open);
  assertProjectTrusted(open);
  const file = join(customFolder(open), `${name}.${kind === 'ts' ? 'ts' : 'yml'}`);
  const path = pathInProject(open.root, file);
  if (path !== undefined) await assertNoLinkTo(open.root, file);
  const text = toolTemplate(kind, name);
  await writeNew(io, file, text);
  await ignoreState(join(open.root, '.toolcrib', 'config.yml'));
  if (path !== undefined) {
    await keepTrust(io, open, { name: path, before: undefined, after: text });
  }
  if (io.json) return printJson(io, { tool: name, kind, file });
  const shownPath = visibleText(relative(io.cwd, file) || file);
  printDone(io, shownPath);
  hint(io, `Try it: toolcrib tools test ${shownPath}`, 'After you changed it: toolcrib trust');
};

export const toolsNewCommand = (tools: Command, io: Io): Command => {
  const command = withJson(
    tools
      .command('new')
      .argument('<name>', 'name of the tool and of its file')
      .option('--yaml', 'as one YAML file (the default)')
      .option('--ts', 'as a TypeScript module'),
  ).action(
    leaving(io, (name: string, options: NewOptions) =>
      withStore(io, async (open) => {
        await makeTool(io, open, { name, kind: kindOf(options) });
        return 0;
      }),
    ),
  );
  return withExamples(
    command,
    'toolcrib tools new count_words',
    'toolcrib tools new count_words --ts',
  );
};

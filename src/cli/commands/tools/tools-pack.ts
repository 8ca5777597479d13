/** `toolcrib tools pack`: makes a package of one of the project's own tools. */
import { relative } from 'node:path';
import type { Command } from 'commander';
import { compact } from '../../../kit/data/compact.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { hint, type Io, print, printDone, printJson } from '../../io.ts';
import { type OpenCrib, withStore } from '../../session/open-crib.ts';
import { assertProjectTrusted } from './custom-folder.ts';

interface PackCommandOptions {
  readonly out?: string;
  readonly name?: string;
  readonly packageVersion?: string;
}

const pack = async (
  io: Io,
  open: OpenCrib,
  { tool, options }: { readonly tool: string; readonly options: PackCommandOptions },
): Promise<number> => {
  assertProjectTrusted(open);
  const { name, packageVersion: version } = options;
  const file = options.out ?? `${tool.replaceAll(/[^A-Za-z0-9_-]/g, '-')}.tgz`;
  const packed = await open.crib.packages.pack(tool, file, compact({ name, version }));
  if (io.json) {
    printJson(io, packed);
    return 0;
  }
  const path = visibleText(relative(io.cwd, packed.path) || packed.path);
  printDone(io, `${path}: ${packed.name} ${packed.version}`);
  print(io, ...packed.files.map((file) => `  ${visibleText(file)}`));
  hint(io, `Install it elsewhere: toolcrib install ${path}`, `Publish it: npm publish ${path}`);
  return 0;
};

export const toolsPackCommand = (tools: Command, io: Io): Command =>
  withExamples(
    withJson(tools.command('pack').argument('<tool>', 'a tool of this project'))
      .option('--out <file>', 'where to write it; <tool>.tgz in the project by default')
      .option('--name <name>', 'the name of the package; made from that of the tool by default')
      .option(
        '--package-version <version>',
        'the version of the package; that of the tool by default',
      )
      .action(
        leaving(io, (tool: string, options: PackCommandOptions) =>
          withStore(io, (open) => pack(io, open, { tool, options })),
        ),
      ),
    'toolcrib tools pack count_words',
    'toolcrib tools pack count_words --name @acme/count-words --out dist/count-words.tgz',
  );

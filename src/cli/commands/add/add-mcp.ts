/** `toolcrib add mcp`: an MCP server, by its address or by the command that starts it. */
import type { Command } from 'commander';
import type { ServerDefinition } from '../../../config/mcp-import/foreign-server.ts';
import type { SourcePreview } from '../../../crib/sources/preview-source.ts';
import { leaving, withExamples } from '../../command-actions.ts';
import { misuse } from '../../input/misuse.ts';
import { type Io, printJson } from '../../io.ts';
import { shellQuote } from '../../output/format-units.ts';
import { whileShown } from '../../output/progress-line.ts';
import { openConfigDeps } from '../../session/config-edit.ts';
import { definitionFault } from '../servers/plan-import.ts';
import {
  type AddServerOptions,
  addServer,
  definitionFrom,
  withServerOptions,
} from '../servers/servers-add.ts';
import { withAddOptions } from './add-command.ts';
import type { AddOptions } from './add-source.ts';
import { nameFrom } from './name-from.ts';
import { noteDryRun, showPreview } from './source-page.ts';
import { typedOptions } from './typed-options.ts';

export type McpOptions = AddOptions & Omit<AddServerOptions, 'url'>;

const isAddress = (word: string): boolean => /^(?:https?|wss?):\/\//i.test(word);

const previewOf = async (
  io: Io,
  name: string,
  definition: ServerDefinition,
): Promise<SourcePreview> => {
  const [{ loaded, root }, { parseConfig }, { previewServer }] = await Promise.all([
    openConfigDeps(io),
    import('../../../config/load/parse-config.ts'),
    import('../../../crib/sources/preview-server.ts'),
  ]);
  const { config, userDir, policyFiles } = loaded;
  const { servers } = parseConfig({ mcp: { servers: { [name]: definition } } }).mcp;
  const deps = { config, home: userDir, project: root, policyFiles, runtime: io.runtime };
  return whileShown(io, `Starting ${name}`, () =>
    previewServer({ name, server: servers[name] ?? {} }, deps),
  );
};

interface NewMcpServer {
  readonly name: string;
  readonly words: readonly string[];
  readonly isUrl: boolean;
  /** The options as they were typed. */
  readonly typed: readonly string[];
}

const dryRun = async (
  io: Io,
  { name, words, isUrl, typed }: NewMcpServer,
  options: AddServerOptions,
): Promise<number> => {
  const definition = definitionFrom(isUrl ? [] : words, options);
  const fault = definitionFault(name, definition);
  if (fault !== undefined) throw misuse('This server cannot be configured.', `Change it: ${fault}`);
  const preview = await previewOf(io, name, definition);
  if (io.json) printJson(io, { source: name, kind: 'mcp', dryRun: true, ...preview });
  else {
    showPreview(io, `${name} (mcp)`, preview);
    const end = [...(isUrl ? [] : ['--']), ...words.map(shellQuote)];
    noteDryRun(io, ['toolcrib', 'add', 'mcp', ...typed, ...end].join(' '));
  }
  return 0;
};

/** Adds the server that the words name: one address, or a program and its arguments. */
export const addMcp = async (
  io: Io,
  words: readonly string[],
  { options, typed }: { readonly options: McpOptions; readonly typed: readonly string[] },
): Promise<number> => {
  const [first] = words;
  if (first === undefined) {
    throw misuse(
      'Give the address of the server, or -- and a command.',
      'One that is running: toolcrib add mcp https://example.com/mcp',
      'A program to start: toolcrib add mcp --name files -- npx -y some-server',
    );
  }
  const isUrl = words.length === 1 && isAddress(first);
  const name = options.name ?? nameFrom(isUrl ? first : (words.find(isPackage) ?? first));
  const own = { ...options, ...(isUrl && { url: first }) };
  if (options.dryRun === true) return dryRun(io, { name, words, isUrl, typed }, own);
  return addServer(io, { name, words: isUrl ? [] : words }, own);
};

/** Recognizes the word of a command that makes the best name: the package, not the program that starts it. */
const isPackage = (word: string): boolean =>
  /^(?:@[\w.-]+\/)?[\w.-]*(?:server|mcp)[\w.-]*/i.test(word);

export const addMcpCommand = (add: Command, io: Io): Command =>
  withExamples(
    withServerOptions(
      withAddOptions(
        add
          .command('mcp')
          .description('add an MCP server: the address of a running one, or the program to start')
          .argument(
            '[address-or-command...]',
            'an address; or after --: a program and its arguments',
          ),
      ),
    ).action(
      leaving(io, (words: readonly string[], options: McpOptions, self: Command) =>
        addMcp(io, words, { options, typed: typedOptions(self) }),
      ),
    ),
    'toolcrib add mcp https://mcp.linear.app/mcp --name linear',
    'toolcrib add mcp --name files -- npx -y @modelcontextprotocol/server-filesystem .',
  );
